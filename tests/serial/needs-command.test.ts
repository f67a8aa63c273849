import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../src/host/machine/ports.ts';
import { parseRun } from '../../src/model/run/run.ts';
import { makeProject, wiregauge } from '../integration/project.ts';
import { expectRefusal } from '../integration/refusal.ts';

const QUICK = ['run', '--profile', 'smoke', '--runtime', 'process'];

// The service is what the store says; both leave their pids in a file, so that a test sees what is left of them.
const STORE = `
require('fs').appendFileSync('pids', process.pid + '\\n');
let requests = 0;
require('http').createServer((request, response) => {
  requests += 1;
  if (process.env.DIES && requests > 200) process.kill(process.pid, 'SIGKILL');
  response.end('{"name": "of the store"}');
}).listen(process.env.PORT, process.env.HOST);
`;
const SHOP = `
const { createServer, get, Agent } = require('http');
require('fs').appendFileSync('pids', process.pid + '\\n');
const agent = new Agent({ keepAlive: true });
createServer((request, response) => {
  get(process.env.STORE_URL, { agent }, (answer) => {
    response.setHeader('content-type', 'application/json');
    answer.pipe(response);
  }).on('error', () => response.destroy());
}).listen(process.env.PORT, process.env.HOST);
`;

const OPERATIONS = `operations:
  - { name: Get, rest: GET /item }
tiers:
  - { name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.1 }
saturation: { workers: 2 }
`;

/** A project whose service takes its answers from a store that has those keys besides. */
const needing = (keys: string) => `services:
  shop:
    protocol: rest
    port: 5000
    process: { command: [node, shop.cjs] }
    environment: { STORE_URL: "http://\${needs.store.host}:\${needs.store.port}/" }
    needs:
      store: { port: 6000, process: { command: [node, store.cjs] }, ${keys} }
${OPERATIONS}`;

let project: ReturnType<typeof makeProject>;

beforeEach(() => {
  project = makeProject();
  project.write('store.cjs', STORE);
  project.write('shop.cjs', SHOP);
  project.write('pids', '');
});

afterEach(() => {
  const pids = readFileSync(join(project.root, 'pids'), 'utf8').trim().split('\n');
  const left = readdirSync('/proc').filter((name) => pids.includes(name));
  project.remove();
  expect(left).toEqual([]);
});

const inProject = (argv: readonly string[]) => wiregauge(argv, { cwd: project.root });

const runIn = (folder: string) => parseRun(readFileSync(join(project.root, folder, 'run.json'), 'utf8'), 'run.json');

test('measures a service with its needs, and reports both', async () => {
  project.write('wiregauge.yml', needing('limits: { memoryMiB: 300 }'));

  const end = await inProject([...QUICK, '--mode', 'saturate', '--out', 'out']);

  expect(end).toMatchObject({ exitCode: 0 });
  const run = runIn('out');
  expect(run.services[0]?.needs).toEqual([
    { name: 'store', source: 'node store.cjs', fresh: 'slot', limits: { cpus: 1, memoryMiB: 300 } },
  ]);
  expect(run.services[0]?.environment['STORE_URL']).toContain('${needs.store.host}');
  const whole = run.samples.filter(({ cell }) => cell.operation === 'all');
  expect(whole).toHaveLength(1);
  for (const { host, values } of whole) {
    expect(host.needsCpuShare).toBeGreaterThan(0);
    expect(values.serviceCpuShare).toBeGreaterThan(0);
    expect(values.wireBytesPerRequest).toBeUndefined();
  }
  expect(readFileSync(join(project.root, 'out/report.md'), 'utf8')).toContain('needs store (node store.cjs)');
});

test('names the need that ended in mid-run', async () => {
  project.write('wiregauge.yml', needing('environment: { DIES: 1 }'));

  const end = await inProject([...QUICK, '--out', 'out']);

  expect(end.exitCode).toBe(2);
  expect(runIn('out').failures.map(({ message }) => message)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^store \(needed by shop\) exited under .*SIGKILL/)]),
  );
});

test.each([
  ['never gets ready', 'ready: { path: /, timeoutSeconds: 0.5 }', /store \(needed by shop\): not ready after 0.5 s/],
  ['ends at once', 'environment: { ENDS: 1 }', /store \(needed by shop\): ended before it was ready/],
])('measures nothing where a need %s', async (_what, keys, message) => {
  project.write('store.cjs', 'if (process.env.ENDS) process.exit(3);\nsetInterval(() => {}, 1000);\n');
  project.write('wiregauge.yml', needing(keys));

  expectRefusal(await inProject([...QUICK, '--out', 'out']), message);
});

test('refuses needs that need each other, before anything is started', async () => {
  project.write('wiregauge.yml', needing('needs: [store]'));

  expectRefusal(
    await inProject(QUICK),
    /wiregauge\.yml:8:\d+: services\.shop\.needs\.store\.needs: cannot be started.*: store -> store/,
  );
});

test('measures a service that already runs, and leaves it running', async () => {
  const port = await freePort();
  const env = { ...process.env, HOST: '127.0.0.1', PORT: String(port) };
  const program = spawn('node', ['server.mjs'], { cwd: project.root, env, stdio: 'ignore' });
  project.write('wiregauge.yml', `services:\n  shop: { protocol: rest, address: "127.0.0.1:${port}" }\n${OPERATIONS}`);

  try {
    const end = await inProject(['run', '--profile', 'smoke', '--mode', 'saturate', '--out', 'out']);

    expect(end).toMatchObject({ exitCode: 0 });
    expect(end.stdout).toContain('the services are already running');
    const run = runIn('out');
    expect(run).toMatchObject({ runtime: { name: 'process' }, services: [{ address: `127.0.0.1:${port}` }] });
    expect(run.samples[0]?.values.cpuMicrosPerRequest).toBeGreaterThan(0);
    expect(program.exitCode).toBeNull();
  } finally {
    program.kill('SIGKILL');
    await once(program, 'exit');
  }
});
