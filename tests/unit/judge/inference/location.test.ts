import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hodgesLehmann, signedRankInterval } from '../../../../src/judge/inference/location.ts';
import golden from '../../../fixtures/golden/ab-rule.json' with { type: 'json' };

const differencesOf = ({ logA, logB }: (typeof golden)[number]) =>
  logA.map((base, index) => base.map((value, round) => (logB[index]?.[round] ?? Number.NaN) - value));
const numbers = (fewest: number) => fc.array(fc.integer({ min: -500, max: 500 }), { minLength: fewest, maxLength: 30 });

describe('the Hodges-Lehmann estimate', () => {
  it.each(golden)('is that of the golden vectors with $n rounds', (vector) => {
    differencesOf(vector).forEach((differences, index) => {
      expect(hodgesLehmann(differences)).toBeCloseTo(vector.hl[index] ?? Number.NaN, 12);
    });
  });

  it.each([
    [[7], 7],
    [[1, 5], 3],
    // The means are 0, 1, 2, 4.5, 5.5, 9.
    [[0, 2, 9], 3.25],
    [[0, 0, 0, 0], 0],
  ])('of %j is %d', (differences, expected) => {
    expect(hodgesLehmann(differences)).toBe(expected);
  });

  it('follows a shift, a scale and a change of sign, and not the order', () => {
    fc.assert(
      fc.property(numbers(1), (differences) => {
        const estimate = hodgesLehmann(differences);
        expect(hodgesLehmann(differences.map((value) => 2 * value + 8).reverse())).toBe(2 * estimate + 8);
        expect(hodgesLehmann(differences.map((value) => 0 - value))).toBe(0 - estimate);
      }),
    );
  });

  it('is hardly moved by one outlier', () => {
    const quiet = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

    expect(hodgesLehmann([...quiet, 1e9])).toBeLessThan(10);
  });

  it('needs differences that are finite, and one at least', () => {
    expect(() => hodgesLehmann([])).toThrow(RangeError);
    expect(() => hodgesLehmann([1, Number.NaN])).toThrow(RangeError);
  });
});

describe('the signed-rank interval', () => {
  it.each(golden)('is that of the golden vectors with $n rounds', (vector) => {
    differencesOf(vector).forEach((differences, index) => {
      const interval = signedRankInterval(differences);
      expect(interval?.low).toBeCloseTo(vector.ci95[index]?.[0] ?? Number.NaN, 12);
      expect(interval?.high).toBeCloseTo(vector.ci95[index]?.[1] ?? Number.NaN, 12);
    });
  });

  // Of the sums of ranks of 6, 0 has 1/64 and 0 and 1 have 2/64 (3.1%): nothing is dropped. Of 7, 0 to 2 have 3/128
  // (2.3%) and 0 to 3 have 5/128: the two outermost means are dropped on each side.
  it.each([
    [[1, 2, 4, 8, 16, 32], { low: 1, high: 32 }],
    [[1, 2, 4, 8, 16, 32, 64], { low: 2, high: 40 }],
  ])('of %j leaves out less than 2.5%% on each side', (differences, expected) => {
    expect(signedRankInterval(differences)).toEqual(expected);
  });

  it.each([[[]], [[1]], [[1, 2, 3, 4, 5]]])('of %j does not exist', (differences) => {
    expect(signedRankInterval(differences)).toBeUndefined();
  });

  it('of equal differences is the difference', () => {
    expect(signedRankInterval(Array(10).fill(0))).toEqual({ low: 0, high: 0 });
    expect(signedRankInterval(Array(10).fill(3))).toEqual({ low: 3, high: 3 });
  });

  it('holds the estimate, and follows a shift and a change of sign', () => {
    fc.assert(
      fc.property(numbers(6), (differences) => {
        const { low, high } = signedRankInterval(differences) ?? { low: Number.NaN, high: Number.NaN };
        expect(low).toBeLessThanOrEqual(hodgesLehmann(differences));
        expect(high).toBeGreaterThanOrEqual(hodgesLehmann(differences));
        expect(signedRankInterval(differences.map((value) => 8 - value))).toEqual({ low: 8 - high, high: 8 - low });
      }),
    );
  });

  it('needs differences that are finite', () => {
    expect(() => signedRankInterval([1, 2, 3, 4, 5, Number.POSITIVE_INFINITY])).toThrow(RangeError);
  });
});
