import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CompareProject, compareProject } from '../integration/compare-project.ts';
import { type CommandEnd, wiregauge } from '../integration/project.ts';

/** A server that keeps this many bytes of each request. */
const keeping = (bytes: number) => `import { createServer } from 'node:http';
const kept = [];
createServer((request, response) => {
  if (${bytes} > 0) kept.push(Buffer.alloc(${bytes}, 1));
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ path: request.url }));
}).listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
`;

const leaking = compareProject();
const steady = compareProject();
let [ofLeaking, ofSteady]: CommandEnd[] = [];

// At once, each with a lock of its own: they mostly wait.
beforeAll(async () => {
  [ofLeaking, ofSteady] = await Promise.all([soak(leaking, 10_000), soak(steady, 0)]);
});
afterAll(() => {
  leaking.remove();
  steady.remove();
});

async function soak({ root, write }: CompareProject, bytes: number): Promise<CommandEnd> {
  write('server.mjs', keeping(bytes));
  const argv = ['run', '--suite', 'small', '--runtime', 'process', '--for', '30s'];
  return await wiregauge(argv, { cwd: root, environment: { WIREGAUGE_LOCK: `soak-${bytes}` } });
}

const reportOf = ({ root }: CompareProject) => readFileSync(join(root, 'out/report.md'), 'utf8');

test('a service that keeps 1 MiB a second is found by a soak of 30 s', () => {
  const { exitCode, stdout, stderr } = ofLeaking ?? expect.fail('no soak');
  const printed = stdout + stderr;
  const run = JSON.parse(readFileSync(join(leaking.root, 'out/run.json'), 'utf8'));

  expect(exitCode, printed).toBe(1);
  expect(printed).toMatch(/plan: good; 1 tier; 1 fresh start; about/);
  expect(printed).toMatch(/memory grows: small\/good\/all\/low \+[\d.]+ MiB per minute \(95% interval \+[\d.]+ MiB to/);
  expect(reportOf(leaking)).toMatch(/The good service, memory \| \\\+[\d.]+\sMiB \| .* \| grows \|/);
  expect(reportOf(leaking)).toContain('p99 latency');
  expect(run.plan.profile.name).toBe('soak');
  expect(run.samples[0].series.memoryMiB.length).toBe(run.samples[0].series.second.length);
});

test('one that keeps nothing is not', () => {
  const { exitCode, stdout, stderr } = ofSteady ?? expect.fail('no soak');

  expect(exitCode, stdout + stderr).toBe(0);
  expect(stdout + stderr).not.toContain('memory grows');
  expect(reportOf(steady)).toContain('does not keep growing');
});
