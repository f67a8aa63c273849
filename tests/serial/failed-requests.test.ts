import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CompareProject, compareProject, SMALL_SUITE } from '../integration/compare-project.ts';
import { wiregauge } from '../integration/project.ts';

/** Answers the requests that verify it, and fails every so many of the others. */
const failing = (every: number, failure: string) => `import { createServer } from 'node:http';
let requests = 0;
createServer((request, response) => {
  requests += 1;
  if (requests > 2 && requests % ${every} === 0) ${failure};
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ path: request.url }));
}).listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
`;

const EVERY_20TH = failing(20, 'response.statusCode = 503');

const SUITE = SMALL_SUITE.replace(
  /^tiers:\n.*$/m,
  'tiers: [{ name: few, users: 2, requestsPerUser: 500, limitSeconds: 60 }]',
);

let project: CompareProject;

beforeAll(() => {
  project = compareProject();
});
afterAll(() => project.remove());

async function run(server: string, suite: string) {
  project.write('server.mjs', server);
  project.write('suites/small.yml', suite);
  project.git('commit', '--quiet', '--all', '--message=Fail');
  const { exitCode, stdout, stderr } = await wiregauge(
    ['run', '--suite', 'small', '--profile', 'smoke', '--mode', 'open', '--runtime', 'process'],
    { cwd: project.root },
  );
  return { exitCode, printed: stdout + stderr };
}

const updateBaseline = () => wiregauge(['baseline', 'update'], { cwd: project.root });

interface SegmentLine {
  readonly columns: number;
  readonly series?: readonly { readonly metric: string }[];
  readonly values?: readonly (number | null)[];
}

/** The metrics of the newest stored run. */
function storedMetrics(): readonly string[] {
  const folder = join(project.root, 'baselines/history');
  const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'));
  const lines = readFileSync(join(folder, index.segments.at(-1).file), 'utf8')
    .trim()
    .split('\n');
  const read = lines.map((line): SegmentLine => JSON.parse(line));
  const newest = read.at(-1);
  const { series = [] } = read.find((line) => line.series !== undefined && line.columns === newest?.columns) ?? {};
  return [...new Set(series.filter((_one, place) => newest?.values?.[place] !== null).map(({ metric }) => metric))];
}

test('a run in which every connection was closed fails, and nothing of it enters a history', async () => {
  const { exitCode, printed } = await run(failing(1, 'return request.socket.destroy()'), SUITE);
  const updated = await updateBaseline();

  expect(exitCode, printed).toBe(2);
  expect(printed).toContain('connection closed');
  expect(updated.exitCode).toBe(2);
  expect(updated.stderr).toContain('WG-407');
});

test('a run in which 5% of the requests failed exits 1, and only its error rate enters a history', async () => {
  const { exitCode, printed } = await run(EVERY_20TH, SUITE);
  const updated = await updateBaseline();

  expect(exitCode, printed).toBe(1);
  expect(printed).toMatch(/failed requests: small\/good\/all\/few [3-6](\.\d+)?%/);
  expect(updated.exitCode, updated.stderr).toBe(0);
  expect(storedMetrics()).toEqual(['errorRate']);
});

test('a budget for the error rate permits it', async () => {
  const { exitCode, printed } = await run(
    EVERY_20TH,
    `${SUITE}policy: { budgets: [{ metric: errors, atMost: 0.1 }] }\n`,
  );
  const updated = await updateBaseline();

  expect(exitCode, printed).toBe(0);
  expect(printed).not.toContain('failed requests:');
  expect(updated.exitCode, updated.stderr).toBe(0);
  expect(storedMetrics()).toContain('cpuMicrosPerRequest');
});
