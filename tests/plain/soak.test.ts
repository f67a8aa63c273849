import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CompareProject, compareProject } from '../integration/compare-project.ts';
import { wiregauge } from '../integration/project.ts';

/** A server that keeps this many bytes of each request. */
const keeping = (bytes: number) => `import { createServer } from 'node:http';
const kept = [];
createServer((request, response) => {
  if (${bytes} > 0) kept.push(Buffer.alloc(${bytes}, 1));
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ path: request.url }));
}).listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
`;

let project: CompareProject;

beforeAll(() => {
  project = compareProject();
});
afterAll(() => project.remove());

async function soak(bytes: number) {
  project.write('server.mjs', keeping(bytes));
  const argv = ['run', '--suite', 'small', '--runtime', 'process', '--for', '30s'];
  const { exitCode, stdout, stderr } = await wiregauge(argv, { cwd: project.root });
  const report = readFileSync(join(project.root, 'out/report.md'), 'utf8');
  const run = JSON.parse(readFileSync(join(project.root, 'out/run.json'), 'utf8'));
  return { exitCode, printed: stdout + stderr, report, run };
}

test('a service that keeps 1 MiB a second is found by a soak of 30 s', async () => {
  const { exitCode, printed, report, run } = await soak(10_000);

  expect(exitCode, printed).toBe(1);
  expect(printed).toMatch(/plan: good; 1 tier; 1 fresh start; about/);
  expect(printed).toMatch(/memory grows: small\/good\/all\/low \+[\d.]+ MiB per minute \(95% interval \+[\d.]+ MiB to/);
  expect(report).toMatch(/The good service, memory \| \\\+[\d.]+\sMiB \| .* \| grows \|/);
  expect(report).toContain('p99 latency');
  expect(run.plan.profile.name).toBe('soak');
  expect(run.samples[0].series.memoryMiB.length).toBe(run.samples[0].series.second.length);
});

test('one that keeps nothing is not', async () => {
  const { exitCode, printed, report } = await soak(0);

  expect(exitCode, printed).toBe(0);
  expect(printed).not.toContain('memory grows');
  expect(report).toContain('does not keep growing');
});
