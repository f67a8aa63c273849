import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../src/foundation/random.ts';
import {
  type Detectable,
  noiseOf,
  roundsIfUnchanged,
  roundsNeeded,
  roundsToDecide,
  smallestDetectable,
} from '../../../../src/judge/inference/detectable.ts';
import { normalQuantile } from '../../../../src/judge/inference/distributions.ts';
import { testFamily } from '../../../../src/judge/inference/family-test.ts';
import { intervalOverLooks } from '../../../../src/judge/inference/interval-over-looks.ts';
import { hodgesLehmann, signedRankInterval } from '../../../../src/judge/inference/location.ts';
import { PROFILES } from '../../../../src/model/profiles.ts';
import { simulatedFamily } from './sample-families.ts';

/** Differences spread like normal ones: centered, their robust deviation as asked for. */
function spread(rounds: number, deviation: number, center = 0): readonly number[] {
  const shape = Array.from({ length: rounds }, (_, index) => normalQuantile((index + 0.5) / rounds));
  const scale = deviation / noiseOf(shape);
  return shape.map((value) => center + scale * value);
}

const comparison = (differences: readonly number[], changes: Partial<Detectable> = {}): Detectable => ({
  differences,
  alpha: 0.02,
  familySize: 12,
  floor: 0.01,
  threshold: 0.03,
  ...changes,
});

describe('the noise of a round', () => {
  it('is the scaled median distance from the median', () => {
    expect(noiseOf([1, 2, 3, 4, 100])).toBeCloseTo(1.4826, 12);
    expect(noiseOf([5])).toBe(0);
    expect(noiseOf([2, 2, 2, 9])).toBe(0);
  });

  it('needs differences', () => {
    expect(() => noiseOf([])).toThrow(RangeError);
    expect(() => noiseOf([Number.NaN])).toThrow(RangeError);
  });
});

describe('the smallest detectable change', () => {
  it('without noise is the threshold or the floor, whichever is higher', () => {
    const still = Array(10).fill(0);

    expect(smallestDetectable(comparison(still))).toBeCloseTo(0.03, 12);
    expect(smallestDetectable(comparison(still, { threshold: 0.005 }))).toBeCloseTo(0.01, 12);
  });

  it('grows with the noise and the family, and shrinks with rounds and alpha', () => {
    const at = (rounds: number, noise: number, changes: Partial<Detectable> = {}) =>
      smallestDetectable(comparison(spread(rounds, noise), changes)) ?? Number.NaN;

    expect(at(15, 0.08)).toBeGreaterThan(at(15, 0.04));
    expect(at(15, 0.04, { familySize: 60 })).toBeGreaterThan(at(15, 0.04));
    expect(at(30, 0.04)).toBeLessThan(at(15, 0.04));
    expect(at(15, 0.04, { alpha: 0.05 })).toBeLessThan(at(15, 0.04));
  });

  it('is unknown while no change could be significant', () => {
    expect(smallestDetectable(comparison(spread(7, 0.02)))).toBeUndefined();
    expect(smallestDetectable(comparison(spread(8, 0.02)))).toBeDefined();
    // The least p of 8 rounds is 1/256.
    expect(smallestDetectable(comparison(spread(8, 0.02), { alpha: 0.003 }))).toBeUndefined();
    expect(smallestDetectable(comparison([]))).toBeUndefined();
  });

  it.each([
    { rounds: 10, noise: 0.02 },
    { rounds: 15, noise: 0.06 },
    { rounds: 30, noise: 0.03 },
  ])(
    'is found in about 90 of 100 runs of $rounds rounds with noise $noise',
    ({ rounds, noise }) => {
      const rule = { alpha: 0.02, floor: 0.01 };
      const change = Math.log1p(smallestDetectable(comparison(spread(rounds, noise))) ?? Number.NaN);
      const random = seededRandom(rounds);
      const runs = 200;
      let found = 0;
      for (let seed = 0; seed < runs; seed += 1) {
        const shape = { comparisons: 12, rounds, noise: noise / Math.SQRT2 };
        const family = simulatedFamily({ ...shape, change: (index) => (index === 0 ? change : 0) }, random);
        const { significantAt } = testFamily(family, { ...rule, looks: [{ rounds, spent: 1 }], seed, swaps: 1000 });
        const differences = family[0]?.head.map((head, round) => (head ?? 0) - (family[0]?.base[round] ?? 0)) ?? [];
        found += significantAt[0] !== undefined && hodgesLehmann(differences) >= Math.log1p(0.03) ? 1 : 0;
      }

      expect(found / runs).toBeGreaterThan(0.82);
      expect(found / runs).toBeLessThan(0.98);
    },
    60_000,
  );
});

describe('the rounds wanted for a change', () => {
  it('are the 8 of the first look where there is no noise', () => {
    expect(roundsNeeded(comparison(Array(10).fill(0)), 0.05)).toBe(8);
  });

  it('make that change about the smallest detectable one', () => {
    const required = roundsNeeded(comparison(spread(12, 0.05)), 0.06);

    expect(required).toBeGreaterThan(10);
    expect(smallestDetectable(comparison(spread(required, 0.05)))).toBeLessThan(0.06);
    // 95 of 100 runs instead of 90 ask for a tenth more rounds or so.
    expect(smallestDetectable(comparison(spread(Math.round(required * 0.75), 0.05)))).toBeGreaterThan(0.06);
  });

  it('are countless for a change that may not fail anything', () => {
    expect(roundsNeeded(comparison(spread(10, 0.01)), 0.03)).toBe(Number.POSITIVE_INFINITY);
    expect(roundsNeeded(comparison(spread(10, 0.01), { threshold: 0 }), 0.01)).toBe(Number.POSITIVE_INFINITY);
    expect(roundsNeeded(comparison(spread(10, 0.01)), 0.0301)).toBeGreaterThan(10_000);
  });
});

describe('the rounds until an open comparison is decided', () => {
  it('are fewer the further the estimate is from the threshold', () => {
    const at = (center: number) => roundsToDecide(comparison(spread(10, 0.06, center)));

    expect(at(0)).toBeGreaterThan(10);
    expect(at(0.02)).toBeGreaterThan(at(0));
    expect(at(0.06)).toBeGreaterThan(10);
    expect(at(0.04)).toBeGreaterThan(at(0.06));
  });

  it('bring the interval below the threshold when nothing else changes', () => {
    const needed = roundsToDecide(comparison(spread(10, 0.06)));

    expect(signedRankInterval(spread(10, 0.06))?.high).toBeGreaterThan(Math.log1p(0.03));
    expect(signedRankInterval(spread(Math.round(needed * 1.15), 0.06))?.high).toBeLessThan(Math.log1p(0.03));
    expect(signedRankInterval(spread(Math.round(needed * 0.7), 0.06))?.high).toBeGreaterThan(Math.log1p(0.03));
  });

  it('are one more if nothing prevents it, and 8 while there are too few to decide', () => {
    expect(roundsToDecide(comparison(Array(12).fill(0)))).toBe(13);
    expect(roundsToDecide(comparison(Array(12).fill(0.5)))).toBe(13);
    expect(roundsToDecide(comparison(spread(5, 0.05)))).toBe(8);
    expect(roundsToDecide(comparison(spread(7, 0.05)))).toBe(8);
  });
});

describe('the rounds after which an unchanged comparison is surely below its threshold', () => {
  it('are those of the first look without noise, and grow with it', () => {
    expect(roundsIfUnchanged(0, 0.03)).toBe(8);
    expect(roundsIfUnchanged(0.05, 0.03)).toBeGreaterThan(roundsIfUnchanged(0.03, 0.03));
    expect(roundsIfUnchanged(0.05, 0.1)).toBeLessThan(roundsIfUnchanged(0.05, 0.03));
  });

  it.each([0.02, 0.03, 0.04])('suffice for about three of four simulated comparisons with noise of %f', (sd) => {
    const random = seededRandom(11);
    const rounds = roundsIfUnchanged(sd, 0.03);
    const looks = PROFILES.quick.rounds.looks;
    const look = looks.find((one) => one.rounds >= rounds)?.rounds ?? 30;
    const draws = 400;
    let below = 0;
    for (let draw = 0; draw < draws; draw += 1) {
      const head = Array.from({ length: look }, () => sd * normalQuantile(0.001 + 0.998 * random()));
      const interval = intervalOverLooks(
        { base: head.map(() => 0), head },
        looks.filter((one) => one.rounds <= look),
      );
      below += (interval?.high ?? 1) < Math.log1p(0.03) ? 1 : 0;
    }

    expect(below / draws).toBeGreaterThan(0.65);
    expect(below / draws).toBeLessThan(0.98);
  });
});
