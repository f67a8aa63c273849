import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatRun, parseRun } from '../../src/core/run.ts';
import { type ArtifactService, startArtifactService } from '../artifact-service.ts';
import { type GitHubApi, startGitHubApi } from '../github-api/server.ts';
import { BOT, WORKFLOW_TOKEN } from '../github-api/state.ts';
import { requires } from '../requires.ts';
import { zipOf } from '../zip.ts';
import { type ActEnd, type ActJob, act, publishedAction } from './act-job.ts';
import { BASE_TURNS, type CompareProject, compareProject, server } from './compare-project.ts';

const NUMBER = 12;

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

describe.runIf(requires('act'))('the action in a workflow', () => {
  let action: ReturnType<typeof publishedAction>;
  let project: CompareProject;
  let github: GitHubApi;
  let artifacts: ArtifactService;
  let base: string;

  beforeAll(() => {
    action = publishedAction();
  });
  afterAll(() => action.remove());

  beforeEach(async () => {
    github = await startGitHubApi();
    artifacts = await startArtifactService();
    project = compareProject();
    project.write('.github/workflows/performance.yml', WORKFLOW.replace('PROFILE', '          profile: smoke'));
    project.git('add', '--all');
    project.git('commit', '--quiet', '--message=A workflow');
    project.git('remote', 'add', 'origin', 'https://github.com/one/service.git');
    base = project.git('rev-parse', 'HEAD');
    project.git('checkout', '--quiet', '-b', 'topic');
  });
  afterEach(async () => {
    await github[Symbol.asyncDispose]();
    await artifacts[Symbol.asyncDispose]();
    project.remove();
  });

  /** A commit on the topic whose requests cost so many turns. */
  function commitOf(turns: number): string {
    project.write('server.mjs', `${server(turns)}// ${project.git('rev-parse', 'HEAD')}\n`);
    project.git('commit', '--quiet', '--all', '--message=@everyone: <b>another</b> loop');
    return project.git('rev-parse', 'HEAD');
  }

  const keptRun = () => join(project.out, 'kept.json');

  async function play(event: string, payload: object, change: Partial<ActJob> = {}): Promise<ActEnd> {
    return await act({
      root: project.root,
      action: action.folder,
      event,
      payload,
      token: WORKFLOW_TOKEN,
      environment: { ...artifacts.environment, GITHUB_API_URL: github.url, GITHUB_RUN_ID: '77', KEPT_RUN: keptRun() },
      ...change,
    });
  }

  function pullRequest(head: string, from = 'one/service'): object {
    const repo = { full_name: 'one/service' };
    return {
      number: NUMBER,
      pull_request: {
        number: NUMBER,
        base: { sha: base, ref: 'main', repo },
        head: { sha: head, ref: 'topic', repo: { full_name: from } },
      },
      repository: { full_name: 'one/service', default_branch: 'main' },
    };
  }

  test('finds a slowdown, comments and fails the job; the next push edits the comment and passes', async () => {
    const slower = await play('pull_request', pullRequest(commitOf(3 * BASE_TURNS)));

    expect(slower.log).toMatch(/later: outcome is regressed, regressions are \[\{"service":"good"/);
    expect(slower.exitCode).not.toBe(0);
    expect(slower.log).toContain('::error');
    expect(slower.log).not.toContain(WORKFLOW_TOKEN);
    const [comment] = github.state.comments;
    expect(github.state.comments).toHaveLength(1);
    expect(comment).toMatchObject({ issue: NUMBER, body: expect.stringMatching(/Regression: /) });
    expect(comment?.body).not.toMatch(/@everyone|<b>/);
    expect(comment?.body).toContain('[Full report](https://github.com/one/service/actions/runs/77/artifacts/9001)');
    // At the end of the step, and not again at the end of the job.
    expect(artifacts.asked.filter((one) => one === 'CreateArtifact')).toHaveLength(1);
    expect(project.left()).toEqual([]);

    const mended = await play('pull_request', pullRequest(commitOf(BASE_TURNS)));

    expect(mended.exitCode).toBe(0);
    expect(github.state.comments).toHaveLength(1);
    expect(github.state.comments[0]?.body).not.toBe(slower.log);
    expect(github.state.comments[0]?.body).toMatch(/Earlier results/);
    expect(github.state.comments[0]?.body.split('\n')[1]).not.toMatch(/Regression/);
  });

  test('a token that may only read is no failure, and the second stage comments by the rules of the base', async () => {
    github.state.accounts.set(WORKFLOW_TOKEN, { ...BOT, access: 'read' });
    const head = commitOf(3 * BASE_TURNS);

    const first = await play('pull_request', pullRequest(head, 'two/service'));

    expect(first.log).toMatch(/later: outcome is regressed/);
    expect(first.log).toMatch(/comment could not be written/i);
    expect(github.state.comments).toEqual([]);

    github.state.accounts.set(WORKFLOW_TOKEN, BOT);
    const run = parseRun(readFileSync(keptRun(), 'utf8'), 'run.json');
    const lenient = { ...run.rounds?.policy, thresholds: [{ threshold: 9 }] };
    const forged = { ...run, rounds: { ...run.rounds, policy: lenient } } as typeof run;
    project.git('checkout', '--quiet', 'main');
    upload(head, formatRun(forged));
    const second = await play('workflow_run', finished(head));

    expect(second.log).toContain('comment created');
    expect(second.exitCode).toBe(0);
    expect(github.state.comments).toHaveLength(1);
    expect(github.state.comments[0]).toMatchObject({ issue: NUMBER, body: expect.stringMatching(/Regression: /) });

    github.state.labels.set(NUMBER, ['wiregauge: accepted']);
    const labelled = { issue: NUMBER, event: 'labeled', label: 'wiregauge: accepted', actor: 'ada' } as const;
    github.state.events.push({ ...labelled, at: '2026-11-21T10:00:00Z' });
    await play('workflow_run', finished(head));
    expect(github.state.comments[0]?.body).toMatch(/accepted by ada/);

    upload('f'.repeat(40), formatRun(forged));
    const replayed = await play('workflow_run', finished('f'.repeat(40)));
    expect(replayed.exitCode).not.toBe(0);
    expect(replayed.log).toMatch(/is of another version than ffffffffff/);
    expect(github.state.comments).toHaveLength(1);
  });

  /** What the first stage of a fork left: an artifact, and a pull request whose head is that commit. */
  function upload(headSha: string, text: string): void {
    github.state.artifacts.splice(0);
    github.state.pulls.splice(0);
    github.state.artifacts.push({
      id: 500,
      runId: 4711,
      name: 'wiregauge',
      zip: zipOf([{ name: 'run.json', text }]),
    });
    github.state.pulls.push({ number: NUMBER, state: 'open', head: 'two:topic', headSha, baseSha: base });
  }

  function finished(headSha: string): object {
    const repository = { full_name: 'one/service', default_branch: 'main' };
    return {
      action: 'completed',
      workflow_run: {
        id: 4711,
        run_attempt: 1,
        event: 'pull_request',
        path: '.github/workflows/performance.yml',
        head_sha: headSha,
        head_branch: 'topic',
        head_repository: { full_name: 'two/service', owner: { login: 'two' } },
      },
      repository,
    };
  }

  test('an input that is not known is named, with those that there are', async () => {
    project.write('.github/workflows/performance.yml', WORKFLOW.replace('PROFILE', '          profil: smoke'));
    project.git('commit', '--quiet', '--all', '--message=A mistake');

    const { exitCode, log } = await play('pull_request', pullRequest(project.git('rev-parse', 'HEAD')));

    expect(exitCode).not.toBe(0);
    expect(log).toMatch(/there is no input `profil`/);
    expect(log).toMatch(/Inputs: .*profile/);
    expect(log).not.toMatch(/\n\s+at /);
  });

  test('a job that is cancelled in mid-round leaves no process and no worktree', async () => {
    let isSent = false;
    const { log } = await play('pull_request', pullRequest(commitOf(3 * BASE_TURNS)), {
      onOutput: (output, kill) => {
        if (!isSent && /good round 1 of 10: kept/.test(output)) {
          isSent = true;
          kill('SIGINT');
        }
      },
    });

    expect(log).toMatch(/good round 1 of 10: kept/);
    expect(project.left()).toEqual([]);
  });
});
