import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatRun } from '../../src/model/run/run.ts';
import { type GitHubApi, startGitHubApi } from '../github-api/server.ts';
import { BOT, WORKFLOW_TOKEN } from '../github-api/state.ts';
import { HEAD, refusal, type Step, useStep } from '../integration/action-step.ts';
import { gitIn } from '../integration/git-repository.ts';
import { sampleRounds } from '../support/sample-rounds.ts';
import { zipOf } from '../support/zip.ts';

const bench = useStep();

/** The event of a workflow that has measured a pull request of a fork. */
const MEASURED = {
  workflow_run: {
    id: 4711,
    run_attempt: 1,
    event: 'pull_request',
    path: '.github/workflows/performance.yml',
    head_sha: HEAD,
    head_branch: 'topic',
    head_repository: { full_name: 'two/service', owner: { login: 'two' } },
  },
};

describe('a second stage', () => {
  let github: GitHubApi;
  beforeAll(async () => {
    github = await startGitHubApi();
  });
  afterAll(async () => await github[Symbol.asyncDispose]());
  beforeEach(() => {
    bench.project.write('suites/users.yml', readFileSync('suites/users.yml', 'utf8'));
    bench.project.write('services/users/services.yml', readFileSync('services/users/services.yml', 'utf8'));
    const run = sampleRounds({ rounds: 1 });
    const { rounds } = run;
    upload(formatRun({ ...run, rounds: { ...rounds, head: { ...rounds.head, commit: HEAD, dirty: false } } }));
    github.state.pulls.splice(0);
    github.state.pulls.push({
      number: 12,
      state: 'open',
      head: 'two:topic',
      headRepository: 'two/service',
      headSha: HEAD,
      baseSha: 'a'.repeat(40),
    });
  });

  function upload(text: string): void {
    github.state.artifacts.splice(0);
    github.state.artifacts.push({ id: 5, runId: 4711, name: 'wiregauge', zip: zipOf([{ name: 'run.json', text }]) });
  }

  const comment = async (token: string | undefined) =>
    await refusal(bench, {
      event: 'workflow_run',
      payload: MEASURED,
      inputs: token === undefined ? { comment: 'always' } : { token, comment: 'always' },
      environment: { GITHUB_API_URL: github.url },
    });

  test('without a token says how to give one', async () => {
    expect(await comment(undefined)).toMatch(
      /there is no token for GitHub[\s\S]*`with: \{ token: "\$\{\{ github\.token \}\}" \}`/,
    );
  });

  test('with a token that is not valid says how to give one', async () => {
    expect(await comment('expired')).toMatch(
      /HTTP 401, Bad credentials[\s\S]*`with: \{ token: "\$\{\{ github\.token \}\}" \}`/,
    );
  });

  test('with a token that may not write names the permissions', async () => {
    github.state.accounts.set('reader', { ...BOT, access: 'read' });

    expect(await comment('reader')).toMatch(
      /HTTP 403, Resource not accessible by integration[\s\S]*`permissions: \{ contents: read, pull-requests: write \}`/,
    );
  });

  test('whose first stage was of another version says so, and shows nothing else of the file', async () => {
    upload('{"schema":3,"wiregauge":"9.0.0","startedAt":"::error::x"}');

    const log = await comment(WORKFLOW_TOKEN);

    expect(log).toMatch(
      /has schema 3, written by Wiregauge 9\.0\.0, and this version reads schema 2[\s\S]*the same `uses: wiregauge\/wiregauge@<version>`/,
    );
    expect(log).not.toContain('::error::x');
  });
});

describe('a pull request in a checkout without its history', () => {
  const git = (...argv: string[]) => gitIn(bench.project.root, ...argv);

  function pullRequest(base: string, head: string): Step {
    const repo = { full_name: 'one/service' };
    return {
      event: 'pull_request',
      inputs: { runtime: 'process', profile: 'smoke' },
      payload: {
        number: 12,
        pull_request: { number: 12, base: { sha: base, ref: 'main', repo }, head: { sha: head, ref: 'topic', repo } },
      },
    };
  }

  test('that is shallow is refused with the command that fetches the rest', async () => {
    git('init', '--quiet', '--initial-branch=main');
    git('add', '--all');
    git('commit', '--quiet', '--message=First');
    const base = git('rev-parse', 'HEAD');
    git('commit', '--quiet', '--allow-empty', '--message=Second');
    const root = join(bench.folder, 'shallow');
    gitIn(bench.folder, 'clone', '--quiet', '--depth=1', `file://${bench.project.root}`, root);

    expect(await refusal(bench, { ...pullRequest(base, git('rev-parse', 'HEAD')), root })).toMatch(
      /the shallow clone in \S+ lacks "[0-9a-f]{40}"[\s\S]*`with: \{ fetch-depth: 0 \}` below `- uses: actions\/checkout@v7`/,
    );
  });

  test('that has no commit in common with its base is refused with advice to name another', async () => {
    git('init', '--quiet', '--initial-branch=main');
    git('add', '--all');
    git('commit', '--quiet', '--message=First');
    const base = git('rev-parse', 'HEAD');
    git('checkout', '--quiet', '--orphan', 'topic');
    git('commit', '--quiet', '--message=Another beginning');

    expect(await refusal(bench, pullRequest(base, git('rev-parse', 'HEAD')))).toMatch(
      /have no common commit in [\s\S]*`with: \{ args: --base <branch, tag or commit> \}`/,
    );
  });
});
