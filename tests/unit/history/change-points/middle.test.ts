import fc from 'fast-check';
import { expect, it } from 'vitest';
import { median } from '../../../../src/foundation/statistics.ts';
import { middleOf } from '../../../../src/history/change-points/rank-sum.ts';

/** Few distinct values tie, many do not; the larger they are the less a difference keeps of them. */
const values = fc.oneof(
  fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 80 }),
  fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }), { maxLength: 200 }),
);

it('the middle of values is their median to the last bit, in any order', () => {
  fc.assert(
    fc.property(values, (drawn) => {
      // A sort puts -0 before 0, and they are the same all the same.
      const plain = drawn.map((value) => (value === 0 ? 0 : value));

      expect(middleOf(Float64Array.from(plain))).toBe(median(plain));
    }),
    { numRuns: 300 },
  );
});

it.each([
  ['ascending', Array.from({ length: 501 }, (_, place) => place)],
  ['descending', Array.from({ length: 500 }, (_, place) => -place)],
  ['all equal', Array.from({ length: 64 }, () => 7)],
  ['one', [5]],
  ['two', [9, 4]],
  ['none', []],
])('the middle of values that are %s is theirs, too', (_, drawn) => {
  expect(middleOf(Float64Array.from(drawn))).toBe(median(drawn));
});
