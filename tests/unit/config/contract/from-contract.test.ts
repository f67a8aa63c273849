import { describe, expect, it } from 'vitest';
import { fromProject, fromRefusal, requestsFrom } from '../../../support/from-project.ts';

const USERS = `syntax = "proto2";
package user.v1;
message Ask { optional int32 id = 1; optional string name = 2; }
message Loop { required Loop again = 1; }
service Users {
  rpc GetUser(Ask) returns (Ask);
  rpc Watch(Ask) returns (stream Ask);
  rpc Fill(stream Ask) returns (Ask);
  rpc Endless(Loop) returns (Ask);
}
service Others { rpc GetUser(Ask) returns (Ask); }
service Hopeless { rpc Endless(Loop) returns (Ask); }
`;

const GRPC = 'users: { protocol: grpc, port: 1, image: a:1, proto: { root: proto, file: users.proto } }';
const FOUND = { protos: { 'users.proto': USERS }, services: [GRPC] };
const TOLD = 'told: { protocol: grpc, port: 1, image: a:1, proto: reflection }';
const REST = 'web: { protocol: rest, port: 1, image: a:1 }';

const EXAMPLE = '{"id":1,"name":"example"}';

describe('an operation out of a contract', () => {
  it.each([
    ['user.v1.Users/GetUser', '', [`user.v1.Users/GetUser | ${EXAMPLE}`]],
    ['user.v1.Users/Watch', '', [`user.v1.Users/Watch | ${EXAMPLE}`]],
    ['user.v1.Users/Fill', '', [`user.v1.Users/Fill | [${EXAMPLE}]`]],
    [
      'user.v1.Users/GetUser',
      ', arguments: [{ id: 7 }, {}]',
      ['user.v1.Users/GetUser | {"id":7}', 'user.v1.Users/GetUser | {}'],
    ],
    ['user.v1.Users/Fill', ', grpc: { messages: [{}, {}] }', ['user.v1.Users/Fill | [{},{}]']],
    ['user.v1.Users/GetUser', ', grpc: { message: { id: "{id}" } }', ['user.v1.Users/GetUser | {"id":1}']],
    ['user.v1.Users/Endless', ', arguments: [{ again: {} }]', ['user.v1.Users/Endless | {"again":{}}']],
  ])('%s%s has a message that fits', (from, more, requests) => {
    expect(requestsFrom([`{ from: ${from}${more} }`], FOUND)).toEqual([requests]);
  });

  it('takes the keys next to it, also another protocol', () => {
    const entry =
      '{ from: user.v1.Users/GetUser, name: Read, weight: 3, rest: "GET /user/{id}", grpc: { deadlineMs: 9 } }';

    expect(fromProject([entry], { ...FOUND, services: [GRPC, REST] }).operations).toMatchObject([
      {
        name: 'Read',
        share: 1,
        arguments: [{ id: 1, name: 'example' }],
        bindings: { grpc: { call: 'user.v1.Users/GetUser', deadlineMs: 9 }, rest: { path: '/user/{id}' } },
      },
    ]);
  });

  it('are all methods of a service but those of which no message can be made', () => {
    const { operations, leftOut } = fromProject(
      ['{ from: user.v1.Users }', '{ from: user.v1.Users/Fill, weight: 2 }'],
      FOUND,
    );

    expect(operations.map(({ name, share }) => [name, share])).toEqual([
      ['GetUser', 0.25],
      ['Watch', 0.25],
      ['Fill', 0.5],
    ]);
    expect(leftOut).toEqual([
      expect.stringMatching(/^skipped user\.v1\.Users\/Endless: cannot generate an example message/),
    ]);
  });

  it.each([
    [
      '{ from: user.v1.User }',
      FOUND,
      'operations.0.from: the contract has no service user.v1.User',
      'Did you mean user.v1.Users?',
    ],
    [
      '{ from: Zzz }',
      FOUND,
      'the contract has no service Zzz',
      'Available: user.v1.Users, user.v1.Others, user.v1.Hopeless.',
    ],
    [
      '{ from: user.v1.Users/GetUsr }',
      FOUND,
      'the contract has no method GetUsr in user.v1.Users',
      'Did you mean GetUser?',
    ],
    [
      '{ from: user.v1.Users/Drop }',
      FOUND,
      'the contract has no method Drop',
      'Available: GetUser, Watch, Fill, Endless.',
    ],
    [
      '{ from: user.v1.Hopeless }',
      FOUND,
      'user.v1.Hopeless/Endless: cannot generate an example message',
      'arguments: [{ … }]',
    ],
    [
      '{ from: user.v1.Users/Endless }',
      FOUND,
      'user.v1.Users/Endless: cannot generate an example message',
      'arguments: [{ … }]',
    ],
    ['{ from: user.v1.Users }', { services: [TOLD] }, 'told provides its contract by reflection', 'proto: { root:'],
    ['{ from: user.v1.Users }', { services: [REST] }, 'no service in the suite uses gRPC', 'from: openapi.yaml'],
  ])('%s is refused', (...[entry, found, words, next]) => {
    const refused = fromRefusal(entry, found);

    expect(refused.message).toMatch(/^wiregauge\.yml:4:\d+: operations\.0\.from: /);
    expect(refused.message).toContain(words);
    expect(refused.next).toContain(next);
  });

  it('are not taken a second time where something else calls them, too', () => {
    const entries = ['{ from: user.v1.Others }', '{ name: Read, grpc: user.v1.Others/GetUser }'];

    expect(fromProject(entries, FOUND).operations.map(({ name }) => name)).toEqual(['Read']);
  });

  it('of two services must have different names', () => {
    const twice = () => fromProject(['{ from: user.v1.Users }', '{ from: user.v1.Others }'], FOUND);

    expect(twice).toThrow(/^wiregauge\.yml:5:\d+: operations\.1\.from: duplicates operation GetUser$/);
  });

  it('says where the contract does not compile', () => {
    const broken = { protos: { 'users.proto': 'syntax = "proto3";\nmessage {}' }, services: [GRPC] };

    expect(() => fromProject(['{ from: a.B }'], broken)).toThrow(
      /^users: the contract does not compile: users\.proto:2: /,
    );
  });

  it('may be used if another service has reflection', () => {
    expect(
      fromProject(['{ from: user.v1.Users/GetUser }'], { ...FOUND, services: [TOLD, GRPC] }).operations,
    ).toHaveLength(1);
  });
});
