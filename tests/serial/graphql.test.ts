import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseRun } from '../../src/model/run/run.ts';
import { makeProject, wiregauge } from '../integration/project.ts';

/** Answers each query; once it was asked often enough, every fifth answer has errors beside its data, with status 200. */
const SERVER = `import { createServer } from 'node:http';
let asked = 0;
createServer((request, answer) => {
  request.resume().on('end', () => {
    asked += 1;
    const errors = asked > 50 && asked % 5 === 0 ? [{ message: 'the cache is cold' }] : undefined;
    answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: { user: { id: 1 } }, errors }));
  });
}).listen(Number(process.env.PORT), process.env.HOST);
`;

const PROJECT = `services:
  users: { protocol: graphql, port: 8080, process: { command: [node, graphql.mjs] } }
operations:
  - { name: User, graphql: "query User($id: ID!) { user(id: $id) { id } }", arguments: [{ id: 1 }] }
tiers: [{ name: low, requestsPerSecond: 50 }]
`;

let project: ReturnType<typeof makeProject>;

beforeEach(() => {
  project = makeProject();
});
afterEach(() => project.remove());

test('an answer over GraphQL that has errors is a failure under load, at a fixed rate too', async () => {
  project.write('graphql.mjs', SERVER);
  project.write('wiregauge.yml', PROJECT);

  const argv = ['run', '--profile', 'smoke', '--mode', 'open', '--runtime', 'process'];
  const { stderr, stdout } = await wiregauge(argv, { cwd: project.root });

  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stdout).toContain('verified: users answers 1 request');
  const run = parseRun(readFileSync(join(project.root, 'out/run.json'), 'utf8'), 'run.json');
  const [sample] = run.samples;
  expect(run.services[0]?.protocol).toBe('graphql');
  expect(sample?.failures.map(({ kind }) => kind)).toEqual(['GraphQL errors']);
  expect(sample?.values.errorRate).toBeGreaterThan(0.1);
  expect(sample?.values.errorRate).toBeLessThan(0.3);
});
