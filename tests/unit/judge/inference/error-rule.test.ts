import { describe, expect, it } from 'vitest';
import { errorRateP } from '../../../../src/judge/inference/counts.ts';

const rounds = (counts: readonly (readonly [base: number, head: number])[], requests = 1000) =>
  counts.map(([base, head]) => ({ base: { failed: base, requests }, head: { failed: head, requests } }));

describe('the p of failing more often', () => {
  it('is one of 2^n where head fails more in every round', () => {
    expect(errorRateP(rounds(Array(10).fill([0, 5])), 1)).toBe(1 / 1024);
    expect(errorRateP(rounds(Array(9).fill([1, 5])), 1)).toBe(1 / 512);
  });

  // The differences are 3, 2, -1: of the eight sums 6, 4, 2, 0, 0, ... two are at least 4.
  it('counts the swaps with at least so large a difference', () => {
    expect(
      errorRateP(
        rounds([
          [0, 3],
          [1, 3],
          [1, 0],
        ]),
        1,
      ),
    ).toBe(2 / 8);
  });

  it('is 1 where nothing failed, where all failed alike, and without rounds', () => {
    expect(errorRateP(rounds(Array(10).fill([0, 0])), 1)).toBe(1);
    expect(errorRateP(rounds(Array(10).fill([7, 7])), 1)).toBe(1);
    expect(errorRateP([], 1)).toBe(1);
    expect(errorRateP(rounds([[0, 0]], 0), 1)).toBe(1);
  });

  it('does not count against head what base does', () => {
    expect(errorRateP(rounds(Array(10).fill([5, 0])), 1)).toBe(1);
    expect(errorRateP(rounds([...Array(9).fill([0, 0]), [0, 5000]], 5000), 1)).toBe(0.5);
  });

  it('does not take more requests at the same rate for more errors', () => {
    const faster = Array.from({ length: 10 }, (_, round) => ({
      base: { failed: 5 + (round % 2), requests: 1000 },
      head: { failed: 10 + 2 * (round % 2), requests: 2000 },
    }));

    expect(errorRateP(faster, 1)).toBe(1);
  });

  it('is drawn with the seed beyond 13 rounds, and counts what was measured', () => {
    const many = rounds(Array(30).fill([0, 5]));

    expect(errorRateP(many, 1)).toBe(1 / 20_001);
    const mixed = rounds(Array.from({ length: 20 }, (_, round) => (round % 3 === 0 ? [4, 1] : [1, 4])));
    expect(errorRateP(mixed, 7)).toBe(errorRateP(mixed, 7));
    // 13 of 20 fair coins or more: 13.2%.
    expect(Math.abs(errorRateP(mixed, 7) - 0.1316)).toBeLessThan(0.01);
  });

  it.each([
    [{ failed: -1, requests: 10 }],
    [{ failed: 11, requests: 10 }],
    [{ failed: 0.5, requests: 10 }],
    [{ failed: 0, requests: Number.NaN }],
  ])('does not exist for %j', (impossible) => {
    const possible = { failed: 0, requests: 10 };

    expect(() => errorRateP([{ base: possible, head: impossible }], 1)).toThrow(RangeError);
    expect(() => errorRateP([{ base: impossible, head: possible }], 1)).toThrow(RangeError);
  });
});
