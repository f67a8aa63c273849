import { describe, expect, test } from 'vitest';
import { actPerTest } from '../integration/act-bench.ts';
import { BASE_TURNS, SMALL_SUITE, server } from '../integration/compare-project.ts';
import { requires } from '../support/requires.ts';

const WORKFLOW = `name: performance
on: [pull_request]
permissions: {}
jobs:
  performance:
    runs-on: ubuntu-24.04
    permissions: { contents: read, pull-requests: write }
    steps:
      - uses: actions/checkout@v5
        with: { fetch-depth: 0 }
      - uses: wiregauge/wiregauge@v1
        with: { suite: small, runtime: process, profile: smoke, comment: always, profiler: never }
`;

const job = actPerTest(WORKFLOW, (project) => project.write('suites/small.yml', SMALL_SUITE));

describe.runIf(requires('act'))('the action in a workflow', () => {
  test('leaves no process and no folder of a job that is cancelled in mid-round', async () => {
    job.project.write('server.mjs', `${server(BASE_TURNS)}// changed\n`);
    job.project.git('commit', '--quiet', '--all', '--message=A change');
    const head = job.project.git('rev-parse', 'HEAD');
    let isSent = false;

    const { log } = await job.play('pull_request', job.pullRequest(head), {
      onOutput: (output, signals) => {
        if (!isSent && /good round 1 of 8: kept/.test(output)) {
          isSent = true;
          signals.job('SIGINT');
        }
      },
    });

    expect(log).toMatch(/good round 1 of 8: kept/);
    expect(job.left()).toEqual([]);
  });
});
