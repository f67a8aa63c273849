import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { theilSen } from '../../../../src/judge/inference/location.ts';

describe('the Theil-Sen slope', () => {
  it('is that of the line, despite an outlier', () => {
    expect(theilSen([0, 1, 2, 3, 4], [1, 3, 5, 7, 1000])).toBe(2);
  });

  it('is the median of the slopes of all pairs, equal x left out', () => {
    // (0,0) to both points at 1: 2 and 6.
    expect(theilSen([0, 1, 1], [0, 2, 6])).toBe(4);
  });

  it('follows the scale of y and not a shift or the order', () => {
    const points = fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: -50, max: 50 })), {
      minLength: 2,
      maxLength: 20,
    });
    fc.assert(
      fc.property(points, (given) => {
        const slope = theilSen(
          given.map(([x]) => x),
          given.map(([, y]) => y),
        );
        const changed = [...given].reverse();
        const other = theilSen(
          changed.map(([x]) => x + 8),
          changed.map(([, y]) => 4 * y - 16),
        );
        expect(other).toBe(slope === undefined ? undefined : 4 * slope);
      }),
    );
  });

  it('does not exist without two different x, or for sides that do not align', () => {
    expect(theilSen([], [])).toBeUndefined();
    expect(theilSen([1, 1], [2, 3])).toBeUndefined();
    expect(() => theilSen([1, 2], [1])).toThrow(RangeError);
    expect(() => theilSen([1, 2], [1, Number.NaN])).toThrow(RangeError);
  });
});
