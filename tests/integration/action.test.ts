import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatRun, parseRun } from '../../src/model/run/run.ts';
import { BOT, WORKFLOW_TOKEN } from '../github-api/state.ts';
import { requires } from '../support/requires.ts';
import { zipOf } from '../support/zip.ts';
import { actPerTest, FIRST_STAGE_RUN, NUMBER, PATIENCE } from './act-bench.ts';
import type { ActJob } from './act-job.ts';
import { BASE_TURNS, server } from './compare-project.ts';

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
          suite: small
          runtime: process
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

const job = actPerTest(WORKFLOW.replace('PROFILE', '          profile: smoke'));

describe.runIf(requires('act'))('the action in a workflow', PATIENCE, () => {
  /** A commit on the topic whose requests cost so many turns. */
  function commitOf(turns: number): string {
    job.project.write('server.mjs', `${server(turns)}// ${job.project.git('rev-parse', 'HEAD')}\n`);
    job.project.git('commit', '--quiet', '--all', '--message=@everyone: <b>another</b> loop');
    return job.project.git('rev-parse', 'HEAD');
  }

  const keptRun = () => join(job.project.out, 'kept.json');

  const play = (event: string, payload: object, change: Partial<ActJob> = {}) =>
    job.play(event, payload, { environment: { KEPT_RUN: keptRun() }, ...change });

  test('a slowdown of a fork fails its job, whose token may only read; the second stage comments by the rules of the base, and refuses what is of another version', async () => {
    job.github.state.accounts.set(WORKFLOW_TOKEN, { ...BOT, access: 'read' });
    const head = commitOf(3 * BASE_TURNS);

    const first = await play('pull_request', job.pullRequest(head, 'two/service'));

    expect(first.log).toMatch(/later: outcome is regressed, regressions are \[\{"service":"good"/);
    expect(first.exitCode).not.toBe(0);
    expect(first.log).toContain('::error');
    expect(first.log).toMatch(/comment could not be written/i);
    expect(first.log).not.toContain(WORKFLOW_TOKEN);
    expect(job.github.state.comments).toEqual([]);
    // At the end of the step, and not again at the end of the job.
    expect(job.artifacts.asked.filter((one) => one === 'CreateArtifact')).toHaveLength(1);
    expect(job.left()).toEqual([]);

    job.github.state.accounts.set(WORKFLOW_TOKEN, BOT);
    const run = parseRun(readFileSync(keptRun(), 'utf8'), 'run.json');
    const lenient = { ...run.rounds?.policy, thresholds: [{ threshold: 9 }] };
    const forged = { ...run, rounds: { ...run.rounds, policy: lenient } } as typeof run;
    job.project.git('checkout', '--quiet', 'main');
    upload(head, formatRun(forged));
    const second = await play('workflow_run', job.finished(head));

    expect(second.log).toContain('comment created');
    expect(second.exitCode).toBe(0);
    expect(job.github.state.comments).toHaveLength(1);
    expect(job.github.state.comments[0]).toMatchObject({ issue: NUMBER, body: expect.stringMatching(/Regression: /) });
    expect(job.github.state.comments[0]?.body).not.toMatch(/@everyone|<b>/);

    job.github.state.permissions.set('ada', 'write');
    job.github.state.labels.set(NUMBER, ['wiregauge: accepted']);
    const labelled = { issue: NUMBER, event: 'labeled', label: 'wiregauge: accepted', actor: 'ada' } as const;
    job.github.state.events.push({ ...labelled, at: new Date(Date.now() + 1000).toISOString() });
    await play('workflow_run', job.finished(head));
    expect(job.github.state.comments[0]?.body).toMatch(/accepted by ada/);

    upload('f'.repeat(40), formatRun(forged));
    const replayed = await play('workflow_run', job.finished('f'.repeat(40)));
    expect(replayed.exitCode).not.toBe(0);
    expect(replayed.log).toMatch(/is of another version than ffffffffff/);
    expect(job.github.state.comments).toHaveLength(1);
    expect(job.left()).toEqual([]);
  });

  /** What the first stage of a fork left: an artifact, and a pull request whose head is that commit. */
  function upload(headSha: string, text: string): void {
    job.github.state.artifacts.splice(0);
    job.github.state.pulls.splice(0);
    job.github.state.artifacts.push({
      id: 500,
      runId: FIRST_STAGE_RUN,
      name: 'wiregauge',
      zip: zipOf([{ name: 'run.json', text }]),
    });
    job.github.state.pulls.push({
      number: NUMBER,
      state: 'open',
      head: 'two:topic',
      headRepository: 'two/service',
      headSha,
      baseSha: job.base,
    });
  }

  test('an input that is not known is named, with those that there are', async () => {
    job.project.write('.github/workflows/performance.yml', WORKFLOW.replace('PROFILE', '          profil: smoke'));
    job.project.git('commit', '--quiet', '--all', '--message=A mistake');

    const { exitCode, log } = await play('pull_request', job.pullRequest(job.project.git('rev-parse', 'HEAD')));

    expect(exitCode).not.toBe(0);
    expect(log).toMatch(/there is no input `profil`/);
    expect(log).toMatch(/Inputs: .*profile/);
    expect(log).not.toMatch(/\n\s+at /);
  });

  test('a job that is cancelled in mid-round leaves no process and no folder', async () => {
    let isSent = false;
    const { log } = await play('pull_request', job.pullRequest(commitOf(3 * BASE_TURNS)), {
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
