import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { action } from '../../src/commands/action/action.ts';
import { reportPending } from '../../src/commands/action/outcome.ts';
import { forkComment } from '../../src/commands/pull-request/fork-comment.ts';
import { formatRun, type RunInRounds } from '../../src/model/run/run.ts';
import { formatCause } from '../../src/report/comment/unjudged.ts';
import { type GitHubApi, startGitHubApi } from '../github-api/server.ts';
import { BOT, type StoredCheck, WORKFLOW_TOKEN } from '../github-api/state.ts';
import { type FakeWorkflowHost, fakeWorkflowHost } from '../support/fake-workflow-host.ts';
import { CONTEXT, committed, QUIET, quietComment } from '../support/sample-comment.ts';
import { REST_STARTS, SLOWER_STARTS, sampleCounts } from '../support/sample-counts.ts';
import { zipOf } from '../support/zip.ts';
import { artifactsPerTest } from './artifact-bench.ts';

const HEAD = 'c'.repeat(40);
const NUMBER = 12;
const bench = artifactsPerTest();
let api: GitHubApi;

beforeEach(async () => {
  api = await startGitHubApi();
  vi.stubEnv('GITHUB_API_URL', api.url);
  vi.stubEnv('GITHUB_TOKEN', WORKFLOW_TOKEN);
  const body = quietComment();
  api.state.comments.push({ id: 1, issue: NUMBER, author: BOT, createdAt: '2026-11-21T01:00:00Z', body });
});
afterEach(async () => {
  await api[Symbol.asyncDispose]();
});

const body = () => api.state.comments[0]?.body ?? '';

/** What a reader sees before anything is unfolded. */
const open = () => body().split('<details>')[0] ?? '';

const ofHead = (run: RunInRounds) => ({
  ...run,
  rounds: { ...run.rounds, head: { ...run.rounds.head, commit: HEAD } },
});

/** A check run of ours from before. */
const GREEN: Omit<StoredCheck, 'name' | 'headSha'> = {
  ...{ id: 1, status: 'completed', conclusion: 'success', externalId: 'wiregauge' },
  ...{ title: 'No regression', summary: '', annotations: [] },
};

interface Host extends FakeWorkflowHost {
  readonly summaries: readonly string[];
}

function pullRequestJob(inputs: Readonly<Record<string, string>>): Host {
  const repo = { full_name: 'one/service' };
  const summaries: string[] = [];
  return {
    ...fakeWorkflowHost({ token: WORKFLOW_TOKEN, 'comment-id': CONTEXT.id, ...inputs }),
    eventName: 'pull_request',
    payload: {
      pull_request: { number: NUMBER, base: { sha: 'b'.repeat(40), ref: 'main', repo }, head: { sha: HEAD, repo } },
    },
    temporaryFolder: bench.folder,
    summary: async (markdown) => void summaries.push(markdown),
    summaries,
  };
}

describe('a commit that cannot be judged', () => {
  test.each([
    ['nothing came of its jobs', { mode: 'comment', args: '--runs /nowhere/at-all' }, /nowhere\/at-all/],
    ['an input is none', { budget: 'little' }, /the input \\`budget\\` is "little"/],
    ['an input is unknown', { budgt: '5m' }, /there is no input \\`budgt\\`/],
  ])('takes the check mark of an earlier commit off the comment where %s', async (_case, inputs, cause) => {
    expect(open()).toContain('✅');
    const host = pullRequestJob(inputs as Record<string, string>);

    expect(await action(host)).toBe(2);

    expect(host.outputs.get('outcome')).toBe('incomplete');
    expect(host.outputs.get('exit-code')).toBe('2');
    expect(open()).not.toContain('✅');
    expect(open()).toContain('Commit ccccccc was not judged');
    expect(open()).toMatch(cause);
    expect(host.summaries.join('')).toMatch(cause);
    expect(api.state.comments).toHaveLength(1);
  });

  test('is reported in a new comment if there was none, and in a check run that fails', async () => {
    api.state.comments.splice(0);
    const host = pullRequestJob({ mode: 'comment', args: '--runs /nowhere/at-all', 'check-run': 'true' });

    expect(await action(host)).toBe(2);

    expect(open()).toContain('Commit ccccccc was not judged');
    expect(api.state.checks).toMatchObject([{ headSha: HEAD, conclusion: 'failure' }]);
    expect(api.state.checks[0]?.title).toMatch(/^Commit ccccccc was not judged: /);
  });

  test('leaves the comment alone where none is wanted', async () => {
    const before = body();

    await action(pullRequestJob({ mode: 'comment', args: '--runs /nowhere/at-all', comment: 'never' }));

    expect(body()).toBe(before);
  });

  test('says what GitHub refuses, and ends as it did', async () => {
    api.state.accounts.set(WORKFLOW_TOKEN, { ...BOT, access: 'read' });
    const host = pullRequestJob({ mode: 'comment', args: '--runs /nowhere/at-all' });

    expect(await action(host)).toBe(2);

    expect(host.annotations).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        message: expect.stringContaining('The comment could not be written'),
      }),
    );
    expect(host.outputs.get('outcome')).toBe('incomplete');
  });
});

describe('the folder of a step', () => {
  const before = process.cwd();

  test('is entered before anything is done', async () => {
    const enter = vi.spyOn(process, 'chdir').mockImplementation(() => undefined);
    const host = pullRequestJob({ mode: 'comment', args: '--runs /nowhere/at-all', directory: 'tests/parallel' });

    await action(host);

    expect(enter.mock.calls).toEqual([[join(before, 'tests/parallel')]]);
  });

  test('is refused outside of the checkout, and the pull request is notified', async () => {
    const enter = vi.spyOn(process, 'chdir').mockImplementation(() => undefined);
    const host = pullRequestJob({ mode: 'comment', args: '--runs /nowhere/at-all', directory: '../elsewhere' });

    expect(await action(host)).toBe(2);

    expect(enter).not.toHaveBeenCalled();
    expect(open()).toMatch(/was not judged: the input \\`directory\\` leads out of the checkout/);
  });
});

describe('the outcome of a step', () => {
  test('is the last that is written, also where the step ends otherwise than anybody thought', async () => {
    const host = {
      ...pullRequestJob({ mode: 'comment', args: '--runs /nowhere/at-all' }),
      summary: () => Promise.reject(new TypeError('never thought of')),
    };
    // As a build writes it that has found the file.
    host.output('outcome', 'passed');

    await expect(action(host)).rejects.toThrow('never thought of');

    expect(host.outputs.get('outcome')).toBe('incomplete');
  });

  test('is none if nothing is compared, even if a build wrote files', async () => {
    const host = { ...pullRequestJob({ args: 'shards plan', suite: 'nonesuch' }) };
    host.output('outcome', 'passed');

    expect(await action(host)).toBe(2);

    expect(host.outputs.get('outcome')).toBe('');
  });
});

describe('a commit that is about to be measured', () => {
  const event = {
    kind: 'pull-request',
    number: NUMBER,
    baseSha: '',
    baseRef: 'main',
    headSha: HEAD,
    isFork: false,
  } as const;

  test('is named above the results of an earlier one, however the job ends', async () => {
    await reportPending(pullRequestJob({}), { event, inputs: { token: WORKFLOW_TOKEN, 'comment-id': CONTEXT.id } });

    expect(open()).toMatch(/⏳ \*\*Commit ccccccc is not judged yet .*everything below is about commit 1df183b/);
  });

  test.each([
    ['creates a comment for counts that regressed', SLOWER_STARTS, 1],
    ['creates none for counts that did not', REST_STARTS, 0],
  ])('%s, while its rounds go on', async (_, head, comments) => {
    api.state.comments.length = 0;
    const inputs = { token: WORKFLOW_TOKEN, 'comment-id': CONTEXT.id };
    await reportPending(pullRequestJob({}), { event, inputs }, sampleCounts({ head }));

    expect(api.state.comments).toHaveLength(comments);
    expect(body()).toMatch(
      comments === 0 ? /^$/ : /not judged yet.*Rounds are still running\. rest: .*\(\+1\.4%\): regressed/,
    );
  });

  test('is not named by a shard, nor where no comment is wanted, nor by a token that may not write', async () => {
    const before = body();
    const inputs = { token: WORKFLOW_TOKEN, 'comment-id': CONTEXT.id };
    await reportPending(pullRequestJob({}), { event, inputs: { ...inputs, shard: { index: 1, of: 2 } } });
    await reportPending(pullRequestJob({}), { event, inputs: { ...inputs, comment: 'never' } });
    api.state.accounts.set(WORKFLOW_TOKEN, { ...BOT, access: 'read' });
    await reportPending(pullRequestJob({}), { event, inputs });

    expect(body()).toBe(before);
  });
});

describe('the second stage of a fork', () => {
  const flags = {
    ...{ repository: 'one/service', workflowRun: 4711, headSha: HEAD, artifact: 'wiregauge' },
    ...{ commentId: CONTEXT.id, runUrl: 'https://github.com/one/service/actions/runs/4711' },
    comment: 'auto' as const,
  };

  const pull = {
    number: NUMBER,
    state: 'open',
    head: 'two:topic',
    headRepository: 'two/service',
    headSha: HEAD,
    baseSha: 'a'.repeat(40),
  } as const;

  beforeEach(() => {
    api.state.pulls.push(pull);
  });

  function upload(text: string): void {
    api.state.artifacts.push({ id: 5, runId: 4711, name: 'wiregauge', zip: zipOf([{ name: 'run.json', text }]) });
  }

  test('says that an artifact is refused, and shows no figures of an earlier commit', async () => {
    upload('{"schema": 3, "wiregauge": "9.0.0", "x": "</details>@everyone"}');

    await expect(forkComment(flags)).rejects.toThrow(/has schema 3/);

    expect(open()).toMatch(/Commit ccccccc was not judged: .*has schema 3, written by Wiregauge 9\.0\.0/);
    expect(open()).not.toContain('✅');
    expect(body()).not.toContain('@everyone');
  });

  test.each([
    ['another branch of the fork', { head: 'two:other' }],
    ['another fork', { head: 'three:topic', headRepository: 'three/service' }],
    ['a branch of the repository', { head: 'one:topic', headRepository: 'one/service' }],
    ['a fork that is gone', { headRepository: undefined }],
  ])(
    'judges none of two pull requests with one head, also on %s: the check run is that of both',
    async (_what, other) => {
      upload(formatRun(ofHead(committed(QUIET))));
      api.state.pulls.push({ ...pull, ...(other as object), number: NUMBER + 1 });
      api.state.comments.push({
        id: 2,
        issue: NUMBER + 1,
        author: BOT,
        createdAt: '2026-11-21T01:00:00Z',
        body: body(),
      });
      const name = 'Wiregauge: job';
      api.state.checks.push({ ...GREEN, name, headSha: HEAD });

      await expect(forkComment({ ...flags, check: name })).rejects.toThrow(/#12 and #13 have the same head/);

      for (const { body: text } of api.state.comments) {
        expect(text.split('<details>')[0]).toMatch(/Commit ccccccc was not judged: .*have the same head/);
        expect(text.split('<details>')[0]).not.toContain('✅');
      }
      expect(api.state.checks).toMatchObject([{ headSha: HEAD, conclusion: 'failure' }]);
    },
  );

  test('judges the pull request of a fork that was deleted after its push', async () => {
    upload(formatRun(ofHead(committed(QUIET))));
    api.state.pulls.splice(0, 1, { ...pull, headRepository: undefined });

    expect(await forkComment(flags)).toEqual({ exitCode: 0, outcome: 'passed' });
    expect(body()).toContain('ccccccc');
  });

  test('writes the check run also if the comment is refused', async () => {
    upload(formatRun(ofHead(committed(QUIET))));
    api.fail('issues/list-comments', { kind: 'bad-gateway' }, 9);

    expect(await forkComment({ ...flags, check: 'Wiregauge' })).toEqual({ exitCode: 2, outcome: 'passed' });
    expect(api.state.checks).toMatchObject([{ headSha: HEAD, conclusion: 'success' }]);
  });

  test('calls no run green that leaves out what regressed', async () => {
    const lean = committed({ ...QUIET, services: ['grpc'] });
    upload(formatRun(ofHead(lean)));

    await expect(forkComment(flags)).rejects.toThrow(/lacks the service rest, which the default branch measures/);

    expect(open()).toMatch(/was not judged: .*lacks the service rest/);
    expect(open()).not.toContain('✅');
  });

  test('judges a run of the services that its own workflow names', async () => {
    const lean = committed({ ...QUIET, services: ['grpc'] });
    upload(formatRun(ofHead(lean)));

    expect(await forkComment({ ...flags, services: ['grpc'] })).toEqual({ exitCode: 0, outcome: 'passed' });
  });

  test('leaves no older verdict where something happens that should not', async () => {
    upload(formatRun(committed(QUIET)));
    // It is asked for the folder that the rules are read from.
    vi.spyOn(process, 'cwd').mockImplementationOnce(() => {
      throw new TypeError('never thought of');
    });

    await expect(forkComment(flags)).rejects.toThrow('never thought of');

    expect(open()).toMatch(/was not judged/);
    expect(open()).not.toContain('✅');
  });

  test.each(['failure', 'success'])(
    'says that nothing was measured, in the comment that there is, after a %s',
    async (conclusion) => {
      const end = await forkComment({ ...flags, conclusion }).catch((thrown: unknown) => thrown);

      expect(end).toMatchObject(conclusion === 'failure' ? { code: 'WG-507' } : { exitCode: 0, outcome: 'incomplete' });

      expect(open()).toMatch(/was not judged: its job measured nothing/);
      expect(open()).not.toContain('✅');
    },
  );

  test('shows the cause that the first stage left, as the text of a stranger', async () => {
    const cause = {
      cause: 'base (main, aaaaaaa): shop cannot be built: `make` ended with exit code 2',
      printed: 'panic: x\n````\n@everyone </details>',
    };
    const zip = zipOf([{ name: 'unjudged.json', text: formatCause({ head: undefined, ...cause }) }]);
    api.state.artifacts.push({ id: 5, runId: 4711, name: 'wiregauge', zip });

    const check = 'Wiregauge: job';
    await expect(forkComment({ ...flags, check, conclusion: 'failure' })).rejects.toMatchObject({ code: 'WG-507' });

    expect(api.state.checks).toMatchObject([{ name: check, conclusion: 'failure' }]);

    expect(open()).toMatch(/was not judged: base \(main, aaaaaaa\): shop cannot be built: .* exit code 2/);
    expect(body()).toContain('`````text\npanic: x\n````\n@everyone </details>\n`````\n');
  });

  test('makes a comment for that only where the job has failed: others may have had nothing to measure', async () => {
    api.state.comments.splice(0);

    await forkComment({ ...flags, conclusion: 'success' });
    expect(api.state.comments).toEqual([]);

    await expect(forkComment({ ...flags, conclusion: 'failure' })).rejects.toMatchObject({ code: 'WG-507' });
    expect(open()).toMatch(/was not judged/);
  });
});
