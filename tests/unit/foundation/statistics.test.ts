import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mean, quantile, sorted, standardDeviation } from '../../../src/foundation/statistics.ts';

const numbers = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 60 });
const share = fc.double({ min: 0, max: 1, noNaN: true });

/** Type 7 in the words of Hyndman and Fan: p(k) = (k - 1) / (n - 1), straight lines between. */
function quantileByDefinition(values: readonly number[], required: number): number {
  const ascending = [...values].sort((left, right) => left - right);
  const shares = ascending.map((_, index) => (ascending.length === 1 ? 0 : index / (ascending.length - 1)));
  const above = Math.max(
    1,
    shares.findIndex((one) => one >= required),
  );
  const [low = 0, high = low] = [ascending[above - 1], ascending[above]];
  const [lowShare = 0, highShare = 1] = [shares[above - 1], shares[above]];
  return low + ((high - low) * (required - lowShare)) / (highShare - lowShare);
}

describe('quantile', () => {
  it.each([
    [[1, 2, 3, 4], 0.5, 2.5],
    [[1, 2, 3, 4, 5], 0.9, 4.6],
    [[15, 20, 35, 40, 50], 0.4, 29],
    [[7], 0.99, 7],
  ])('of %j at %d is %d, as R and NumPy have it', (values, at, expected) => {
    expect(quantile(sorted(values), at)).toBeCloseTo(expected, 12);
  });

  it('agrees with its definition', () => {
    fc.assert(
      fc.property(numbers, share, (values, at) => {
        const expected = quantileByDefinition(values, at);
        expect(quantile(sorted(values), at)).toBeCloseTo(expected, 5);
      }),
    );
  });

  it('does not depend on the order of the values', () => {
    fc.assert(
      fc.property(numbers, share, (values, at) => {
        expect(quantile(sorted([...values].reverse()), at)).toBe(quantile(sorted(values), at));
      }),
    );
  });

  it('grows with the scale of the values and with the share', () => {
    fc.assert(
      fc.property(numbers, share, share, (values, one, other) => {
        const at = (required: number, scale = 1) =>
          quantile(sorted(values.map((value) => value * scale)), required) ?? Number.NaN;
        expect(at(one, 8)).toBeCloseTo(8 * at(one), 4);
        expect(at(Math.max(one, other))).toBeGreaterThanOrEqual(at(Math.min(one, other)) - 1e-9);
      }),
    );
  });

  it('of no values is undefined', () => {
    expect(quantile(sorted([]), 0.5)).toBeUndefined();
  });
});

describe('sorted', () => {
  it('leaves the values that it was given as they are', () => {
    const values = new Float64Array([3, 1, 2]);

    expect([...sorted(values)]).toEqual([1, 2, 3]);
    expect([...values]).toEqual([3, 1, 2]);
  });
});

describe('mean and standard deviation', () => {
  it('of known values are known', () => {
    const values = [2, 4, 4, 4, 5, 5, 7, 9];

    expect(mean(values)).toBe(5);
    expect(standardDeviation(values)).toBeCloseTo(Math.sqrt(32 / 7), 12);
  });

  it('of too few values are undefined', () => {
    expect(mean([])).toBeUndefined();
    expect(standardDeviation([])).toBeUndefined();
    expect(standardDeviation([3])).toBeUndefined();
    expect(mean([3])).toBe(3);
  });

  it('do not depend on the order, and follow a shift and a scale', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 50 }), (values) => {
        const moved = values.map((value) => 3 * value + 1e6).reverse();
        expect(mean(moved)).toBeCloseTo(3 * (mean(values) ?? Number.NaN) + 1e6, 5);
        expect(standardDeviation(moved)).toBeCloseTo(3 * (standardDeviation(values) ?? Number.NaN), 5);
      }),
    );
  });
});
