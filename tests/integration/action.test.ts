import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseRun } from '../../src/model/run/run.ts';
import { WORKFLOW_TOKEN } from '../github-api/state.ts';
import { requires } from '../support/requires.ts';
import { actPerTest, NUMBER } from './act-bench.ts';
import { BASE_TURNS, SMALL_SUITE, server } from './compare-project.ts';

const WORKFLOW = `name: performance
on: [pull_request, workflow_run]
permissions: {}
jobs:
  performance:
    runs-on: ubuntu-24.04
    permissions: { contents: read, pull-requests: write }
    steps:
      - uses: actions/checkout@v5
        with: { fetch-depth: 0 }
      - uses: wiregauge/wiregauge@v1
        id: wiregauge
        with:
          directory: apps/api
          suite: small
          runtime: process
          profiler: never
PROFILE
      - if: always()
        env:
          OUTCOME: \${{ steps.wiregauge.outputs.outcome }}
          REGRESSIONS: \${{ steps.wiregauge.outputs.regressions }}
          RUN: \${{ steps.wiregauge.outputs.run }}
        run: |
          echo "later: outcome is $OUTCOME, regressions are $REGRESSIONS"
          if [ -n "$RUN" ]; then cp "$RUN" "$KEPT_RUN"; fi
`;

// By far more than noise.
const POLICY = 'policy: { thresholds: [{ threshold: 50% }] }\n';

// The service is in a folder of its repository; in the tests with the Docker engine it is the repository.
const job = actPerTest(
  WORKFLOW.replace('PROFILE', '          profile: smoke\n          comment: always'),
  ({ root, write, git }) => {
    write('suites/small.yml', `${SMALL_SUITE}${POLICY}`);
    mkdirSync(join(root, 'apps/api'), { recursive: true });
    git('mv', 'suites', 'services', 'server.mjs', 'apps/api');
  },
);

describe.runIf(requires('act'))('the action in a workflow', () => {
  /** A commit on the topic whose requests cost so many turns. */
  function commitOf(turns: number): string {
    job.project.write('apps/api/server.mjs', `${server(turns)}// ${job.project.git('rev-parse', 'HEAD')}\n`);
    job.project.git('commit', '--quiet', '--all', '--message=@everyone: <b>another</b> loop');
    return job.project.git('rev-parse', 'HEAD');
  }

  const keptRun = () => join(job.project.out, 'kept.json');

  const play = (event: string, payload: object) => job.play(event, payload, { environment: { KEPT_RUN: keptRun() } });

  test('a pull request that changes nothing passes, and its comment says what was compared', async () => {
    const head = commitOf(BASE_TURNS);

    const { exitCode, log } = await play('pull_request', job.pullRequest(head));

    expect(log).toMatch(/later: outcome is passed, regressions are \[\]/);
    expect(exitCode).toBe(0);
    expect(log).not.toContain(WORKFLOW_TOKEN);
    const { comments } = job.github.state;
    expect(comments).toMatchObject([{ issue: NUMBER, body: expect.not.stringMatching(/Regression: /) }]);
    expect(comments[0]?.body).toContain('[Report](https://github.com/one/service/actions/runs/77/artifacts/9001)');
    expect(comments[0]?.body).not.toMatch(/@everyone|<b>/);
    expect(job.artifacts.requested.filter((one) => one === 'CreateArtifact')).toHaveLength(1);
    expect(parseRun(readFileSync(keptRun(), 'utf8'), 'run.json').rounds).toMatchObject({
      base: { commit: job.base },
      head: { commit: head },
    });
    expect(job.left()).toEqual([]);
  });

  test('an input that is not known is named, with those that there are', async () => {
    job.project.write('.github/workflows/performance.yml', WORKFLOW.replace('PROFILE', '          profil: smoke'));
    job.project.git('commit', '--quiet', '--all', '--message=A mistake');

    const { exitCode, log } = await play('pull_request', job.pullRequest(job.project.git('rev-parse', 'HEAD')));

    expect(exitCode).not.toBe(0);
    expect(log).toMatch(/there is no input `profil`/);
    expect(log).toMatch(/Inputs: .*profile/);
    expect(log).not.toMatch(/\n\s+at /);
  });
});
