import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { comparedOf } from '../../../../src/judge/verdict/compared.ts';
import { isRegression } from '../../../../src/judge/verdict/finding.ts';
import { judgeComparison, judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY, type Policy } from '../../../../src/model/policy.ts';
import { mergeRuns } from '../../../../src/model/run/merge.ts';
import type { RunFile, RunInRounds } from '../../../../src/model/run/run.ts';
import { notesOf } from '../../../../src/report/views/notes.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { type SampleShard, sampleShard, THREE, threeShards } from '../../../support/sample-shards.ts';

const merged = (files: readonly RunFile[]) => mergeRuns(files as [RunFile, ...RunFile[]]) as RunInRounds;
const mergedOf = (...changes: readonly Partial<SampleShard>[]) => merged(threeShards(changes));
const SLOWER = { worse: [{ tier: 'saturation', by: 0.1 }], rounds: 15 };
const FAILING = { errors: [{ side: 'head' as const, rate: 0.05 }], rounds: 15 };

describe('a shard', () => {
  test('is judged with its share of alpha, also while it measures', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.constantFrom('running', 'budget'), (seed, ended) => {
        const run = sampleShard({ index: 1, services: THREE, seed, ...SLOWER, record: { ended } });
        const third = { ...DEFAULT_POLICY, alpha: DEFAULT_POLICY.alpha / 3 };

        const { alpha, ...result } = judgeRun(run);

        expect(result).toEqual({ ...judgeComparison(comparedOf(run, third), third, run.seed), alpha: undefined });
        expect(alpha).toBe(DEFAULT_POLICY.alpha);
      }),
      { numRuns: 6 },
    );
  });

  test('needs more evidence than a comparison of its own would: what just suffices there does not here', () => {
    // Of the 1024 swaps of 10 rounds the looks up to there may spend 15 alone, and none if 16 shards share it.
    const many = ['one', ...Array.from({ length: 15 }, (_, index) => `other${index}`)].map((service) => [service]);
    const shared = sampleShard({ index: 1, services: many, rounds: 10, worse: [{ tier: 'saturation', by: 0.1 }] });
    const { shards: _shards, ...record } = shared.rounds;

    expect(judgeRun({ ...shared, rounds: record }).outcome).toBe('regressed');
    expect(listsOf(judgeRun(shared)).findings.filter(({ verdict }) => verdict === 'regressed')).toEqual([]);
  });

  test('has nothing to say of what the policy says of services of the others', () => {
    const accepted = (service: string) => ({ service, metric: 'latencyP50Ms', upTo: 1, until: '2099-01-01', why: 'x' });
    const policy: Policy = {
      ...DEFAULT_POLICY,
      accepted: [accepted('one'), accepted('two'), accepted('nobody')],
      budgets: [{ service: 'three', metric: 'latencyP50Ms', limit: 1e9 }],
    };
    const run = sampleShard({ index: 1, services: THREE, record: { policy } });

    const notes = notesOf({ result: judgeRun(run), run }).notes.filter((note) => note.includes('matches'));

    expect(notes).toEqual([expect.stringContaining('nobody/*/*')]);
  });
});

describe('merged shards', () => {
  test('have the findings of each shard, by its own seed, looks and end', () => {
    const files = threeShards([SLOWER, { rounds: 12, record: { ended: 'budget' } }, { ...FAILING, rounds: 30 }]);
    const alone = files.map(({ run }) => listsOf(judgeRun(run as RunInRounds)));

    const whole = judgeRun(merged(files));

    expect(listsOf(whole).findings).toEqual(alone.flatMap(({ findings }) => findings));
    expect(listsOf(whole).errors).toEqual(alone.flatMap(({ errors }) => errors));
    expect(whole.rounds).toEqual(alone.flatMap(({ rounds }) => rounds));
    expect(whole.gateSize).toBe(alone.reduce((sum, { gateSize }) => sum + gateSize, 0));
    expect(whole.looks).toEqual([8, 10, 12, 15, 20, 30]);
  });

  test('give the same verdict for any order of the files', () => {
    const [one, two, three] = threeShards([SLOWER, {}, {}]) as [RunFile, RunFile, RunFile];
    const first = JSON.stringify(judgeRun(merged([one, two, three])));

    for (const others of [
      [two, one, three],
      [two, three, one],
    ]) {
      expect(JSON.stringify(judgeRun(merged(others)))).toBe(first);
    }
  });

  test('hold acceptances and budgets against all of them, once', () => {
    const policy: Policy = {
      ...DEFAULT_POLICY,
      accepted: [{ service: 'nobody', metric: 'latencyP50Ms', upTo: 1, until: '2099-01-01', why: 'x' }],
      budgets: [{ service: 'two', metric: 'latencyP50Ms', limit: 0.001 }],
    };
    const record = { policy };

    const run = mergedOf({ record }, { record }, { record });
    const result = judgeRun(run);
    const { budgets, outcome } = listsOf(result);
    const { notes } = notesOf({ result, run });

    expect(notes.filter((note) => note.includes('matches no comparison'))).toHaveLength(1);
    expect(notes.filter((note) => note.includes('matches nothing'))).toEqual([]);
    expect(budgets.map(({ cell }) => cell.service)).toContain('two');
    expect(outcome).toBe('regressed');
  });

  test('are judged on the day of the whole, so that a label accepts what was measured after midnight, too', () => {
    const accepted = [{ metric: 'cpuMicrosPerRequest', upTo: 1, until: '2026-11-21', why: 'x' }];
    const record = { policy: { ...DEFAULT_POLICY, accepted } };
    const late = { ...SLOWER, record, change: { startedAt: '2026-11-22T00:00:01.000Z' } };

    const { findings } = listsOf(judgeRun(mergedOf({ record }, late, { record })));

    const red = findings.filter(({ verdict, metric }) => verdict === 'regressed' && metric === 'cpuMicrosPerRequest');
    expect(red.filter(isRegression)).toEqual([]);
    expect(red.length).toBeGreaterThan(0);
  });

  test('are remarked on where their machines differ', () => {
    const [one, two, three] = threeShards() as [RunFile, RunFile, RunFile];
    const other = { ...two, run: { ...two.run, runner: { ...two.run.runner, cpuModel: 'Another CPU' } } };
    const about = (files: readonly RunFile[]) =>
      notesOf({ result: judgeRun(merged(files)), run: merged(files) }).remarks.filter((remark) =>
        remark.includes('different machines'),
      );

    expect(about([one, two, three])).toEqual([]);
    expect(about([one, other, three])).toEqual([expect.stringMatching(/\(shard 1, 3\); Another CPU \(shard 2\)/)]);
  });
});

describe('a lost shard', () => {
  const without = (index: number, ...changes: readonly Partial<SampleShard>[]) =>
    judgeRun(merged(threeShards(changes).filter((_, place) => place + 1 !== index)));

  test('makes the outcome incomplete and names its services, however well the others stand', () => {
    const { outcome, exitCode, uncompared, findings } = listsOf(without(2));

    expect({ outcome, exitCode }).toEqual({ outcome: 'incomplete', exitCode: 2 });
    expect(uncompared).toEqual([
      {
        cell: { suite: 'users', service: 'two', operation: 'all', tier: 'all' },
        reason: 'shard-lost',
        detail: { kind: 'shard', shard: { index: 2, of: 3 }, isCutShort: false },
        // Rate, p50 and CPU time at saturation; at each of three tiers CPU time, and p50 of each of two operations.
        rows: 12,
      },
    ]);
    expect(new Set(findings.map(({ cell }) => cell.service))).toEqual(new Set(['one', 'three']));
  });

  test.each([['inconclusive'], ['pass'], ['warn'], ['fail']])('is incomplete with any policy, as "%s"', (way) => {
    const record = { policy: { ...DEFAULT_POLICY, inconclusive: way as Policy['inconclusive'] } };

    expect(without(3, { record }, { record }, { record }).exitCode).toBe(2);
  });

  test('does not hide what regressed or failed in the others', () => {
    const failed = [{ service: 'rest', side: 'head', times: 2 }] as const;

    expect(without(2, SLOWER)).toMatchObject({ outcome: 'regressed', exitCode: 1 });
    expect(without(2, FAILING)).toMatchObject({ outcome: 'regressed', exitCode: 1 });
    expect(without(2, { failed })).toMatchObject({ outcome: 'failed', exitCode: 1 });
  });

  test('is also one whose job ended before it had enough rounds for any verdict', () => {
    const short = (ended: 'running' | 'interrupted' | 'budget') =>
      judgeRun(mergedOf({}, { rounds: 7, record: { ended } }, {}));

    for (const ended of ['running', 'interrupted', 'budget'] as const) {
      expect(short(ended)).toMatchObject({ outcome: 'incomplete', exitCode: 2 });
      expect(listsOf(short(ended)).uncompared).toMatchObject([
        { cell: { service: 'two' }, reason: 'shard-lost', detail: { kind: 'shard', isCutShort: true } },
      ]);
    }
    expect(judgeRun(mergedOf({}, { rounds: 10, record: { ended: 'interrupted' } }, {})).exitCode).toBe(0);
  });

  test('is not one whose services only the head has', () => {
    const [one, two, three] = threeShards() as [RunFile, RunFile, RunFile];
    const run = two.run as RunInRounds;
    const record = { ...run.rounds, base: { ...run.rounds.base, services: [] }, rounds: [], ended: 'rounds' as const };

    const files = [one, { ...two, run: { ...run, rounds: record, samples: [] } }, three];
    const { outcome, uncompared } = listsOf(judgeRun(merged(files)));

    expect(outcome).not.toBe('incomplete');
    expect(uncompared).toMatchObject([{ cell: { service: 'two' }, reason: 'new' }]);
  });
});
