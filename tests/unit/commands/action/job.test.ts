import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stepInputs } from '../../../../src/commands/action/inputs.ts';
import { jobOf } from '../../../../src/commands/action/job.ts';
import type { GithubEvent } from '../../../../src/github/event.ts';

const PULL_REQUEST: GithubEvent = {
  kind: 'pull-request',
  number: 12,
  baseSha: 'a'.repeat(40),
  baseRef: 'main',
  headSha: 'b'.repeat(40),
  isFork: false,
};
const PUSH: GithubEvent = { kind: 'push', isDefaultBranch: true };

const HOST = {
  owner: 'one',
  repository: 'service',
  runId: 77,
  attempt: 1,
  job: 'performance',
  workflow: '.github/workflows/performance.yml',
  step: 'wiregauge',
  runUrl: (id: number) => `https://github.com/one/service/actions/runs/${id}`,
};

const job = (event: GithubEvent, given: Readonly<Record<string, string>> = {}, host: Partial<typeof HOST> = {}) =>
  jobOf({ event, inputs: stepInputs(new Map(Object.entries(given))), host: { ...HOST, ...host }, out: 'out' });

const flagsOf = (...step: Parameters<typeof job>): Readonly<Record<string, unknown>> => ({ ...job(...step).flags });

describe('jobOf', () => {
  test('obeys a comment, and a label that was just added', () => {
    const remark = { kind: 'remark', number: 12, commentId: 5, by: 'ada', body: '/wiregauge rerun' } as const;
    const labeled = { ...PULL_REQUEST, labeled: { name: 'wiregauge: accepted', by: 'ada' } };

    expect(flagsOf(remark)).toMatchObject({ number: 12, by: 'ada', comment: { id: 5, body: '/wiregauge rerun' } });
    expect(flagsOf(labeled, { args: 'github command' })).toMatchObject({
      number: 12,
      by: 'ada',
      label: 'wiregauge: accepted',
    });
    expect(() => job(PULL_REQUEST, { args: 'github command' })).toThrow(
      /neither a comment on a pull request nor a new label/,
    );
  });

  test('compares a group of a merge queue with its base, and accepts what the label of its pull request does', () => {
    const group = { kind: 'merge-group', number: 12, baseSha: 'a'.repeat(40), baseRef: 'main' } as const;
    const queued = { ...group, headSha: 'b'.repeat(40) };

    expect(job(queued, { token: 'secret' })).toMatchObject({
      mode: 'compare',
      flags: { base: queued.baseSha, baseBranch: 'main', head: queued.headSha, pullRequest: 'one/service#12' },
    });
    expect(flagsOf(queued, { args: 'compare --base v1' })).toMatchObject({ base: 'v1', head: queued.headSha });
    expect(flagsOf({ ...queued, number: undefined }, { token: 'secret' })['pullRequest']).toBeUndefined();
  });

  test('compares a pull request with where it parted from its base', () => {
    expect(job(PULL_REQUEST)).toMatchObject({
      mode: 'compare',
      flags: {
        base: 'a'.repeat(40),
        baseBranch: 'main',
        head: 'b'.repeat(40),
        out: 'out',
        profile: 'quick',
        against: 'history',
      },
    });
    expect(flagsOf(PULL_REQUEST)['failOn']).toBeUndefined();
  });

  test('measures some of the operations only in a comparison: a history is of all of them', () => {
    const given = { args: '--operations Get,List' };

    expect(flagsOf(PULL_REQUEST, given)['operations']).toEqual(['Get', 'List']);
    expect(flagsOf(PUSH, given)['operations']).toBeUndefined();
    expect(flagsOf(PUSH, { args: `compare --anchor ${given.args}` })['operations']).toBeUndefined();
  });

  test('hands inputs on as flags of the command', () => {
    const args = '--services rest --policy mine.yml';
    const given = { budget: '5m', args, profile: 'quick', 'fail-on': 'inconclusive' };
    expect(flagsOf(PULL_REQUEST, given)).toMatchObject({
      budget: 300,
      services: ['rest'],
      policy: 'mine.yml',
      profile: 'quick',
      failOn: 'inconclusive',
    });
  });

  test('profiles no code of a fork', () => {
    const fork: GithubEvent = { ...PULL_REQUEST, isFork: true };
    const profilers = (event: GithubEvent) =>
      [{}, { args: '--profiler auto' }, { args: '--profiler off' }].map((given) => flagsOf(event, given)['profiler']);
    expect(profilers(PULL_REQUEST)).toEqual(['auto', 'auto', 'off']);
    expect(profilers(fork)).toEqual(['off', 'off', 'off']);
  });

  test('takes a base that is given as it is, and other events need one to be compared', () => {
    expect(flagsOf(PULL_REQUEST, { args: '--base v1' })).toMatchObject({ base: 'v1' });
    expect(flagsOf(PULL_REQUEST, { args: '--base v1' })['baseBranch']).toBeUndefined();
    const flags = flagsOf(PUSH, { args: 'compare --base v1' });
    expect([flags['base'], flags['head'], flags['baseBranch']]).toEqual(['v1', undefined, undefined]);
    expect(() => job(PUSH, { mode: 'compare' })).toThrow(/there is nothing to compare with/);
  });

  test('a schedule and a start by hand are runs, which take no flags of a comparison', () => {
    for (const event of [{ kind: 'by-schedule' }, { kind: 'by-hand' }] as const) {
      const { mode, flags } = job(event, { budget: '5m', suite: 'users', profile: 'quick' });
      expect([mode, flags]).toMatchObject(['run', { suite: 'users', profile: 'quick', out: 'out' }]);
      expect(flags).toHaveProperty('budget', undefined);
      expect(flags).toHaveProperty('rounds', undefined);
    }
  });

  test('a run has the budget of a comparison only if it is asked for as a run', () => {
    expect(flagsOf(PUSH, { budget: '5m' })).toMatchObject({ budget: undefined });
    expect(flagsOf(PUSH, { budget: '5m', mode: 'run' })).toMatchObject({ budget: 300 });
    expect(flagsOf(PUSH, { budget: '5m', args: 'calibrate' })).toMatchObject({ budget: 300 });
    expect(flagsOf(PUSH, { args: 'calibrate --plant 5% --budget 5m' })).toMatchObject({
      budget: 300,
      plant: { cpu: 0.05 },
    });
  });

  test('a push is a run of as many rounds as a history needs, or as are asked for', () => {
    expect(job(PUSH)).toMatchObject({ mode: 'run', flags: { rounds: 3 } });
    expect(flagsOf(PUSH, { args: '--rounds 5' })).toMatchObject({ rounds: 5 });
    expect(flagsOf(PUSH, { args: 'compare --base v1' })).not.toHaveProperty('rounds');
  });

  test('refuses an event that there is nothing to do for', () => {
    expect(() => job({ kind: 'other', name: 'issues' })).toThrow(/the event "issues"/);
  });

  test('asks the label of a pull request only with a token, and not for one shard', () => {
    expect(flagsOf(PULL_REQUEST, { token: 'ghs_1' })['pullRequest']).toBe('one/service#12');
    expect(flagsOf(PULL_REQUEST)['pullRequest']).toBeUndefined();
    expect(flagsOf(PULL_REQUEST, { token: 'ghs_1', shard: '1/2' })['pullRequest']).toBeUndefined();
    expect(flagsOf(PULL_REQUEST, { token: 'ghs_1', mode: 'comment' })['pullRequest']).toBe('one/service#12');
  });

  test('draws a seed that is the same for the same attempt, and another for another attempt, job or shard', () => {
    const seed = (given = {}, host = {}) => flagsOf(PULL_REQUEST, given, host)['seed'];
    const seeds = [seed(), seed({}, { attempt: 2 }), seed({}, { job: 'other' }), seed({ shard: '1/2' })];

    expect(seed()).toBe(seeds[0]);
    expect(new Set(seeds).size).toBe(seeds.length);
  });

  const MEASURED: GithubEvent = {
    kind: 'workflow-run',
    runId: 78,
    event: 'pull_request',
    path: '.github/workflows/performance.yml@refs/heads/faster',
    headSha: 'b'.repeat(40),
  };

  test('what a workflow measured of a fork is commented on, by what GitHub says of it', () => {
    expect(job(MEASURED)).toEqual({
      mode: 'comment',
      flags: {
        repository: 'one/service',
        against: 'history',
        workflowRun: 78,
        headSha: 'b'.repeat(40),
        ran: { ended: '.github/workflows/performance.yml', required: '.github/workflows/performance.yml' },
        artifact: 'wiregauge',
        policy: undefined,
        comment: 'auto',
        commentId: 'performance',
        runUrl: 'https://github.com/one/service/actions/runs/78',
      },
    });
  });

  test('another event gives no comment', () => {
    expect(() => job({ ...MEASURED, event: 'push' })).toThrow(/no comment to write/);
    expect(() => job({ ...MEASURED, event: 'push' }, { mode: 'comment' })).toThrow(/no comment to write/);
  });

  test('builds nothing if a stranger may have chosen the code and a token may write', () => {
    const remark = { kind: 'remark', number: 12, commentId: 1, by: 'x', body: '' } as const;
    const target = { kind: 'other', name: 'pull_request_target' } as const;
    const others = ['discussion_comment', 'issues', 'watch', 'an_event_of_next_year'];
    const events = [
      ...[target, MEASURED, remark],
      ...others.map((name) => ({ kind: 'other', name }) as const),
      ...['pull_request_target', ...others].map((event) => ({ ...MEASURED, event })),
    ];
    for (const event of events) {
      for (const args of ['compare --base main', 'run', 'calibrate', 'calibrate --plant 5%', 'compare --anchor']) {
        expect(() => job(event, { args }), `${args} for ${event.kind}`).toThrow(
          /untrusted code with access to a write token/,
        );
      }
    }
    expect(() => job(target)).toThrow(/does not define what to measure/);
    expect(job({ ...MEASURED, event: 'push' }, { mode: 'run' }).mode).toBe('run');
    expect(job({ kind: 'other', name: 'release' }, { mode: 'run' }).mode).toBe('run');
    expect(job(target, { mode: 'comment' }).mode).toBe('merge');
  });

  test('a shard is a comparison that fails for nothing, unless that is asked for', () => {
    expect(flagsOf(PULL_REQUEST, { shard: '1/2' })).toMatchObject({ shard: { index: 1, of: 2 }, failOn: 'never' });
    expect(flagsOf(PULL_REQUEST, { shard: '1/2', 'fail-on': 'regression' })['failOn']).toBe('regression');
    expect(flagsOf(PULL_REQUEST)['failOn']).toBeUndefined();
  });

  test('plans and merges shards for any event', () => {
    expect(job(PUSH, { args: 'shards plan --shards 2 --runtime docker', suite: 'users' })).toMatchObject({
      mode: 'plan',
      flags: { suite: 'users', shards: 2, out: 'out' },
    });
    expect(job(PULL_REQUEST, { args: 'shards merge --runs shards', 'fail-on': 'never' })).toMatchObject({
      mode: 'merge',
      // Of the workspace, where download-artifact puts them.
      flags: { runs: resolve('shards'), failOn: 'never', allowLost: true, judge: true, out: 'out/run.json' },
    });
  });
});

describe('jobOf with `compare --anchor`', () => {
  test('compares what was pushed with the anchor, even if the checkout has other files', () => {
    expect(job(PUSH, { args: 'compare --anchor' })).toMatchObject({
      mode: 'anchor',
      flags: { anchor: true, head: 'HEAD' },
    });
  });
});

describe('jobOf with `against`', () => {
  test('looks into the files of the checkout only if it is asked to', () => {
    expect(flagsOf(PULL_REQUEST)['against']).toBe('history');
    expect(flagsOf(PULL_REQUEST, { args: '--against history:baselines' })).toMatchObject({
      against: 'history',
      baseline: 'history:baselines',
    });
    expect(flagsOf(PULL_REQUEST, { args: '--against none' })['against']).toBe('none');
  });
});
