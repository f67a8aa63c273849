import fc from 'fast-check';
import { expect, it } from 'vitest';
import { midRanksOf, midRanksWithin } from '../../../../src/history/change-points/rank-sum.ts';
import { midRanks } from '../../../../src/judge/inference/location.ts';

/** With and without ties. */
const values = fc.oneof(
  fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 60 }),
  fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 60 }),
);

it('ranks of values are the mid-ranks of the tests', () => {
  fc.assert(
    fc.property(values, (drawn) => {
      expect([...midRanksOf(Float64Array.from(drawn))]).toEqual(midRanks(drawn).ranks);
    }),
  );
});

it('ranks of a stretch, and of a part of it, follow from those of more values', () => {
  fc.assert(
    fc.property(values, fc.nat(60), fc.nat(60), (drawn, one, other) => {
      const [from, to] = [Math.min(one, other, drawn.length), Math.min(Math.max(one, other), drawn.length)];
      const stretch = midRanksWithin(midRanksOf(Float64Array.from(drawn)), from, to);
      const part = midRanksWithin(stretch, Math.min(3, stretch.length), stretch.length);

      expect([...stretch]).toEqual(midRanks(drawn.slice(from, to)).ranks);
      expect([...part]).toEqual(midRanks(drawn.slice(from, to).slice(3)).ranks);
    }),
  );
});
