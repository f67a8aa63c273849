import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomAt, seededRandom, seedOf } from '../../../src/foundation/random.ts';

describe('randomAt', () => {
  test('gives the sequence of its seed, place by place', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const random = seededRandom(seed);
        for (let place = 0; place < 20; place += 1) {
          expect(random()).toBe(randomAt(seed, place));
        }
      }),
    );
  });

  test('has the figures that the driver has (pacer_test.go)', () => {
    expect([0, 1, 2].map((place) => randomAt(7, place))).toEqual([
      0.011704753153026104, 0.06195825757458806, 0.97690763277933,
    ]);
    expect(randomAt(4_294_967_295, 100_000)).toBe(0.981750502018258);
  });
});

test('seedOf gives different names different seeds, and always the same ones', () => {
  const seeds = Array.from({ length: 1000 }, (_, round) => seedOf(1, 'rest', round, 'low', 0, 'GetUser'));
  expect(new Set(seeds).size).toBe(1000);
  expect(seedOf(1, 'rest', 3)).toBe(seedOf(1, 'rest', 3));
});
