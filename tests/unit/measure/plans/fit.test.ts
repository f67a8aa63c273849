import { describe, expect, test } from 'vitest';
import { misfitOf, type TimedRound } from '../../../../src/measure/plans/fit.ts';
import { profileNamed } from '../../../../src/model/profiles.ts';
import type { RoundSeconds } from '../../../../src/model/run/rounds.ts';

/** A round of 20 s besides its tiers, which take longer the more users there are. */
const LOADS = { low: 2, medium: 12, high: 40 };

const round = (loads: Readonly<Record<string, number>> = LOADS, service = 'shop'): TimedRound => {
  const total = 20 + Object.values(loads).reduce((sum, seconds) => sum + seconds, 0);
  return {
    record: {
      ...{ service, round: 1, startedAt: '2026-01-01T00:00:00Z', first: 'base', loads: [], outcome: 'kept' },
      seconds: { total } as RoundSeconds,
    },
    loadSeconds: { ...loads, saturation: 5 },
  };
};

const misfit = (budgetSeconds: number, rounds = [round()], tiers = ['low', 'medium', 'high']) =>
  misfitOf({
    ...{ profile: profileNamed('standard').rounds, services: ['shop'], rounds, budgetSeconds, tiers },
    spentSeconds: 74,
  });

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

test('nothing is left out until each service has a round', () => {
  expect(misfit(300, [round(LOADS, 'cart')])).toBeUndefined();
});

test('rounds to come take no time for what was left out before', () => {
  expect(misfit(214, [round()], [])).toBeUndefined();
  expect(misfit(213, [round()], [])).toEqual({ seconds: 214, enough: '4m', leftOut: [] });
});
