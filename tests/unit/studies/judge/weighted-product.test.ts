import { describe, expect, it } from 'vitest';
import { weightedProduct } from '../../../../studies/judge/effects.ts';

describe('a weighted product', () => {
  it('has the interval of the sum of independent logarithms', () => {
    const part = (weight: number) => ({ weight, times: { times: 2, low: 2 / 1.1, high: 2 * 1.1 } });
    const { times, low = 0, high = 0 } = weightedProduct([part(1), part(-1)]);

    expect(times).toBeCloseTo(1, 10);
    expect(Math.log(high)).toBeCloseTo(Math.SQRT2 * Math.log(1.1), 10);
    expect(Math.log(low)).toBeCloseTo(-Math.SQRT2 * Math.log(1.1), 10);
  });

  it('keeps the sides of an interval that is wider to one side, and turns them for what is divided by', () => {
    const skewed = { times: 1, low: 0.9, high: 2 };

    expect(weightedProduct([{ weight: 1, times: skewed }])).toEqual({
      times: 1,
      low: expect.closeTo(0.9, 10),
      high: expect.closeTo(2, 10),
    });
    expect(weightedProduct([{ weight: -1, times: skewed }])).toEqual({
      times: 1,
      low: expect.closeTo(0.5, 10),
      high: expect.closeTo(1 / 0.9, 10),
    });
  });

  it('covers the truth in about 95 of 100 cases', () => {
    // Sums of four logarithms with a standard deviation of 0.1, by a fixed list of normal quantiles in every combination.
    const quantiles = [-1.645, -1.036, -0.674, -0.385, -0.126, 0.126, 0.385, 0.674, 1.036, 1.645];
    const half = 1.96 * 0.1;
    const draws = quantiles.flatMap((one) => quantiles.flatMap((two) => quantiles.map((three) => [one, two, three])));
    const covered = draws.filter((draw) => {
      const { low = 0, high = 0 } = weightedProduct(
        draw.map((z, place) => {
          const value = 0.1 * z;
          return {
            weight: place === 1 ? -1 : 1,
            times: { times: Math.exp(value), low: Math.exp(value - half), high: Math.exp(value + half) },
          };
        }),
      );
      return low <= 1 && high >= 1;
    });

    expect(covered.length / draws.length).toBeGreaterThan(0.94);
    expect(covered.length / draws.length).toBeLessThan(1);
  });
});
