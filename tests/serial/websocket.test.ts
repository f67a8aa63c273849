import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseRun } from '../../src/model/run/run.ts';
import { makeProject, wiregauge } from '../integration/project.ts';
import { blocksOf } from '../support/docs-blocks.ts';

/**
 * The service of the guide. It greets, tells of events in between, and answers each call; once it was asked often enough, every twentieth
 * call ends its connection with 1011.
 */
const SERVER = `import { WebSocketServer } from '${pathToFileURL(resolve('node_modules/ws/wrapper.mjs'))}';
let asked = 0;
new WebSocketServer({ host: process.env.HOST, port: Number(process.env.PORT), path: '/rpc' }).on('connection', (socket) => {
  socket.send('{"event":"welcome"}');
  socket.on('message', (text) => {
    const { id, params } = JSON.parse(text);
    asked += 1;
    if (asked > 50 && asked % 20 === 0) return socket.close(1011, 'it is too much');
    socket.send('{"event":"asked"}');
    socket.send(JSON.stringify({ id, result: { id: params.id, name: 'an item' } }));
  });
});
`;

let project: ReturnType<typeof makeProject>;

beforeEach(() => {
  project = makeProject();
});
afterEach(() => project.remove());

test('the service of the guide is measured over WebSockets, and its closed connections are failures', async () => {
  const guide = blocksOf('docs/how-to/websocket.md').find(({ writes }) => writes === 'wiregauge.yml');
  project.write('wiregauge.yml', guide?.text ?? '');
  project.write('stock.mjs', SERVER);

  const argv = ['run', '--profile', 'smoke', '--mode', 'open', '--runtime', 'process'];
  const { stderr, stdout } = await wiregauge(argv, { cwd: project.root });

  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stdout).toContain('verified: stock answers 2 requests');
  const run = parseRun(readFileSync(join(project.root, 'out/run.json'), 'utf8'), 'run.json');
  const [sample] = run.samples;
  expect(run.services[0]?.protocol).toBe('websocket');
  expect(sample?.failures.map(({ kind }) => kind)).toEqual(['closed with 1011 (internal error) before the answer']);
  expect(sample?.values.errorRate).toBeGreaterThan(0.02);
  expect(sample?.values.errorRate).toBeLessThan(0.1);
});
