import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { writeImage } from '../integration/docker-project.ts';
import { makeProject, wiregauge } from '../integration/project.ts';
import { buildArgsText } from '../stand-ins/build-args.ts';
import { requires } from '../support/requires.ts';

const project = makeProject();
afterAll(() => project.remove());

/** Writes below a folder, plays `init` in it, and gives what that came to. */
async function triedIn(folder: string, files: Readonly<Record<string, string>>, runtime: 'process' | 'docker') {
  for (const [path, text] of Object.entries(files)) {
    project.write(`${folder}/${path}`, text);
  }
  const cwd = join(project.root, folder);
  const argv = ['init', '--yes', '--runtime', runtime, '--json'];
  const environment = runtime === 'docker' ? { WIREGAUGE_BUILD_ARGS: buildArgsText() } : {};
  const { exitCode, stdout, stderr } = await wiregauge(argv, { cwd, environment });
  expect(exitCode, stderr).toBe(0);
  return { ...JSON.parse(stdout), stderr, text: readFileSync(join(cwd, 'wiregauge.yml'), 'utf8') };
}

const manifest = (name: string): string =>
  JSON.stringify({ name, type: 'module', scripts: { start: 'node server.js' } });

const SERVER = `import { createServer } from 'node:http';
const answer = { page: { startedAt: Math.random() } };
createServer(({ url }, response) => {
  response.writeHead(url === '/items' ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}).listen(process.env.PORT, process.env.HOST);
`;

const PAGE = SERVER.replace("'application/json'", "'text/plain'").replace(
  'JSON.stringify(answer)',
  "'at ' + Date.now()",
);

const contract = (...paths: readonly string[]): string => {
  const get = { responses: { 200: { description: 'ok' } } };
  const all = Object.fromEntries(paths.map((path) => [path, { get }]));
  return JSON.stringify({ openapi: '3.0.0', info: { title: 'shop', version: '1' }, paths: all });
};

test('init starts every service of a repository, and leaves out what is refused or varies', async () => {
  const { stderr, files, trial, text, leftOut } = await triedIn(
    'shops',
    {
      'shop/package.json': manifest('shop'),
      'shop/server.js': SERVER,
      'shop/openapi.json': contract('/items', '/orders'),
      'stock/package.json': manifest('stock'),
      'stock/server.js': PAGE,
      'stock/openapi.json': contract('/items'),
      'broken/package.json': manifest('broken').replace('"scripts":{', '"scripts":{"build":"exit 3",'),
      'broken/openapi.json': contract('/parts'),
    },
    'process',
  );

  expect(stderr).toMatch(/ok {7}shop: \S+: GET \/items: answered 200/);
  expect(stderr).toContain('changed wiregauge.yml: shop: left out GET /orders: answered 401');
  expect(stderr).toContain('warning  git: ');
  expect(trial.services.map(({ name }: { readonly name: string }) => name)).toEqual(['shop', 'stock']);
  expect(trial.changes).toEqual([
    'shop: left out GET /orders: answered 401',
    'shop: ignores $.page.startedAt of GET /items, because it differed between two starts',
    'stock: compares only the status of GET /items, because it differed between two starts',
  ]);
  expect(trial.faults).toContainEqual(expect.objectContaining({ about: 'git', state: 'warning' }));
  expect(files['wiregauge.yml']).toBe(text);
  expect(text).toContain('ignore: [ $.page.startedAt ]');
  expect(text).toContain('verify: status');
  expect(text).not.toContain('rest: GET /orders');
  expect(stderr.match(/not tried: broken cannot be built/g)).toHaveLength(1);
  expect(text).not.toContain('broken');
  expect(leftOut).toContainEqual({ name: 'broken', why: expect.stringContaining('cannot be built') });
});

const PROTO = `syntax = "proto3";
package shop.v1;
message Item { int32 id = 1; }
service Shop { rpc GetItem(Item) returns (Item); rpc GetOrder(Item) returns (Item); }
`;

const GRPC_SERVER = `import { loadSync } from '${pathToFileURL(resolve('node_modules/@grpc/proto-loader/build/src/index.js')).href}';
import grpc from '${pathToFileURL(resolve('node_modules/@grpc/grpc-js/build/src/index.js')).href}';
const { shop } = grpc.loadPackageDefinition(loadSync('proto/shop/v1/shop.proto'));
const server = new grpc.Server();
server.addService(shop.v1.Shop.service, { GetItem: ({ request }, end) => end(null, request) });
server.bindAsync(process.env.HOST + ':' + process.env.PORT, grpc.ServerCredentials.createInsecure(), () => {});
`;

test('init calls the methods of a gRPC service, and leaves out those that it does not have', async () => {
  const files = { 'package.json': manifest('rpc'), 'server.js': GRPC_SERVER, 'proto/shop/v1/shop.proto': PROTO };
  const { trial, text } = await triedIn('rpc', files, 'process');

  expect(trial.services[0].operations).toMatchObject([
    { operation: 'GetItem', status: 'OK' },
    { operation: 'GetOrder', status: 'UNIMPLEMENTED' },
  ]);
  expect(trial.changes).toEqual([expect.stringMatching(/^rpc: left out .*GetOrder: answered UNIMPLEMENTED$/)]);
  expect(text).toContain('grpc: shop.v1.Shop/GetItem');
  expect(text).not.toContain('grpc: shop.v1.Shop/GetOrder');
});

const STORE_PROTO = `syntax = "proto3";
package shop.v1;
message Key { int32 id = 1; }
message Order { int32 id = 1; string title = 2; }
message Draft { string title = 1; }
message Created { Order order = 1; }
service Shop { rpc GetOrder(Key) returns (Order); rpc CreateOrder(Draft) returns (Created); }
`;

const STORE = GRPC_SERVER.replace(
  /server\.addService.*\n/,
  `const orders = new Map();
server.addService(shop.v1.Shop.service, {
  GetOrder: ({ request: { id } }, end) => end(orders.has(id) ? null : { code: 5 }, orders.get(id)),
  CreateOrder: ({ request: { title } }, end) => end(null, { order: orders.set(7, { id: 7, title }).get(7) }),
});
`,
);

test('init creates what a gRPC service does not find, by a call of its contract', async () => {
  const files = { 'package.json': manifest('store'), 'server.js': STORE, 'proto/shop/v1/shop.proto': STORE_PROTO };
  const { trial, text } = await triedIn('store', files, 'process');

  expect(trial.services[0].operations).toMatchObject([{ operation: 'GetOrder', status: 'OK' }]);
  expect(trial.services[0]).not.toHaveProperty('methods');
  expect(trial.changes).toEqual([
    'store: prepare sends shop.v1.Shop/CreateOrder after each start, because GetOrder answered NOT_FOUND',
  ]);
  expect(text).toMatch(/message:\n +title: example\n +capture:\n +order_id: \$\.order\.id\n/);
  expect(text).toMatch(/- id: \$\{prepare\.order_id\}\n {4}grpc: shop\.v1\.Shop\/GetOrder/);
});

test.runIf(requires('docker'))('init builds an image and starts it in a container', async () => {
  writeImage({ write: (path, text) => project.write(`image/${path}`, text) });
  const { trial, stderr } = await triedIn('image', {}, 'docker');

  expect(stderr).toMatch(/ok {7}\S+: Index: GET \/: answered 200/);
  expect(trial).toMatchObject({ services: [{ operations: [{ status: '200' }] }], changes: [] });
});

test('init starts a program that ignores PORT', async () => {
  const server = SERVER.replace('process.env.PORT, process.env.HOST', "31873, '127.0.0.1'");
  const files = { 'package.json': manifest('fixed'), 'server.js': server, 'openapi.json': contract('/items') };
  const { trial, text } = await triedIn('fixed', files, 'process');

  expect(text).toMatch(/process:\n(?: {6}.*\n)* {6}port: 31873\n/);
  expect(trial.services[0].operations).toMatchObject([{ status: '200' }]);
});
