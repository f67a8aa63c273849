import { describe, expect, test } from 'vitest';
import { type CommandFlags, runCommentCommand } from '../../src/commands/pull-request/command.ts';
import { labeled } from '../../src/commands/pull-request/label.ts';
import { judgingPolicy } from '../../src/judge/verdict/base-policy.ts';
import { type JudgedRun, judgedRun } from '../../src/judge/verdict/judge.ts';
import { changedPolicy } from '../../src/model/policy.ts';
import { formatRun, parseRun, type RunInRounds } from '../../src/model/run/run.ts';
import { comparisonComment } from '../../src/report/comment/comment.ts';
import { resultsIn } from '../../src/report/comment/state.ts';
import { WORKFLOW_TOKEN } from '../github-api/state.ts';
import { remembered } from '../support/remembered.ts';
import { CONTEXT } from '../support/sample-comment.ts';
import { sampleRounds } from '../support/sample-rounds.ts';
import { githubPerTest, PULL, stored } from './github-bench.ts';

const bench = githubPerTest();
const SEEN = 'a'.repeat(40);
const LATER = 'b'.repeat(40);
const LABEL = 'wiregauge: accepted';
const SHOWN_AT = '2026-11-21T10:00:00.500Z';
const AFTER = '2026-11-21T10:30:00Z';

function slower(by: number, commit: string): RunInRounds {
  const worse = [{ service: 'rest' as const, tier: 'saturation', metric: 'cpuMicrosPerRequest' as const, by }];
  const run = sampleRounds({ noise: 0.3, rounds: 8, worse });
  return { ...run, rounds: { ...run.rounds, head: { ...run.rounds.head, commit, dirty: false } } };
}

const judgedSlower = remembered((by: number, commit: string) => judgedRun(slower(by, commit)));

/** What our comment shows of a commit that is 8% slower. */
function show(id = 'job', changes: { readonly at?: string; readonly body?: string } = {}): string {
  const { run, result } = judgedSlower(0.08, SEEN);
  const earlier = changes.body === undefined ? [] : resultsIn(changes.body);
  return comparisonComment(run, result, { ...CONTEXT, id, head: SEEN, shownAt: changes.at ?? SHOWN_AT, earlier });
}

function label(by: string, at = AFTER): void {
  bench.api.state.labels.set(PULL, [LABEL]);
  bench.api.state.events.push({ issue: PULL, event: 'labeled', label: LABEL, actor: by, at });
}

function remark(login: string, body: string, createdAt = AFTER, association = login === 'ada' ? 'MEMBER' : 'NONE') {
  const { comments } = bench.api.state;
  comments.push({ ...stored(5 + comments.length, body, { login, type: 'User' }), createdAt, association });
}

const judge = async (by: number, commit = SEEN) =>
  await labeled(bench.github(), { number: PULL, commentId: 'job' }, judgedSlower(by, commit));

describe('the label', () => {
  test('accepts for a later commit what its comment showed, and is red again for what is slower', async () => {
    bench.api.state.permissions.set('ada', 'write');
    bench.api.state.comments.push(stored(1, show()));
    label('ada');

    expect((await judge(0.08)).result.outcome).toBe('passed');
    expect((await judge(0.08, LATER)).result.outcome).toBe('passed');
    const { result } = await judge(0.16, LATER);
    expect(result.outcome).toBe('regressed');
    expect(result.notes[0]).toMatch(/accepts what was reported for commit aaaaaaa; 1 more regressed, or by more/);
  });

  test.each([['read'], ['none'], ['triage']])(
    'of someone whose permission is %s accepts nothing',
    async (permission) => {
      bench.api.state.permissions.set('mallory', permission);
      bench.api.state.comments.push(stored(1, show()));
      label('mallory');

      const { result } = await judge(0.08);

      expect(result.outcome).toBe('regressed');
      expect(result.notes[0]).toMatch(/accepts nothing: mallory has no write access/);
    },
  );

  test.each([['admin'], ['maintain'], ['write']])('of someone whose permission is %s counts', async (permission) => {
    bench.api.state.permissions.set('ada', permission);
    bench.api.state.comments.push(stored(1, show()));
    label('ada');

    expect((await judge(0.08)).result.outcome).toBe('passed');
  });

  test('that was added by an unknown user accepts nothing, and the comment says so', async () => {
    bench.api.state.labels.set(PULL, [LABEL]);

    const { result } = await judge(0.08);

    expect(result.outcome).toBe('regressed');
    const { run } = judgedSlower(0.08, SEEN);
    expect(comparisonComment(run, result, CONTEXT)).toMatch(/no event shows who added it/);
  });

  test('that was set before anything was shown accepts nothing', async () => {
    bench.api.state.permissions.set('ada', 'write');
    bench.api.state.comments.push(stored(1, show()));
    label('ada', '2026-11-21T09:59:59Z');

    const { result } = await judge(0.08);

    expect(result.outcome).toBe('regressed');
    expect(result.notes[0]).toMatch(/when ada set it, no comment had reported the regressions yet/);
  });

  test('is about what was shown first, however often the same is shown again', async () => {
    bench.api.state.permissions.set('ada', 'write');
    const again = show('job', { at: '2026-11-21T11:00:00Z', body: show() });
    bench.api.state.comments.push(stored(1, again));
    label('ada');

    expect((await judge(0.08)).result.outcome).toBe('passed');
  });

  test('does not accept a larger regression that the same measurement shows later', async () => {
    bench.api.state.permissions.set('ada', 'write');
    const { run, result } = judgedSlower(0.4, SEEN);
    const earlier = resultsIn(show());
    const shownAt = '2026-11-21T11:00:00Z';
    const larger = comparisonComment(run, result, { ...CONTEXT, id: 'job', head: SEEN, shownAt, earlier });
    bench.api.state.comments.push(stored(1, larger));
    label('ada');

    expect((await judge(0.4)).result.outcome).toBe('regressed');
    expect((await judge(0.08)).result.outcome).toBe('passed');
  });

  test('is read by a job that does not comment from the comment of the one that does', async () => {
    bench.api.state.permissions.set('ada', 'write');
    bench.api.state.comments.push(stored(1, show('second-stage')));
    label('ada');

    expect((await judge(0.08)).result.outcome).toBe('passed');
  });

  test('ignores comments of other users, even with a valid command', async () => {
    bench.api.state.permissions.set('ada', 'write');
    remark('mallory', show());
    label('ada');

    expect((await judge(0.08)).result.outcome).toBe('regressed');
  });
});

describe('the comment /wiregauge accept', () => {
  test('of someone who may write accepts regressions up to its size, and nothing beyond it', async () => {
    bench.api.state.permissions.set('ada', 'write');
    bench.api.state.comments.push(stored(1, show()));
    remark('ada', '/wiregauge accept 10%\nSigned answers cost that much.');

    const { run, result } = await judge(0.08, LATER);
    expect(result.outcome).toBe('passed');
    expect(run.rounds.policy.accepted[0]).toMatchObject({ by: 'ada', at: AFTER });
    expect((await judge(0.16, LATER)).result.outcome).toBe('regressed');
  });

  test('counts in its newest form', async () => {
    bench.api.state.permissions.set('ada', 'write');
    bench.api.state.comments.push(stored(1, show()));
    remark('ada', '/wiregauge accept 20%', '2026-11-21T10:10:00Z');
    remark('ada', '/wiregauge accept 5%', '2026-11-21T11:00:00Z');

    expect((await judge(0.08)).result.outcome).toBe('regressed');
  });

  test('of everybody else is passed over, however many there are', async () => {
    bench.api.state.permissions.set('ada', 'write');
    bench.api.state.comments.push(stored(1, show()));
    remark('ada', '/wiregauge accept 10%', AFTER);
    for (const place of Array.from({ length: 25 }, (_, index) => index)) {
      remark(`stranger-${place}`, '/wiregauge accept 99%', '2026-11-21T12:00:00Z');
    }

    expect((await judge(0.08)).result.outcome).toBe('passed');
    expect((await judge(0.3)).result.outcome).toBe('regressed');
  });

  test('counts behind those of any number of members without write access', async () => {
    bench.api.state.permissions.set('ada', 'write');
    bench.api.state.comments.push(stored(1, show()));
    remark('ada', '/wiregauge accept 10%', AFTER);
    for (const place of Array.from({ length: 25 }, (_, index) => index)) {
      remark(`member-${place}`, '/wiregauge accept 99%', '2026-11-21T12:00:00Z', 'MEMBER');
    }

    expect((await judge(0.08)).result.outcome).toBe('passed');
    expect((await judge(0.3)).result.outcome).toBe('regressed');
  });

  test('accepts nothing that no comment had shown by then, of any size', async () => {
    bench.api.state.permissions.set('ada', 'write');
    remark('ada', '/wiregauge accept 50%', '2026-11-21T09:00:00Z');
    bench.api.state.comments.push(stored(1, show()));

    const { result } = await judge(0.4, LATER);
    expect(result.outcome).toBe('regressed');
    expect(result.notes[0]).toMatch(/accept 50%" accepts nothing: when ada set it, no comment had reported/);
  });

  test('accepts no more than what was shown, for any size', async () => {
    bench.api.state.permissions.set('ada', 'write');
    bench.api.state.comments.push(stored(1, show()));
    remark('ada', '/wiregauge accept 50%');

    expect((await judge(0.08, LATER)).result.outcome).toBe('passed');
    expect((await judge(0.4, LATER)).result.outcome).toBe('regressed');
  });

  test('is not asked for where nothing regressed', async () => {
    expect((await judge(0)).result.outcome).not.toBe('regressed');
    expect(bench.api.requested).toEqual([]);
  });
});

describe('the policy that the head loosens', () => {
  /** 8% slower, within the head's limit of 50% and beyond the base's of 3%. */
  function loosened(threshold = 0.5): JudgedRun {
    const run = slower(0.08, SEEN);
    const head = changedPolicy(run.rounds.policy, { thresholds: [{ threshold }] });
    const suite = { ...run.suite, services: run.services.map(({ name }) => name) };
    return judgedRun({ ...run, rounds: { ...run.rounds, ...judgingPolicy(run.rounds.policy, head, suite) } });
  }
  const judgeLoosened = async (threshold?: number) =>
    await labeled(bench.github(), { number: PULL, commentId: 'job' }, loosened(threshold));
  const comment = ({ run, result }: JudgedRun) =>
    comparisonComment(run, result, { ...CONTEXT, id: 'job', head: SEEN, shownAt: SHOWN_AT, earlier: [] });

  test('applies at once by the command of a user who may write, once the comment has shown it', async () => {
    bench.api.state.permissions.set('ada', 'write');
    const body = comment(loosened());
    bench.api.state.comments.push(stored(1, body));
    remark('ada', '/wiregauge accept policy');

    const accepted = await judgeLoosened();

    expect(body).toContain('To apply the changed policy now: comment `/wiregauge accept policy`');
    expect(accepted.result.outcome).toBe('passed');
    expect(comment(accepted)).toMatch(/ada applied it by the comment "\/wiregauge accept policy"/);
    expect(comment(accepted)).not.toContain('To apply the changed policy');
    // As the job judges again that put it there, too.
    expect(judgedRun(parseRun(formatRun(accepted.run), 'run.json') as RunInRounds)).toEqual(accepted);
    bench.api.state.comments[0] = stored(1, comment(accepted));
    expect((await judgeLoosened()).result.outcome).toBe('passed');
  });

  test.each([
    ['of an account that may only read', 'read', '/wiregauge accept policy', AFTER],
    ['written before the comment showed it', 'write', '/wiregauge accept policy', '2026-11-21T09:59:59Z'],
    ['of a size that the regression exceeds', 'write', '/wiregauge accept 2%', AFTER],
  ])('waits for the merge with a command %s', async (_, permission, body, at) => {
    bench.api.state.permissions.set('ada', permission);
    bench.api.state.comments.push(stored(1, comment(loosened())));
    remark('ada', body, at);

    expect((await judgeLoosened()).result.outcome).toBe('regressed');
  });

  test('waits for the merge if a later push loosens it further than was shown', async () => {
    bench.api.state.permissions.set('ada', 'write');
    bench.api.state.comments.push(stored(1, comment(loosened())));
    remark('ada', '/wiregauge accept policy');

    expect((await judgeLoosened(9)).result.outcome).toBe('regressed');
  });
});

describe('a command', () => {
  const workflow = '.github/workflows/performance.yml';
  const lines: string[] = [];

  async function obey(body: string, by = 'ada'): Promise<void> {
    await requested({ by, comment: { id: 5, body } });
  }

  async function requested(of: Pick<CommandFlags, 'by' | 'comment' | 'label'>): Promise<void> {
    lines.length = 0;
    process.env['GITHUB_API_URL'] = bench.api.url;
    process.env['GITHUB_TOKEN'] = WORKFLOW_TOKEN;
    const flags = { repository: 'owner/repository', number: PULL, workflow, ...of };
    await runCommentCommand(flags, (line) => lines.push(line));
  }

  function pull(status: string, conclusion = 'failure'): void {
    const { state } = bench.api;
    state.permissions.set('ada', 'write');
    remark('ada', '/wiregauge rerun');
    const headRepository = 'two/repository';
    state.pulls.push({ number: PULL, state: 'open', head: 'two:topic', headRepository, headSha: SEEN, baseSha: LATER });
    const run = { workflow: 'performance.yml', event: 'pull_request', status, conclusion };
    state.runs.push(
      { ...run, id: 70, headSha: LATER },
      { ...run, id: 71, headSha: SEEN },
      { ...run, id: 72, headSha: SEEN },
      // Of other pull requests with the same head.
      { ...run, id: 73, headSha: SEEN, headRef: 'other' },
      { ...run, id: 74, headSha: SEEN, headRepository: 'three/repository' },
    );
  }

  /** The lines that answer commands. */
  const answers = () => bench.api.state.comments.filter(({ author }) => author.type === 'Bot').map(({ body }) => body);

  /** What the measuring job of the newest run uploaded for the job that judges. */
  function measured(): void {
    bench.api.state.artifacts.push({ id: 9, runId: 72, name: 'wiregauge-measured', zip: new Uint8Array() });
  }

  test.each(['/wiregauge rerun', '/wiregauge accept 8%'])('%s measures the newest commit again', async (body) => {
    pull('completed');

    await obey(body);

    expect(bench.api.state.rerun).toEqual([72]);
    expect(bench.api.state.reactions).toEqual(['5 rocket']);
    expect(answers()).toEqual([expect.stringMatching(/^Measuring again: \[workflow run\]\(https:.*\/72\)\.$/)]);
  });

  test('to accept judges what was measured again, if that is a job of its own', async () => {
    pull('completed');
    measured();

    await obey('/wiregauge accept 8%');

    expect([bench.api.state.rerunFailed, bench.api.state.rerun]).toEqual([[72], []]);
    expect(answers()).toEqual([expect.stringMatching(/^Judging the same measurement again.*\/72\)\.$/)]);
    await obey('/wiregauge rerun');
    expect(bench.api.state.rerun).toEqual([72]);
  });

  test('to accept starts nothing after a run that has passed', async () => {
    pull('completed', 'success');
    measured();

    await obey('/wiregauge accept 8%');

    expect([bench.api.state.rerunFailed, bench.api.state.rerun]).toEqual([[], []]);
    expect(answers()).toEqual([expect.stringMatching(/nothing to accept/)]);
  });

  test('may be the label, which is not answered, and any other label is none', async () => {
    pull('completed');
    measured();

    await requested({ by: 'ada', label: 'bug' });
    expect(bench.api.requested).toEqual([]);
    await requested({ by: 'mallory', label: LABEL });
    expect(bench.api.state.rerunFailed).toEqual([]);
    await requested({ by: 'ada', label: LABEL });
    expect(bench.api.state.rerunFailed).toEqual([72]);
    expect(answers()).toEqual([]);

    bench.api.state.runs.splice(0);
    await requested({ by: 'ada', label: LABEL });
    expect(lines.join()).toMatch(/nothing was started: performance\.yml has no run/);
  });

  test('leaves a run alone that has not ended, since it reads the comment', async () => {
    pull('in_progress');

    await obey('/wiregauge accept 8%');

    expect(bench.api.state.rerun).toEqual([]);
    expect(bench.api.state.reactions).toEqual(['5 eyes']);
  });

  test('of a stranger starts nothing', async () => {
    pull('completed');

    await obey('/wiregauge rerun', 'mallory');

    expect(bench.api.state.rerun).toEqual([]);
    expect(lines.join()).toMatch(/mallory has no write access to owner\/repository/);
  });

  test('that is none asks for nothing', async () => {
    await obey('Please do not write /wiregauge rerun');
    expect(bench.api.requested).toEqual([]);
  });

  test('for a commit that was never measured says what to do', async () => {
    pull('completed');
    bench.api.state.runs.splice(0);

    await expect(obey('/wiregauge rerun')).rejects.toMatchObject({
      message: expect.stringContaining('performance.yml has no run for commit aaaaaaa'),
      next: expect.stringContaining('Push a commit'),
    });
    expect(answers()).toEqual([
      expect.stringMatching(/^Nothing was started: performance\.yml has no run .*Push a commit/),
    ]);
  });
});
