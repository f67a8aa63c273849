import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { runCommandLine } from '../../src/commands/program.ts';
import { readSuite } from '../../src/commands/suite.ts';
import { PROTOCOLS } from '../../src/protocols/index.ts';

let root = '';
let printed = '';
let complaint = '';

function write(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

function project(operations: string): void {
  write('wiregauge.yml', `services: { api: { protocol: rest, port: 80, image: a:1 } }\noperations:\n${operations}`);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'from-'));
  printed = '';
  complaint = '';
  vi.stubEnv('GITHUB_ACTIONS', undefined);
  vi.spyOn(process, 'cwd').mockImplementation(() => root);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    complaint += String(text);
    return true;
  });
  write('api/openapi.yaml', 'openapi: 3.0.3\npaths:\n  /a: { get: { operationId: a }, post: { operationId: b } }\n');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

describe('the users suite', () => {
  const TEXT = (operations: string) =>
    `name: users\ntitle: Users\nservices: [rest, grpc]\noperations:\n${operations}tiers: [{ name: low, users: 1, spawnPerSecond: 1, thinkSeconds: 1 }]\n`;
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
    write('suites/users.yml', TEXT(operations));
    const { suite, services } = readSuite(root, 'users');
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
    for (const service of ['rest', 'grpc']) {
      mkdirSync(join(root, 'services', service), { recursive: true });
      copyFileSync(`services/${service}/service.yml`, join(root, 'services', service, 'service.yml'));
    }
    mkdirSync(join(root, 'proto/user/v1'), { recursive: true });
    copyFileSync('proto/user/v1/user.proto', join(root, 'proto/user/v1/user.proto'));
    copyFileSync('services/rest/src/user_rest/openapi.json', join(root, 'openapi.json'));

    expect(sent(OF_DOCUMENT)).toEqual(sent(WRITTEN));
    expect(sent(OF_CONTRACT)).toEqual(sent(WRITTEN));
  });
});

describe('wiregauge config show', () => {
  it('prints the requests, and what is left out', async () => {
    project('  - { from: api/openapi.yaml }\n');

    expect(await runCommandLine(['config', 'show'])).toBe(0);

    expect(parse(printed)).toMatchObject({ operations: [{ name: 'a', requests: { rest: ['GET /a'] } }] });
    expect(printed).toContain('\n# api/openapi.yaml: left out POST /a (b): a POST may change');
  });

  it('gives a program the same', async () => {
    project(
      '  - { from: api/openapi.yaml }\n  - { name: c, rest: { path: "/{n}", method: POST, body: { n: "{n}" } }, arguments: [{ n: 1 }] }\n',
    );

    expect(await runCommandLine(['config', 'show', '--json'])).toBe(0);

    expect(JSON.parse(printed)).toMatchObject({
      leftOut: [expect.stringContaining('left out POST /a')],
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
    ['outside.yaml', 'outside.yaml: leads out of the repository'],
    ['../openapi.yaml', 'must be a path inside the repository'],
    ['huge.json', 'huge.json: has 10485761 bytes, and 10485760 are the most'],
  ])('refuses %s', async (path, words) => {
    symlinkSync('/etc/hostname', join(root, 'outside.yaml'));
    if (path === 'huge.json') {
      write(path, ' '.repeat(10 * 2 ** 20 + 1));
    }
    project(`  - { from: ${path} }\n`);

    expect(await runCommandLine(['config', 'show'])).toBe(2);
    expect(complaint).toContain(`wiregauge: wiregauge.yml:3:7: operations.0.from: ${words}`);
  });
});

it('is another configuration where the document is another', () => {
  project('  - { from: api/openapi.yaml }\n');
  const { configHash } = readSuite(root, undefined);
  write('api/openapi.yaml', 'openapi: 3.0.3\npaths:\n  /b: { get: { operationId: a } }\n');

  expect(readSuite(root, undefined).configHash).not.toBe(configHash);
});
