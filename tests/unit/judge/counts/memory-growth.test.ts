import { describe, expect, test } from 'vitest';
import { judgedGrowth, unclearGrowth } from '../../../../src/judge/counts/memory-growth.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import type { Policy } from '../../../../src/model/policy.ts';
import type { MemoryGrowthRecord, MemoryStart } from '../../../../src/model/run/memory-growth.ts';
import { parseRun, type RunInRounds } from '../../../../src/model/run/run.ts';
import { headline } from '../../../../src/report/comparison/sentences.ts';
import { viewComparison } from '../../../../src/report/comparison/view.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const MIB = 2 ** 20;

const BLOCKS = 40;

const REQUESTS = 200;

/** Memory in bytes after a number of requests. */
type Memory = (requests: number) => number;

const FLAT: Memory = (requests) => Math.min(requests, 500) * 4000;

const leak =
  (bytes: number): Memory =>
  (requests) =>
    FLAT(requests) + bytes * requests;

const cache: Memory = (requests) => 4000 * Math.min(requests, 0.6 * BLOCKS * REQUESTS);

/** A collector that frees 4 MiB at once. */
const sawTooth: Memory = (requests) => FLAT(requests) + ((3000 * requests) % (4 * MIB));

/** A collector that frees 6 MiB between the parts that are compared. */
const longTooth: Memory = (requests) => FLAT(requests) + 2000 * (requests % 3000);

/** A heap that doubles once, late in one start only. */
const step: Memory = (requests) => FLAT(requests) + (requests > 0.62 * BLOCKS * REQUESTS ? 8 * MIB : 0);

function startOf(side: MemoryStart['side'], start: number, memory: Memory, requests = REQUESTS): MemoryStart {
  const blocks = Array.from({ length: BLOCKS }, (_, block) => block + 1);
  return {
    ...{ service: 'rest', side, start },
    requests: blocks.map(() => requests),
    memoryMiB: blocks.map((block) => 30 + memory(block * requests) / MIB),
  };
}

const loaded = (base: readonly Memory[], head: readonly Memory[], requests?: number): MemoryGrowthRecord => ({
  starts: [
    ...base.map((memory, place) => startOf('base', place + 1, memory, requests)),
    ...head.map((memory, place) => startOf('head', place + 1, memory, requests)),
  ],
  missing: [],
});

const runWith = (memoryGrowth: MemoryGrowthRecord): RunInRounds =>
  sampleRounds({ rounds: 8, services: ['rest'], change: { memoryGrowth } });

const findingOf = (record: MemoryGrowthRecord, policy?: Partial<Policy>) => {
  const run = runWith(record);
  return judgedGrowth(run, { ...run.rounds.policy, ...policy }).findings[0];
};

/** Memory of each block of a round, over its loads. */
function withBlocks(
  memory: Readonly<Record<MemoryStart['side'], Memory>>,
  requests: number,
  { round: only }: { readonly round?: readonly number[] } = {},
): RunInRounds {
  const run = sampleRounds({ rounds: 8, services: ['rest'] });
  const samples = run.samples.map((sample) => {
    const blocks = sample.cell.tier === 'saturation' ? BLOCKS : 2;
    const counts = Array.from({ length: blocks }, () => requests);
    const sums = { requests: counts, latencyMs: counts, seconds: counts, answers: counts };
    const kept = only === undefined || only.includes(sample.round) ? memory[sample.side] : FLAT;
    const memoryMiB = counts.map((_, block) => 30 + kept((block + 1) * requests) / MIB);
    return sample.cell.operation === 'all' ? { ...sample, blockSums: { ...sums, memoryMiB } } : sample;
  });
  return { ...run, samples };
}

describe('memory under a long load', () => {
  test.each([
    ['nothing kept', [FLAT, FLAT], 'unchanged'],
    ['a leak of 400 B', [leak(400), leak(400)], 'regressed'],
    ['a cache that fills', [cache, cache], 'inconclusive'],
    ['a saw tooth', [sawTooth, sawTooth], 'inconclusive'],
    ['a saw tooth that rises in all parts that are compared', [longTooth, longTooth], 'inconclusive'],
    ['a heap that doubles in one start', [step, FLAT], 'inconclusive'],
    ['a leak in one start only', [leak(400), FLAT], 'inconclusive'],
    ['one start', [leak(400)], 'inconclusive'],
  ] as const)('%s', (_, head, verdict) => {
    const finding = findingOf(
      loaded(
        head.map(() => FLAT),
        head,
      ),
    );
    expect([finding?.verdict, finding?.base]).toEqual([verdict, 100]);
    expect(finding?.family).toBe(verdict === 'inconclusive' ? 'watch' : 'gate');
  });

  test('is better without a leak, and the same with one in both versions', () => {
    const leaking = [leak(400), leak(400)];
    expect(findingOf(loaded(leaking, [FLAT, FLAT]))?.verdict).toBe('improved');
    expect(findingOf(loaded(leaking, leaking))?.verdict).toBe('unchanged');
  });

  test('is not better because a collector ran less often', () => {
    expect(findingOf(loaded([longTooth, longTooth], [FLAT, FLAT]))?.verdict).not.toBe('improved');
  });

  test('has no verdict with too few requests', () => {
    expect(findingOf(loaded([FLAT, FLAT], [leak(400), leak(400)], 90))).toBeUndefined();
  });

  test('fails a pull request, in words that name the bytes, unless it is accepted or within a budget', () => {
    const record = loaded([FLAT, FLAT], [leak(400), leak(400)]);
    const run = runWith(record);
    const result = judgeRun(run);
    expect(result.outcome).toBe('regressed');
    expect(headline(viewComparison(result, run))).toContain('≤100 B → 400 B memory growth/request');
    expect(parseRun(JSON.stringify(run), 'run.json').memoryGrowth).toEqual(record);

    const metric = 'memoryGrowthPerRequest';
    const accepted = [{ metric, upTo: 4, until: '2099-01-01', why: 'a cache' }];
    expect(judgeRun(run, { ...run.rounds.policy, accepted }).outcome).toBe('passed');
    const budgets = [{ metric, limit: 300 }];
    expect(listsOf(judgeRun(run, { ...run.rounds.policy, budgets })).budgets).toMatchObject([
      { verdict: 'over', metric },
    ]);
    expect(findingOf(record, { thresholds: [{ metric, threshold: 5 }] })?.verdict).toBe('unchanged');
  });
});

describe('memory in rounds', () => {
  test('shows that nothing is kept, and no leak: a cache would look the same', () => {
    const same = withBlocks({ base: FLAT, head: FLAT }, 200);
    expect(unclearGrowth(same)).toEqual([]);
    expect(judgedGrowth(same, same.rounds.policy).findings).toMatchObject([{ verdict: 'unchanged', rounds: 8 }]);

    const leaking = withBlocks({ base: FLAT, head: leak(400) }, 200);
    expect(unclearGrowth(leaking)).toMatchObject([{ service: 'rest' }]);
    expect(judgedGrowth(leaking, leaking.rounds.policy).findings).toMatchObject([{ verdict: 'inconclusive' }]);
  });

  test.each([
    [[3], []],
    [[3, 7], ['rest']],
  ])('grows in rounds %j', (round, services) => {
    const run = withBlocks({ base: FLAT, head: leak(400) }, 200, { round });

    expect(unclearGrowth(run).map(({ service }) => service)).toEqual(services);
  });

  test('is unclear with few requests, and in runs of earlier versions', () => {
    const few = withBlocks({ base: FLAT, head: FLAT }, 50);
    expect(unclearGrowth(few)).toMatchObject([{ service: 'rest' }]);
    expect(judgedGrowth(few, few.rounds.policy).findings).toEqual([]);
    const earlier = sampleRounds({ rounds: 8, services: ['rest'] });
    expect(judgedGrowth(earlier, earlier.rounds.policy).findings).toEqual([]);
  });
});

test('growth by less than steady memory moves is not a regression', () => {
  expect(findingOf(loaded([FLAT, FLAT], [leak(200), leak(200)]))).toMatchObject({ verdict: 'inconclusive' });
});

test('a service that keeps nothing meets a budget below the least growth that shows', () => {
  const { readings } = judgedGrowth(runWith(loaded([FLAT, FLAT], [FLAT, FLAT])), runWith(loaded([], [])).rounds.policy);

  expect(readings[0]?.values).toEqual([0, 0, 0, 0]);
});

test('growth that cannot fail is not a row that noise hides', () => {
  const unclear = loaded([FLAT, FLAT], [FLAT, leak(400)]);
  const thresholds = [{ metric: 'memoryGrowthPerRequest', gate: false }];

  expect(findingOf(unclear)).toMatchObject({ verdict: 'inconclusive', reason: 'not-seen' });
  expect(findingOf(unclear, { thresholds })).toMatchObject({ verdict: 'inconclusive', reason: 'too-noisy' });
});
