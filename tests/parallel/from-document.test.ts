import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { readSuite } from '../../src/project/suite.ts';
import { PROTOCOLS } from '../../src/protocols/protocols.ts';
import { currentFolderPerTest } from '../support/current-folder.ts';
import { catchPrinted } from '../support/printed.ts';

const folder = currentFolderPerTest();
const printed = catchPrinted();

function project(operations: string): void {
  folder.write(
    'wiregauge.yml',
    `services: { api: { protocol: rest, port: 80, image: a:1 } }\noperations:\n${operations}`,
  );
}

beforeEach(() => {
  folder.write(
    'api/openapi.yaml',
    'openapi: 3.0.3\npaths:\n  /a: { get: { operationId: a }, post: { operationId: b } }\n',
  );
});

describe('the users suite', () => {
  const TEXT = (operations: string) =>
    `name: users\ntitle: Users\nservices: [rest, grpc]\noperations:\n${operations}tiers: [{ name: low, users: 2, spawnPerSecond: 1, thinkSeconds: 1 }]\n`;
  const WRITTEN = `  - { name: GetUser, weight: 3, arguments: [{ id: 1 }, { id: 2 }], rest: "GET /user/{id}", grpc: user.v1.UserService/GetUser }
  - { name: ListUsers, rest: GET /users, grpc: user.v1.UserService/ListUsers }
`;
  const OF_DOCUMENT = `  - { from: openapi.json, operationId: GetUser, weight: 3, arguments: [{ id: 1 }, { id: 2 }], grpc: user.v1.UserService/GetUser }
  - { from: openapi.json, operationId: ListUsers, grpc: user.v1.UserService/ListUsers }
`;
  const OF_CONTRACT = `  - { from: user.v1.UserService/GetUser, weight: 3, arguments: [{ id: 1 }, { id: 2 }], rest: "GET /user/{id}" }
  - { from: user.v1.UserService/ListUsers, rest: GET /users }
`;

  function sent(operations: string) {
    folder.write('suites/users.yml', TEXT(operations));
    const { suite, services } = readSuite(folder.root, 'users');
    return suite.operations.map((operation) => [
      operation.name,
      operation.share,
      ...[...services.values()].map((service) => {
        const { requests } = PROTOCOLS[service.protocol].target(operation, service, '');
        return requests;
      }),
    ]);
  }

  it('sends the same whether it is written out, or comes out of the document or the contract', () => {
    mkdirSync(join(folder.root, 'services/users'), { recursive: true });
    copyFileSync('services/users/services.yml', join(folder.root, 'services/users/services.yml'));
    mkdirSync(join(folder.root, 'proto/user/v1'), { recursive: true });
    copyFileSync('proto/user/v1/user.proto', join(folder.root, 'proto/user/v1/user.proto'));
    copyFileSync('services/users/python-rest/src/user_rest/openapi.json', join(folder.root, 'openapi.json'));

    expect(sent(OF_DOCUMENT)).toEqual(sent(WRITTEN));
    expect(sent(OF_CONTRACT)).toEqual(sent(WRITTEN));
  });
});

describe('wiregauge config show', () => {
  it('prints the requests, and what is left out', async () => {
    project('  - { from: api/openapi.yaml }\n');

    expect(await runCommandLine(['config', 'show'])).toBe(0);

    expect(parse(printed.out)).toMatchObject({ operations: [{ name: 'a', requests: { rest: ['GET /a'] } }] });
    expect(printed.out).toContain('\n# api/openapi.yaml: skipped POST /a (b): a POST may change');
  });

  it('gives a program the same', async () => {
    project(
      '  - { from: api/openapi.yaml }\n  - { name: c, rest: { path: "/{n}", method: POST, body: { n: "{n}" } }, arguments: [{ n: 1 }] }\n',
    );

    expect(await runCommandLine(['config', 'show', '--json'])).toBe(0);

    expect(JSON.parse(printed.out)).toMatchObject({
      leftOut: [expect.stringContaining('skipped POST /a')],
      operations: [
        { name: 'a' },
        {
          name: 'c',
          requests: {
            rest: [{ request: 'POST /1', headers: { 'Content-Type': 'application/json' }, body: '{"n":1}' }],
          },
        },
      ],
    });
  });

  it.each([
    ['api/none.yaml', 'api/none.yaml: there is no such file'],
    ['outside.yaml', 'outside.yaml: points outside the repository'],
    ['../openapi.yaml', 'must be a path inside the repository'],
    ['huge.json', 'huge.json: has 10485761 bytes; the limit is 10485760'],
  ])('refuses %s', async (path, words) => {
    symlinkSync('/etc/hostname', join(folder.root, 'outside.yaml'));
    if (path === 'huge.json') {
      folder.write(path, ' '.repeat(10 * 2 ** 20 + 1));
    }
    project(`  - { from: ${path} }\n`);

    expect(await runCommandLine(['config', 'show'])).toBe(2);
    expect(printed.err).toContain(`wiregauge: wiregauge.yml:3:7: operations.0.from: ${words}`);
  });
});

it('is another configuration where the document is another', () => {
  project('  - { from: api/openapi.yaml }\n');
  const { configHash } = readSuite(folder.root, undefined);
  folder.write('api/openapi.yaml', 'openapi: 3.0.3\npaths:\n  /b: { get: { operationId: a } }\n');

  expect(readSuite(folder.root, undefined).configHash).not.toBe(configHash);
});
