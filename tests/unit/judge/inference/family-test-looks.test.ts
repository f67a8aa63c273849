import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../src/foundation/random.ts';
import { mean } from '../../../../src/foundation/statistics.ts';
import { type FamilyRule, testFamily } from '../../../../src/judge/inference/family-test.ts';
import { once, simulatedFamily, steps } from './sample-families.ts';

describe('a family at several looks', () => {
  const twice = (alpha: number): FamilyRule => ({
    ...once(10, alpha),
    looks: [
      { rounds: 8, spent: 0.5 },
      { rounds: 10, spent: 1 },
    ],
  });

  /*
   * One of 8, then of 10 rounds points the other way. At the first look one swap may cross: the one that turns that
   * round, which is 4 of the 1,024 of ten rounds. At the second look 8 of the others do as well as what was measured.
   */
  it.each([
    [12, 10],
    [11, undefined],
  ])('may let %d swaps cross in all, those of earlier looks included', (swaps, expected) => {
    expect(testFamily([steps(10, [2])], twice((swaps + 0.1) / 1024)).significantAt).toEqual([expected]);
  });

  it('names the first look that found it and tests on', () => {
    expect(testFamily([steps(10)], twice(0.02)).significantAt).toEqual([8]);
    expect(testFamily([steps(10), steps(10, [2])], twice(0.1)).significantAt).toEqual([8, 10]);
  });

  it('finds at a look what it found there before, however many looks follow', () => {
    const looks = [
      { rounds: 9, spent: 0.2 },
      { rounds: 11, spent: 0.4 },
      { rounds: 16, spent: 0.7 },
      { rounds: 36, spent: 1 },
    ];
    const random = seededRandom(5);
    for (let family = 0; family < 20; family += 1) {
      const change = (index: number) => 0.05 * (index % 3);
      const comparisons = simulatedFamily({ comparisons: 6, rounds: 36, noise: 0.05, change }, random);
      const found = (count: number) =>
        testFamily(comparisons, { ...once(36, 0.3), seed: family, looks: looks.slice(0, count), swaps: 500 });
      const all = found(4).significantAt;
      for (const count of [1, 2, 3]) {
        const upTo = looks[count - 1]?.rounds ?? 0;
        const expected = all.map((at) => (at !== undefined && at <= upTo ? at : undefined));
        expect(found(count).significantAt).toEqual(expected);
      }
    }
  }, 60_000);

  /*
   * One of 14 rounds points the other way. At the exact look at 10 rounds one swap crosses, the one that turns it. At 14
   * rounds 15 of 16,384 swaps do as well as what was measured; 5 of them have crossed before, which leaves 12.2 of 20,000
   * and the one that was measured.
   */
  it('counts in the draw neither the swaps nor the alpha of its exact looks', () => {
    const crossing = 1 / 1024;
    const isFound = (seed: number, more: number) => {
      const alpha = crossing + (more + 0.5) / 20_001;
      const looks = [
        { rounds: 10, spent: (1.01 * crossing) / alpha },
        { rounds: 14, spent: 1 },
      ];
      return testFamily([steps(14, [2])], { floor: 0, alpha, looks, seed }).significantAt[0] === 14;
    };
    const fewest = (seed: number, from: number, to: number): number => {
      const middle = Math.floor((from + to) / 2);
      if (from === to) {
        return from;
      }
      return isFound(seed, middle) ? fewest(seed, from, middle) : fewest(seed, middle + 1, to);
    };

    const found = Array.from({ length: 16 }, (_, seed) => fewest(seed, 0, 31));

    // Three standard errors of the mean of 16 draws are 2.6.
    expect(Math.abs((mean(found) ?? Number.NaN) - 13.2)).toBeLessThan(2.6);
  }, 60_000);

  it('lets unchanged code alarm as often as alpha says and no more', () => {
    const random = seededRandom(2024);
    const looks = [
      { rounds: 8, spent: 0.3 },
      { rounds: 10, spent: 0.5 },
      { rounds: 16, spent: 1 },
    ];
    const families = 500;
    let alarms = 0;
    for (let seed = 0; seed < families; seed += 1) {
      const unchanged = { comparisons: 4, rounds: 16, noise: 0.03, change: () => Math.log(1.01) };
      const family = simulatedFamily(unchanged, random);
      const rule = { floor: 0.01, alpha: 0.1, looks, seed, swaps: 400 };
      alarms += testFamily(family, rule).significantAt.some((at) => at !== undefined) ? 1 : 0;
    }

    // Three standard errors of a true 10% are 4%. Far fewer alarms would mean that power is given away.
    expect(alarms / families).toBeLessThan(0.14);
    expect(alarms / families).toBeGreaterThan(0.05);
  }, 60_000);

  it('says the same for the same seed, and nearly the same for another', () => {
    const shape = { comparisons: 4, rounds: 20, noise: 0.05, change: (index: number) => 0.03 * index };
    const family = simulatedFamily(shape, seededRandom(8));
    const p = (seed: number) => testFamily(family, { ...once(20), seed }).adjustedP;

    expect(p(1)).toEqual(p(1));
    p(1).forEach((value, index) => {
      expect(Math.abs(value - (p(2)[index] ?? Number.NaN))).toBeLessThan(0.02);
    });
  });
});
