import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mannWhitneyP } from '../../../../src/judge/inference/counts.ts';

describe('the Mann-Whitney p', () => {
  it.each([
    // 2 of the 20 orders of 3 and 3 are as extreme; 2 + 2 of them with one win.
    [[1, 2, 3], [4, 5, 6], 2 / 20],
    [[1, 2, 4], [3, 5, 6], 4 / 20],
    [[1], [2], 1],
  ])('of %j and %j is exact', (one, other, expected) => {
    expect(mannWhitneyP(one, other)).toBeCloseTo(expected, 12);
  });

  it('with ties is that of SciPy 1.17, with its corrections for ties and continuity', () => {
    expect(mannWhitneyP([1, 1, 2, 3], [2, 3, 4, 4, 5])).toBeCloseTo(0.06168916598092455, 10);
  });

  it('of samples that are all alike is 1', () => {
    expect(mannWhitneyP([3, 3, 3], [3, 3])).toBe(1);
  });

  it('is the same either way round, and does not depend on the scale', () => {
    const sample = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 35 });
    fc.assert(
      fc.property(sample, sample, (one, other) => {
        const p = mannWhitneyP(one, other);
        expect(p).toBeGreaterThan(0);
        expect(p).toBeLessThanOrEqual(1);
        expect(mannWhitneyP(other, one)).toBeCloseTo(p, 12);
        const scale = (value: number) => Math.exp(value / 10);
        expect(mannWhitneyP(one.map(scale), other.map(scale))).toBeCloseTo(p, 12);
      }),
    );
  });

  it('needs values on both sides', () => {
    expect(() => mannWhitneyP([], [1])).toThrow(RangeError);
    expect(() => mannWhitneyP([1], [])).toThrow(RangeError);
    expect(() => mannWhitneyP([1], [Number.NaN])).toThrow(RangeError);
  });
});
