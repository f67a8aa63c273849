import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { RepositoryCopy } from '../support/repository-copy.ts';

/** Answers each POST of JSON with the same JSON. */
const SERVER = `import { createServer } from 'node:http';
createServer((request, answer) => {
  const isJson = request.method === 'POST' && request.headers['content-type'] === 'application/json';
  request.pipe(answer.writeHead(isJson ? 200 : 400, { 'content-type': 'application/json' }));
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const PROJECT = `name: pings
services:
  mine: { protocol: ping, port: 8080, process: { command: [node, server.mjs] } }
operations: [{ name: Ping, arguments: [{ id: 1 }, { id: two }], ping: /ping }]
tiers: [{ name: low, requestsPerSecond: 50 }, { name: full, users: 4, limitSeconds: 4 }]
`;

test('a protocol over HTTP that was just made is loaded at a rate and by users, without another line', () => {
  using copy = new RepositoryCopy();
  const made = copy.make('protocol', 'ping');
  expect(made.exitCode, made.printed).toBe(0);
  const project = join(copy.root, 'build/project');
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'wiregauge.yml'), PROJECT);
  writeFileSync(join(project, 'server.mjs'), SERVER);

  const command = '../../node_modules/.bin/tsx ../../src/cli.ts run --profile smoke --runtime process --mode open';
  const measured = copy.run('sh', '-c', `cd build/project && ${command}`);

  expect(measured.exitCode, measured.printed).toBe(0);
  const { protocol, samples, failures } = runIn(project);
  expect(protocol).toBe('ping');
  expect(failures).toEqual([]);
  expect(new Set(samples.map(({ cell }) => cell.tier))).toEqual(new Set(['low', 'full']));
  expect(samples.filter(({ values }) => values['errorRate'] !== 0)).toEqual([]);
});

/** What is read of a run here. This program does not know the protocol, and so refuses to read the run itself. */
const runSchema = z.object({
  services: z.array(z.object({ protocol: z.string() })),
  samples: z.array(z.object({ cell: z.object({ tier: z.string() }), values: z.record(z.string(), z.number()) })),
  failures: z.array(z.unknown()),
});

function runIn(project: string) {
  const { services, ...run } = runSchema.parse(JSON.parse(readFileSync(join(project, 'out/run.json'), 'utf8')));
  return { ...run, protocol: services[0]?.protocol };
}
