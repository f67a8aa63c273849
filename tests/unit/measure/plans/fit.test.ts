import { describe, expect, test } from 'vitest';
import { misfitOf, requiredTiers, type TimedRound, timesLonger } from '../../../../src/measure/plans/fit.ts';
import { DEFAULT_POLICY, type Policy } from '../../../../src/model/policy.ts';
import { profileNamed } from '../../../../src/model/profiles.ts';
import type { RoundSeconds } from '../../../../src/model/run/rounds.ts';

/** A round of 20 s besides its tiers, which take longer the more users there are. */
const LOADS = { low: 2, medium: 12, high: 40 };

const round = (loads: Readonly<Record<string, number>> = LOADS, service = 'shop', times = 1): TimedRound => {
  const total = 15 + 5 * times + Object.values(loads).reduce((sum, seconds) => sum + seconds, 0);
  return {
    record: {
      ...{ service, round: 1, startedAt: '2026-01-01T00:00:00Z', first: 'base', loads: [], outcome: 'kept' },
      seconds: { total, measured: 4 * times } as RoundSeconds,
    },
    loadSeconds: { ...loads, saturation: 5 * times },
    times,
  };
};

const timed = (budgetSeconds: number, rounds: readonly TimedRound[], tiers: readonly string[]) => ({
  ...{ profile: profileNamed('standard').rounds, services: ['shop'], rounds, budgetSeconds, tiers, required: [] },
  spentSeconds: 74,
});

const misfit = (budgetSeconds: number, rounds = [round()], tiers = ['low', 'medium', 'high']) =>
  misfitOf(timed(budgetSeconds, rounds, tiers));

describe('eight rounds of 74 s', () => {
  test.each([
    [600, undefined],
    [592, undefined],
    [591, ['high']],
    [312, ['high']],
    [311, ['high', 'medium']],
    [214, ['high', 'medium', 'low']],
    [100, ['high', 'medium', 'low']],
  ])('in a budget of %d s leave out %j', (budgetSeconds, leftOut) => {
    expect(misfit(budgetSeconds)?.leftOut).toEqual(leftOut);
  });

  test('are forecast with all tiers', () => {
    expect(misfit(300)).toMatchObject({ seconds: 592, enough: '11m' });
  });
});

describe('tiers that the policy requires', () => {
  const policy = (lines: Partial<Policy>) => requiredTiers({ ...DEFAULT_POLICY, ...lines }, ['low', 'high']);

  test('are those of budgets and of thresholds that gate', () => {
    expect(policy({})).toEqual([]);
    expect(policy({ budgets: [{ metric: 'latencyP99Ms', tier: 'high', limit: 50 }] })).toEqual(['high']);
    expect(policy({ budgets: [{ metric: 'latencyP99Ms', limit: 50 }] })).toEqual(['low', 'high']);
    expect(policy({ thresholds: [{ metric: 'latencyP95Ms', tier: 'low', gate: true }] })).toEqual(['low']);
    expect(policy({ thresholds: [{ tier: 'low', threshold: 0.1 }, { gate: false }] })).toEqual([]);
  });

  test('are not left out', () => {
    const required = (names: readonly string[]) =>
      misfitOf({ ...timed(400, [round()], ['low', 'medium', 'high']), required: names })?.leftOut;

    expect(required([])).toEqual(['high']);
    expect(required(['high'])).toEqual(['medium', 'low']);
    expect(required(['low', 'medium', 'high'])).toEqual([]);
  });
});

test('nothing is left out until each service has a round', () => {
  expect(misfit(300, [round(LOADS, 'cart')])).toBeUndefined();
});

test('rounds to come take no time for what was left out before', () => {
  expect(misfit(214, [round()], [])).toBeUndefined();
  expect(misfit(213, [round()], [])).toEqual({ seconds: 214, enough: '4m', leftOut: [] });
});

test.each([
  [316, 3],
  [315, 2],
  [277, 2],
  [276, 1],
  [100, 1],
])(
  'in a budget of %d s, of which a tenth is left, saturation may take %d times as long without tiers',
  (budgetSeconds, times) => {
    expect(timesLonger(timed(budgetSeconds, [round()], []))).toBe(times);
    // Seven rounds are left, or six after one of 35 s.
    expect(timesLonger(timed(times === 3 ? 316 : 0, [round(), round({}, 'shop', 3)], []))).toBe(times === 3 ? 3 : 1);
  },
);

describe('a slow service', () => {
  const slow = (requests: number) => ({ ...round(), requests });
  const tiers = ['low', 'medium', 'high'];

  test.each([
    // Seven more rounds of 74 s end after 592 s.
    [1000, 592, undefined],
    [999, 592, ['high']],
    // Each round takes 20 s longer.
    [200, 732, undefined],
    [200, 731, ['high']],
    // No more than 35 s.
    [1, 837, undefined],
    [0, 836, ['high']],
  ])('with %d requests at saturation, in a budget of %d s, leaves out %j', (requests, budgetSeconds, leftOut) => {
    expect(misfit(budgetSeconds, [slow(requests)], tiers)?.leftOut).toEqual(leftOut);
  });

  test('is measured longer until it has 1,000 of them', () => {
    expect(timesLonger(timed(10_000, [slow(200)], []))).toBe(5);
    expect(timesLonger(timed(10_000, [slow(200), round(LOADS, 'shop', 5)], []))).toBe(5);
    expect(timesLonger(timed(10_000, [slow(0)], []))).toBe(8);
  });

  test('is measured for a shorter time without tiers to leave out', () => {
    expect(misfit(214, [slow(200)], [])).toBeUndefined();
    expect(misfit(213, [slow(200)], [])?.seconds).toBe(214);
  });
});
