import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../src/foundation/random.ts';
import { suspicionsOf } from '../../../../src/judge/stored/comparison.ts';
import { errorRateLimit } from '../../../../src/judge/stored/judge.ts';
import type { StoredRun } from '../../../../src/judge/stored/stored-run.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import type { CellShape } from '../../../support/sample-cells.ts';
import { withRun } from '../../../support/stored-run.ts';
import { baselineOf, judge, QUIET, runNow, storedRun, verdictOn } from './histories.ts';

const ERRORS = 'rest/all/low errorRate';

/** A baseline of runs with these error rates of REST at its lowest tier. */
function failingBefore(rates: readonly number[], change: Partial<StoredRun> = {}): readonly StoredRun[] {
  return rates.map((errorRate, day) => {
    const run = storedRun(day, 0, change);
    return { ...run, cells: { ...run.cells, 'rest/all/low': { ...run.cells['rest/all/low'], errorRate } } };
  });
}

function failingNow(errorRate: number, { rounds = 3, ...shape }: Partial<CellShape> & { rounds?: number } = {}) {
  return runNow({ rounds, shapes: { 'rest/low': { errorRate, ...shape } } });
}

const none = (count: number) => Array.from({ length: count }, () => 0);

describe('a run in which half of the requests fail', () => {
  test.each([1, 3, 10, 30])('is suspicious against %i stored runs without an error', (count) => {
    const result = judge(failingNow(0.5), failingBefore(none(count)));

    expect(verdictOn(result.verdicts, ERRORS)).toEqual({
      kind: 'errors',
      comparison: {
        cell: { suite: 'users', service: 'rest', operation: 'all', tier: 'low' },
        metric: 'errorRate',
        before: 0,
        now: 0.5,
        change: undefined,
      },
      status: 'suspicious',
      family: 'gate',
      limit: 0.05,
      runs: count,
    });
    expect(suspicionsOf(result)).toHaveLength(1);
  });

  test('is suspicious against runs of another kind of machine', () => {
    const { stratum } = storedRun(0, 0);
    const other = failingBefore(none(3), { stratum: { ...stratum, cpuModel: 'another' } });

    expect(suspicionsOf(judge(failingNow(0.5), other))).toHaveLength(1);
  });

  test.each(['saturated', 'generator-limited'] as const)(
    'is suspicious, and its other figures are not compared, if the cell is marked %s, too',
    (mark) => {
      const { verdicts } = judge(failingNow(0.5, { marks: [mark] }), baselineOf(QUIET));
      const cell = verdicts.filter((verdict) => verdict.kind === 'unmeasured' && verdict.reason === 'failing');

      expect(verdictOn(verdicts, ERRORS)).toMatchObject({ kind: 'errors', status: 'suspicious' });
      expect(cell.length).toBeGreaterThan(0);
    },
  );

  test('raises no alarm if the policy disables it', () => {
    const policy = { ...DEFAULT_POLICY, thresholds: [{ metric: 'errorRate', gate: false }] };
    const result = judge(failingNow(0.5), failingBefore(none(30)), policy);

    expect(verdictOn(result.verdicts, ERRORS)).toMatchObject({ kind: 'errors', family: 'watch' });
    expect(suspicionsOf(result)).toEqual([]);
  });

  test('is flagged where it is stored, so that the next one is suspicious too', () => {
    const store = (baseline: readonly StoredRun[], startedAt: string) =>
      withRun(baseline, runNow({ shapes: { 'rest/low': { errorRate: 0.5 } }, change: { startedAt } }));
    const twice = ['2026-12-01T00:00:00Z', '2026-12-02T00:00:00Z'].reduce(store, failingBefore(none(3)));

    expect(twice.slice(-2).map(({ suspicious }) => suspicious)).toEqual([[ERRORS], [ERRORS]]);
  });

  test('is not news if that is unchanged', () => {
    const result = judge(failingNow(0.5), failingBefore(Array.from({ length: 30 }, () => 0.5)));

    expect(verdictOn(result.verdicts, ERRORS)).toMatchObject({ kind: 'stated', comparison: { before: 0.5, now: 0.5 } });
    expect(suspicionsOf(result)).toEqual([]);
  });
});

describe('an error rate that was suspicious', () => {
  const flagged = (rates: readonly number[]) =>
    failingBefore([...none(20), ...rates]).map((run, day) =>
      day >= 20 && rates[day - 20] !== 0 ? { ...run, suspicious: [ERRORS] } : run,
    );

  test.each([
    ['is no past after 4 runs in a row', [0.2, 0.2, 0.2, 0.2], 1],
    ['is no past now and then', [0.2, 0.2, 0, 0.2, 0.2, 0, 0.2, 0.2], 1],
    ['is the past after 5 runs in a row', [0.2, 0.2, 0.2, 0.2, 0.2], 0],
  ])('%s', (_what, rates, suspicions) => {
    expect(suspicionsOf(judge(failingNow(0.2), flagged(rates)))).toHaveLength(suspicions);
  });
});

describe('the error rate from which a run is suspicious', () => {
  test.each([
    [0, 0.05],
    [0.005, 0.05],
    [0.01, 0.1],
    [0.04, 0.4],
    [0.12, 0.56],
    [1, 1],
  ])('is, with %f as the largest of the past, %f', (largest, limit) => {
    expect(errorRateLimit(largest)).toBeCloseTo(limit, 10);
  });

  test('is never reached by what the past had already', () => {
    expect(suspicionsOf(judge(failingNow(1), failingBefore([1, 0])))).toEqual([]);
  });

  test('needs ten failed requests', () => {
    const run = failingNow(0.5);
    const few = run.samples.map((sample) => ({ ...sample, failures: [{ kind: 'HTTP 503', count: 3 }] }));

    expect(suspicionsOf(judge({ ...run, samples: few }, failingBefore(none(5))))).toEqual([]);
    expect(suspicionsOf(judge(run, failingBefore(none(5))))).toHaveLength(1);
  });

  test('is that of the newest 30 runs', () => {
    expect(suspicionsOf(judge(failingNow(0.5), failingBefore([0.4, ...none(29)])))).toEqual([]);
    expect(suspicionsOf(judge(failingNow(0.5), failingBefore([0.4, ...none(30)])))).toHaveLength(1);
  });
});

describe('errors without an alarm', () => {
  test('are stated', () => {
    expect(verdictOn(judge(failingNow(0.02), failingBefore(none(30))).verdicts, ERRORS)).toMatchObject({
      kind: 'stated',
      comparison: { before: 0, now: 0.02 },
    });
  });

  test('are those of one odd round', () => {
    const run = failingNow(0);
    const odd = run.samples.map((sample) =>
      sample.round === 2 ? { ...sample, values: { ...sample.values, errorRate: 0.9 } } : sample,
    );

    expect(suspicionsOf(judge({ ...run, samples: odd }, failingBefore(none(30))))).toEqual([]);
  });

  const random = seededRandom(3);
  const few = (most: number) => Array.from({ length: 200 }, () => most * random() ** 4);
  test.each<[string, readonly number[]]>([
    ['a few in a thousand now and then', few(0.004)],
    ['up to 3% in some runs', few(0.03)],
    ['an overloaded tier that fails from nothing to 60%', few(0.6)],
    ['a bad run in forty, 4% each', few(0).map((_, day) => (day % 40 === 39 ? 0.04 : 0))],
  ])('are those of unchanged runs that vary: %s', (_what, rates) => {
    const limits = rates.map((_, day) => errorRateLimit(Math.max(0, ...rates.slice(Math.max(0, day - 30), day))));
    const alarms = rates.filter((rate, day) => day >= 10 && rate >= (limits[day] ?? 0)).length;

    expect(alarms).toBe(0);
  });
});
