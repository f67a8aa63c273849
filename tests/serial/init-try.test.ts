import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeProject, wiregauge } from '../integration/project.ts';

const project = makeProject();
afterAll(() => project.remove());

const SERVER = `import { createServer } from 'node:http';
createServer(({ url }, response) => {
  response.writeHead(url === '/items' ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify({ url }));
}).listen(process.env.PORT, process.env.HOST);
`;

const CONTRACT = `openapi: 3.0.0
info: { title: shop, version: '1' }
paths:
  /items: { get: { operationId: Items, responses: { '200': { description: ok } } } }
  /orders: { get: { operationId: Orders, responses: { '200': { description: ok } } } }
`;

test('init --try starts what it proposes, and leaves out what is refused', async () => {
  project.write('shop/package.json', '{ "name": "shop", "type": "module", "scripts": { "start": "node server.js" } }');
  project.write('shop/server.js', SERVER);
  project.write('shop/openapi.yaml', CONTRACT);
  const folder = join(project.root, 'shop');

  const { exitCode, stdout, stderr } = await wiregauge(['init', '--yes', '--try', '--json'], { cwd: folder });

  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain('ok       shop: Items: GET /items: answered 200');
  expect(stderr).toContain('changed wiregauge.yml: shop: left out GET /orders: answered 401');
  const { files, trial } = JSON.parse(stdout);
  expect(trial).toMatchObject({
    services: [{ name: 'shop', operations: [{ status: '200' }, { status: '401', call: 'GET /orders' }] }],
    changes: ['shop: left out GET /orders: answered 401'],
  });
  const text = readFileSync(join(folder, 'wiregauge.yml'), 'utf8');
  expect(files['wiregauge.yml']).toBe(text);
  expect(text).toContain('rest: GET /items');
  expect(text).not.toContain('rest: GET /orders');
});
