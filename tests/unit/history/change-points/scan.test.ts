import { describe, expect, it } from 'vitest';
import { COUNTS, criticalValue } from '../../../../scripts/critical-values.ts';
import { largestDeparture } from '../../../../src/history/change-points/change-points.ts';
import { CRITICAL_VALUES } from '../../../../src/history/change-points/critical-values.ts';
import { changeP, independenceOf } from '../../../../src/history/change-points/rank-sum.ts';
import { noise, stepped } from './sample-series.ts';

const logs = (values: readonly number[]) => Float64Array.from(values, Math.log);

describe('the critical values', () => {
  it('are there for each number of values that is scanned', () => {
    expect(CRITICAL_VALUES.length).toBe(COUNTS.length);
  });

  it.each([10, 60, 137, 240])('are what the script makes, for %i values', (count) => {
    expect(CRITICAL_VALUES[count - 10]).toBe(criticalValue(count));
  });
});

describe('the largest departure', () => {
  it('of ten values is at the only split, and as large as its definition says', () => {
    const { at, size } = largestDeparture(Float64Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));

    expect(at).toBe(5);
    expect(size).toBeCloseTo(12.5 / Math.sqrt((5 * 5 * 11) / 12), 12);
  });

  it('leaves 5 values on either side', () => {
    const ranks = Float64Array.from([10, 11, 12, 1, 9, 2, 8, 3, 7, 4, 6, 5]);

    expect(largestDeparture(ranks).at).toBe(5);
  });
});

describe('the factor for values that resemble their neighbors', () => {
  it('is close to 1 where they do not, and never above', () => {
    expect(independenceOf(logs(noise(1, 400)))).toBeGreaterThan(0.85);
    expect(independenceOf(logs([1, 2, 1, 2]))).toBe(1);
    expect(independenceOf(logs([3, 3, 3]))).toBe(1);
    expect(independenceOf(logs([]))).toBe(1);
  });

  it('hardly falls where levels change', () => {
    const values = [50, 120, 160, 240].reduce((series, from) => stepped(series, from, 1.5), noise(1, 400));

    expect(independenceOf(logs(values))).toBeGreaterThan(0.8);
  });

  it('falls with the autocorrelation, down to a third', () => {
    const factor = (rho: number) => independenceOf(logs(noise(3, 20_000, { rho })));

    expect(factor(0.5)).toBeCloseTo(Math.sqrt(0.5 / 1.5), 1);
    expect(factor(0.99)).toBeCloseTo(1 / 3, 9);
  });
});

describe('the p of a change', () => {
  it.each([
    // 2 of the 56 choices of 3 of 8 values; with ties 2 * 3 of the 56.
    [[1, 9, 1, 9, 5], [20, 30, 20], 2 / 56],
    [[1, 9, 1, 20, 5], [20, 30, 20], (2 * 3) / 56],
    [[1, 2, 1, 2], [1, 2, 1, 2], 1],
  ])('between %j and %j is exact', (left, right, expected) => {
    expect(changeP(Float64Array.from(left), Float64Array.from(right), 1)).toBeCloseTo(expected, 12);
  });

  it('is the same for a rise and a fall', () => {
    const [low, high] = [Float64Array.from([1, 3, 1, 3, 2, 3, 1]), Float64Array.from([5, 4, 5, 4])];

    expect(changeP(low, high, 0.8)).toBeCloseTo(
      changeP(
        low.map((value) => -value),
        high.map((value) => -value),
        0.8,
      ),
      12,
    );
  });

  it('of five values that all lie above sixty others is below one in 100,000', () => {
    const [many, few] = [Float64Array.from(noise(3, 60)), Float64Array.from([300, 310, 300, 310, 305])];

    expect(changeP(many, few, 1)).toBeLessThan(1e-5);
  });
});
