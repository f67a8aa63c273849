import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseProject, parseService, parseSuite } from '../../../src/config/parse.ts';
import { secretUsesIn } from '../../../src/config/secret-uses.ts';
import { ConfigError } from '../../../src/foundation/errors.ts';
import { restBinding, restOf } from '../../support/suite.ts';

const users = readFileSync('suites/users.yml', 'utf8');
const manifest = `name: mine
title: Mine
protocol: rest
port: 5000
image: { context: ., dockerfile: Dockerfile }
process: { command: [python, app.py] }
`;

function complaint(parse: () => unknown): string {
  try {
    parse();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError);
    return (thrown as ConfigError).message;
  }
  throw new Error('nothing was refused');
}

const suite = (text: string) => () => parseSuite({ file: 'suites/mine.yml', text });
const service = (text: string) => () => parseService({ file: 'services/mine/service.yml', text });

describe('parseSuite', () => {
  test('reads the suite of the study', () => {
    const found = suite(users)();

    expect(found.operations.map((one) => [one.name, restOf(one)?.path, one.bindings.grpc])).toEqual([
      ['GetUser', '/user/{id}', { call: 'user.v1.UserService/GetUser' }],
      ['ListUsers', '/users', { call: 'user.v1.UserService/ListUsers' }],
    ]);
    expect(found.tiers).toMatchObject([
      { users: 100, spawnPerSecond: 10 },
      { users: 500, spawnPerSecond: 50 },
      { users: 1000, spawnPerSecond: 100 },
    ]);
  });

  test.each([
    [
      'broken YAML',
      users.replace('services: [rest, grpc]', 'services: [rest, grpc'),
      /^suites\/mine\.yml:\d+:\d+: is not valid YAML/,
    ],
    [
      'an unknown key',
      `${users}color: red\n`,
      new RegExp(`:${users.split('\n').length}:1: color: is an unknown key; expected one of name, title, .*, policy$`),
    ],
    [
      'the version of a later layout',
      `version: 2\n${users}`,
      /mine\.yml:1:1: version: is an unknown key; expected one of name/,
    ],
    [
      'a misspelt key, rather than the one that is missing for it',
      users.replace('\ntiers:', '\nteirs:'),
      /mine\.yml:\d+:\d+: teirs: is an unknown key; did you mean tiers\?$/,
    ],
    [
      'a misspelt key of a tier',
      users.replace('users: 500', 'user: 500'),
      /mine\.yml:\d+:\d+: tiers\.1\.user: is an unknown key; did you mean users\?$/,
    ],
    ['a key that is missing', users.replace(/^title:.*\n/m, ''), /mine\.yml:2:1: title: is missing$/],
    ['a weight below nothing', users.replace('weight: 3', 'weight: -1'), /mine\.yml:\d+:\d+: operations\.0\.weight: /],
    [
      'a negative think time',
      users.replace('thinkSeconds: 0.3', 'thinkSeconds: -1'),
      /suites\/mine\.yml:\d+:\d+: tiers\.0\.thinkSeconds/,
    ],
    ['a tier twice', users.replace('name: medium', 'name: low'), /must not contain duplicate names/],
    ['an operation called all', users.replace('name: ListUsers', 'name: all'), /must not be "all"/],
    ['a binding that is no request', users.replace('GET /users', 'users'), /must be a method and a path/],
    ['nothing at all', '', /the file/],
  ])('refuses %s, with the place', (_what, text, message) => {
    expect(complaint(suite(text))).toMatch(message);
  });

  test('names the line of the value that is wrong', () => {
    const line = users.split('\n').findIndex((one) => one.includes('name: high')) + 1;

    expect(complaint(suite(users.replace('users: 1000', 'users: none')))).toContain(`suites/mine.yml:${line}:`);
  });
});

test('says what to do where a file may be of another version', () => {
  expect(suite(`version: 2\n${users}`)).toThrow(
    expect.objectContaining({ next: expect.stringContaining('`uses: wiregauge/wiregauge@<version>`') }),
  );
});

test('names the line of the key that is misspelt, not that of its map', () => {
  const line = users.split('\n').findIndex((one) => one.startsWith('tiers:')) + 1;

  expect(complaint(suite(users.replace('\ntiers:', '\nteirs:')))).toContain(`suites/mine.yml:${line}:1: teirs`);
});

describe('parseService', () => {
  test('fills in what a short manifest leaves out', () => {
    const found = service(manifest)();

    expect(found.environment).toEqual({});
    expect(found.process).toEqual({ build: [], command: ['python', 'app.py'] });
  });

  test('makes text of environment values, which YAML may read as numbers or booleans', () => {
    expect(service(`${manifest}environment: { WORKERS: 2, DEBUG: true }\n`)().environment).toEqual({
      WORKERS: '2',
      DEBUG: 'true',
    });
  });

  test.each([
    [
      'a path that leads out of the repository',
      manifest.replace('Dockerfile', '../Dockerfile'),
      /image\.dockerfile: must be a path inside/,
    ],
    ['a text for a number', manifest.replace('5000', 'many'), /service\.yml:4:1: port: must be a number$/],
    ['a text for a map', `${manifest}environment: none\n`, /service\.yml:7:1: environment: must be a map$/],
    ['an unknown protocol', manifest.replace('rest', 'soap'), /service\.yml:3:1: protocol/],
    ['a port that is none', manifest.replace('5000', '70000'), /service\.yml:4:1: port/],
    ['a gRPC service without a contract', manifest.replace('rest', 'grpc'), /proto: is missing/],
    [
      'a contract that is not there',
      `${manifest}proto: { root: proto, file: a.proto }\n`,
      /there is no proto\/a\.proto/,
    ],
  ])('refuses %s', (_what, text, message) => {
    expect(complaint(service(text))).toMatch(message);
  });
});

describe('parseProject', () => {
  const project = (text: string) => () =>
    parseProject({ file: 'wiregauge.yml', text }, { protoTexts: () => ({ 'a.proto': 'syntax = "proto3";' }) });
  const SHORTEST = `services:
  api: { protocol: rest, port: 8080, image: nginx:1.27 }
operations:
  - { name: Index, rest: GET / }
`;

  test('needs services and operations only, and takes the usual loads', () => {
    const { suite: found, services } = project(SHORTEST)();

    expect(found).toMatchObject({ name: 'main', title: 'api', services: ['api'], saturation: { workers: 50 } });
    expect(found.operations).toEqual([
      {
        name: 'Index',
        share: 1,
        arguments: [{}],
        verify: 'answer',
        bindings: { rest: restBinding('GET /') },
      },
    ]);
    expect(found.tiers).toMatchObject([{ users: 100 }, { users: 500 }, { users: 1000 }]);
    expect(services.get('api')).toMatchObject({ name: 'api', title: 'api', image: { reference: 'nginx:1.27' } });
  });

  test('shares the requests by weight', () => {
    const { suite: found } = project(`${SHORTEST}  - { name: Other, weight: 3, rest: GET /other }\n`)();

    expect(found.operations.map(({ share }) => share)).toEqual([0.25, 0.75]);
  });

  test('sends nothing of an operation with a weight of 0, and has no need of its secrets', () => {
    const unsent = '  - { name: Add, weight: 0, rest: { path: /add, headers: { A: "${env.TOKEN}" } } }\n';

    expect(project(`${SHORTEST}${unsent}`)().suite.operations.map(({ name, share }) => [name, share])).toEqual([
      ['Index', 1],
    ]);
    expect(secretUsesIn({ file: 'wiregauge.yml', text: `${SHORTEST}${unsent}` })).toEqual([]);
    expect(project(SHORTEST.replace('name: Index', 'name: Index, weight: 0'))).toThrow(
      /operations\.0\.weight: no operation has a weight above 0/,
    );
  });

  test('builds an image of the Dockerfile in the root by default', () => {
    const { services } = project(SHORTEST.replace('nginx:1.27', '{ args: { LEVEL: 2 } }'))();

    expect(services.get('api')?.image).toEqual({
      context: '.',
      dockerfile: 'Dockerfile',
      target: undefined,
      args: { LEVEL: '2' },
    });
  });

  test.each([
    [
      'a service that nothing says how to start',
      SHORTEST.replace(', image: nginx:1.27', ''),
      /^wiregauge\.yml:2:\d+: services\.api: needs one of image, process/,
    ],
    [
      'no service',
      SHORTEST.replace(/services:[\s\S]*operations/, 'services: {}\noperations'),
      /services: must have at least one service/,
    ],
    [
      'a misspelt key of a service',
      SHORTEST.replace('port:', 'prot: x, port:'),
      /^wiregauge\.yml:2:\d+: services\.api\.prot: is an unknown key; did you mean proto\?/,
    ],
    [
      'a name that is none',
      SHORTEST.replace('api:', 'a/b:'),
      /^wiregauge\.yml:2:\d+: services\.a\/b: must be 1 to 80 letters/,
    ],
    [
      'an image that is no name',
      SHORTEST.replace('nginx:1.27', '"-v /:/host"'),
      /services\.api\.image: must be the name of an image, like nginx/,
    ],
    [
      'a misspelt key of an image',
      SHORTEST.replace('nginx:1.27', '{ dockerfil: D }'),
      /^wiregauge\.yml:2:47: services\.api\.image\.dockerfil: is an unknown key; did you mean dockerfile\?/,
    ],
    ['a gRPC service without its contract', SHORTEST.replace('rest,', 'grpc,'), /services\.api\.proto: is missing/],
    [
      'a contract that is not there',
      SHORTEST.replace('rest,', 'grpc, proto: { root: p, file: b.proto },'),
      /services\.api\.proto\.file: there is no p\/b\.proto/,
    ],
  ])('refuses %s, with the place', (_what, text, message) => {
    expect(complaint(project(text))).toMatch(message);
  });
});

describe('all mistakes of a file are reported at once', () => {
  const project = (text: string) => () => parseProject({ file: 'wiregauge.yml', text });
  const mistakesOf = (text: string) =>
    complaint(project(text))
      .split('\n')
      .filter((line) => line.startsWith('wiregauge.yml:'));

  test('those of different sections, in the order of the file, each with its place', () => {
    const found = mistakesOf(`services:
  api: { protocol: rest, port: 70000, image: nginx:1.27 }
  rpc: { protocol: grpc, port: 8080, image: nginx:1.27, proto: { root: proto, file: a.proto } }
operations:
  - { name: Index, rest: GET / }
tiers:
  - { name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.3, operations: [Idnex, None] }
policy: { alpha: 5, color: red }
`);

    expect(found).toEqual([
      expect.stringMatching(/^wiregauge\.yml:2:\d+: services\.api\.port: /),
      expect.stringMatching(
        /^wiregauge\.yml:3:\d+: services\.rpc\.proto\.file: there is no proto\/a\.proto \(WG-111\)$/,
      ),
      expect.stringMatching(/^wiregauge\.yml:7:\d+: tiers\.0\.operations\.0: there is no operation Idnex/),
      expect.stringMatching(/^wiregauge\.yml:7:\d+: tiers\.0\.operations\.1: there is no operation None/),
      expect.stringMatching(/^wiregauge\.yml:8:\d+: policy\.alpha: must be a share/),
      expect.stringMatching(/^wiregauge\.yml:8:\d+: policy\.color: is an unknown key; /),
    ]);
  });

  test('those of several operations, and what to do about each', () => {
    const text = `services:
  api: { protocol: rest, port: 8080, image: nginx:1.27 }
operations:
  - { name: One, rest: "GET /{id}" }
  - { name: Two, rest: GET /, feed: { file: none.csv } }
  - { rest: GET / }
`;

    expect(mistakesOf(text)).toHaveLength(3);
    expect(project(text)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /^3 errors:\n.*\{id\} \(WG-114\)\n {2}.*\n.*none\.csv: there is no such file \(WG-107\)\n {2}Use the path of a file.*\n.*operations\.2\.name/,
        ),
        printed: expect.stringMatching(/^3 errors:\n.*\{id\} \(WG-114\)\n/),
        brief: expect.stringMatching(/^3 errors, the first: wiregauge\.yml:4:\d+: /),
      }),
    );
  });

  test('but none that only follows from another', () => {
    const found = mistakesOf(`services:
  rpc: { protocol: grpc, port: 8080, image: nginx:1.27, proto: { root: proto, file: a.proto } }
  web: { protocol: rest, pot: 8080, image: nginx:1.27 }
operations:
  - { from: user.v1.UserService }
`);

    expect(found).toEqual([
      expect.stringContaining('services.rpc.proto.file: there is no'),
      expect.stringContaining('services.web.pot: is an unknown key; did you mean port?'),
    ]);
  });

  test('and none twice, though several operations stumble over it', () => {
    const text = users.replace(
      /operations:[\s\S]*?\ntiers:/,
      'operations:\n  - { from: a.v1.A/B }\n  - { from: a.v1.A/C }\ntiers:',
    );
    const refuse = () => {
      throw new ConfigError('services/grpc/service.yml:3:1: port: must be a number');
    };

    expect(complaint(() => parseSuite({ file: 'suites/mine.yml', text }, {}, refuse))).toBe(
      'services/grpc/service.yml:3:1: port: must be a number',
    );
  });

  test('up to a limit', () => {
    const keys = Array.from({ length: 300 }, (_, index) => `key${index}: 1\n`).join('');

    expect(complaint(suite(`${users}${keys}`)).split('\n').length).toBeLessThan(25);
  });
});
