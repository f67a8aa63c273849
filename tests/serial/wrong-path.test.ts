import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gitIn } from '../integration/git-repository.ts';
import { wiregauge } from '../integration/project.ts';
import { expectRefusal } from '../integration/refusal.ts';

const PROJECT = `services:
  shop: { protocol: rest, port: 5000, process: { command: [node, shop.mjs] } }
operations:
  - { name: Order, rest: GET /order }
`;

/** Has routes as Express does, and answers them alone. */
const SERVER = `import { createServer } from 'node:http';
const paths = [];
const app = { get: (path) => paths.push(path) };
app.get('/orders', list);
app.get('/stock', list);
function list() {}
createServer(({ url }, response) => {
  response.statusCode = paths.includes(url) ? 200 : 404;
  response.setHeader('content-type', 'application/json').end('{}');
}).listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'wrong-path-'));
  writeFileSync(join(root, 'wiregauge.yml'), PROJECT);
  writeFileSync(join(root, 'shop.mjs'), SERVER);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test.each([
  ['run', '--profile', 'smoke'],
  ['saturate', '--step', '1s'],
])(
  'wiregauge %s distinguishes a service with the wrong path from one that is not ready, and names its routes',
  async (...argv) => {
    const end = await wiregauge([...argv, '--runtime', 'process'], { cwd: root });

    expectRefusal(
      end,
      /shop: is up at 127\.0\.0\.1:\d+, and answers 404 to GET \/order \(Order\)\n {2}The sources have routes for GET \/orders, GET \/stock\. Correct the path/,
    );
  },
);

/** Makes a repository of what there is, on `main`. */
function commitAll(): void {
  gitIn(root, 'init', '--quiet', '--initial-branch=main');
  gitIn(root, 'add', '--all');
  gitIn(root, 'commit', '--quiet', '--message=First');
}

test('wiregauge compare says which version has the wrong path, and names the routes of its own sources', async () => {
  writeFileSync(join(root, 'shop.mjs'), SERVER.replace('/orders', '/order'));
  commitAll();
  writeFileSync(join(root, 'shop.mjs'), SERVER);

  const end = await wiregauge(
    ['compare', '--base', 'main', '--profile', 'smoke', '--profiler', 'off', '--runtime', 'process'],
    { cwd: root },
  );

  const reported = end.stdout.replaceAll(/\s+/g, ' ');
  expect(reported).toMatch(
    /Failed in head only .*shop \(2 rounds failed: shop: is up at 127\.0\.0\.1:\d+, and answers 404 to GET \/order \(Order\) \(WG-307\)\)\. The sources have routes for GET \/orders, GET \/stock\. Correct the path/,
  );
  expect(end.exitCode).toBe(1);
});

test('wiregauge calibrate names the routes of a service with the wrong path, and does not ask for more time', async () => {
  commitAll();

  const end = await wiregauge(['calibrate', '--profile', 'smoke', '--runtime', 'process'], { cwd: root });

  expectRefusal(
    end,
    /shop: is up at 127\.0\.0\.1:\d+, and answers 404 to GET \/order \(Order\)\n {2}The sources have routes for GET \/orders, GET \/stock\. Correct the path/,
  );
});
