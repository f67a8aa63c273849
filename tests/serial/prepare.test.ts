import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { makeProject, wiregauge } from '../integration/project.ts';

const project = makeProject();
afterAll(() => project.remove());

const TOKEN = 'token-of-this-start-';

/** A service that only answers with the token of a login, which differs from start to start, and tells it to all who have none. */
const SERVER = `import { createServer } from 'node:http';
const token = '${TOKEN}' + Math.random();
createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const end = (status, json) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  if (request.url === '/login') {
    return body === '{"password":"right"}' ? end(200, { user: { token } }) : end(401, { message: 'wrong ' + token });
  }
  const isKnown = request.headers.authorization === 'Bearer ' + token;
  return isKnown ? end(200, { mine: true }) : end(403, { message: 'not ' + token });
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const configuration = (password: string): string => `services:
  shop:
    protocol: rest
    port: 8080
    process: { command: [node, shop.mjs] }
    headers: { Authorization: "Bearer \${prepare.token}" }
    prepare:
      - rest: { method: POST, path: /login, body: { password: ${password} } }
        capture: { token: $.user.token }
operations:
  - name: Mine
    rest: GET /mine
  - name: Other
    rest: { path: "/other?t=\${prepare.token}", headers: { X-Token: "\${prepare.token}" } }
saturation: { workers: 2 }
`;

const measured = () =>
  wiregauge(['run', '--profile', 'smoke', '--runtime', 'process', '--mode', 'saturate'], { cwd: project.root });

const run = async (password: string) => {
  project.write('shop.mjs', SERVER);
  project.write('wiregauge.yml', configuration(password));
  return await measured();
};

test('a service behind a login is measured with the token of each start, which is in no output', async () => {
  const { exitCode, stdout, stderr } = await run('right');

  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('verified: shop answers 2 requests');
  const record = readFileSync(join(project.root, 'out/run.json'), 'utf8');
  expect(JSON.parse(record).samples.map(({ values }: { values: { errorRate: number } }) => values.errorRate)).toEqual(
    expect.arrayContaining([0]),
  );
  expect(record).not.toContain('failing');
  expect(`${stdout}${record}`).not.toContain(TOKEN);
});

const MODULES = resolve('node_modules/@grpc');

/** The same over gRPC. */
const GRPC_SERVER = `import { loadSync } from '${pathToFileURL(join(MODULES, 'proto-loader/build/src/index.js')).href}';
import grpc from '${pathToFileURL(join(MODULES, 'grpc-js/build/src/index.js')).href}';
const token = '${TOKEN}' + Math.random();
const { shop } = grpc.loadPackageDefinition(loadSync('shop.proto'));
const server = new grpc.Server();
server.addService(shop.v1.Shop.service, {
  Login: ({ request }, end) => end(request.password === 'right' ? null : { code: 16 }, { token }),
  GetItem: ({ request, metadata }, end) =>
    end(metadata.get('authorization')[0] === 'Bearer ' + token ? null : { code: 16, details: 'not ' + token }, request),
});
server.bindAsync(process.env.HOST + ':' + process.env.PORT, grpc.ServerCredentials.createInsecure(), () => {});
`;

const PROTO = `syntax = "proto3";
package shop.v1;
message Password { string password = 1; }
message Session { string token = 1; }
message Item { string id = 1; }
service Shop { rpc Login(Password) returns (Session); rpc GetItem(Item) returns (Item); }
`;

test('a gRPC service behind a login is measured with the token of each start in its metadata', async () => {
  project.write('shop.mjs', GRPC_SERVER);
  project.write('shop.proto', PROTO);
  project.write(
    'wiregauge.yml',
    `services:
  shop:
    protocol: grpc
    port: 8080
    proto: { root: ., file: shop.proto }
    process: { command: [node, shop.mjs] }
    metadata: { authorization: "Bearer \${prepare.token}" }
    prepare:
      - grpc: { call: shop.v1.Shop/Login, message: { password: right } }
        capture: { token: $.token }
operations:
  - { name: Item, arguments: [{ id: "7" }], grpc: { call: shop.v1.Shop/GetItem, message: { id: "{id}" } } }
saturation: { workers: 2 }
`,
  );
  const { exitCode, stdout, stderr } = await measured();

  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('verified: shop answers 1 request');
  const record = readFileSync(join(project.root, 'out/run.json'), 'utf8');
  expect(record).not.toContain('failing');
  expect(`${stdout}${record}`).not.toContain(TOKEN);
});

test('a terminal shows no token that a login delivered, also if an answer repeats it', async () => {
  const leaking = "if (request.url === '/mine') { return end(500, { message: 'leak ' + token }); }\n  const isKnown";
  project.write('shop.mjs', SERVER.replace('const isKnown', leaking));
  project.write('wiregauge.yml', configuration('right'));
  const argv = [resolve('dist/cli.js'), 'run', '--runtime', 'process', '--out', 'out'];
  const inTerminal = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
  const { status, stdout } = spawnSync('python3', ['-c', inTerminal, process.execPath, ...argv], {
    cwd: project.root,
    encoding: 'utf8',
  });

  expect(status).toBe(2);
  expect(stdout).toContain('leak ***');
  expect(stdout).not.toContain(TOKEN);
});

test('a login that is refused ends the run with its place', async () => {
  const { exitCode, stdout, stderr } = await run('wrong');

  expect(exitCode).toBe(2);
  expect(`${stdout}${stderr}`).toMatch(/wiregauge\.yml:8:9: services\.shop\.prepare\S*: POST \/login: answered 401/);
});
