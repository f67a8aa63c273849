import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../../../src/foundation/random.ts';
import { normalQuantile } from '../../../../src/judge/inference/distributions.ts';
import {
  countedDropped,
  droppedAtLast,
  intervalOverLooks,
  USUAL_ENDS,
} from '../../../../src/judge/inference/interval-over-looks.ts';
import { signedRankInterval } from '../../../../src/judge/inference/location.ts';
import type { Look } from '../../../../src/model/rounds.ts';

const FOUR: readonly Look[] = [
  { rounds: 10, spent: 0.2 },
  { rounds: 15, spent: 0.4 },
  { rounds: 20, spent: 0.7 },
  { rounds: 30, spent: 1 },
];
const SIX: readonly Look[] = [
  { rounds: 8, spent: 0.4 },
  { rounds: 10, spent: 0.5 },
  { rounds: 12, spent: 0.6 },
  { rounds: 15, spent: 0.7 },
  { rounds: 20, spent: 0.85 },
  { rounds: 30, spent: 1 },
];

/** A comparison whose base is 0 throughout. */
const against0 = (head: readonly (number | undefined)[]) => ({ base: head.map(() => 0), head });
const firstOf = (head: readonly number[], { rounds }: Look) => against0(head.slice(0, rounds));

describe('the interval over looks', () => {
  it('is the signed-rank interval if there is one look, or none', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -500, max: 500 }), { minLength: 1, maxLength: 45 }), (differences) => {
        const alone = [{ rounds: differences.length, spent: 1 }];
        expect(intervalOverLooks(against0(differences), alone)).toEqual(signedRankInterval(differences));
        expect(intervalOverLooks(against0(differences), [])).toEqual(signedRankInterval(differences));
      }),
    );
  });

  // Exact for the first look; tests/inference holds plans of up to 16 rounds against all patterns of signs.
  it.each([
    [FOUR, [4, 18, 45, 126]],
    [SIX, [2, 5, 9, 18, 42, 117]],
  ])('leaves out fewer of the sums the more looks there are', (looks, dropped) => {
    expect(looks.map((_, index) => droppedAtLast(looks.slice(0, index + 1)))).toEqual(dropped);
  });

  it('knows without counting what counting gives for a comparison by the usual plan, wherever it ends', () => {
    const known = USUAL_ENDS.map((looks) => droppedAtLast(looks));

    expect(known).toEqual(USUAL_ENDS.map((looks) => countedDropped(looks)));
    // Of 30 rounds, the ends after the first look; and those at a look that is not the last.
    expect(known).toHaveLength(22 + 4);
  });

  it('takes rounds after the last look for a look that spends what is left', () => {
    const head = Array.from({ length: 17 }, (_, round) => Math.sin(round));
    const made = [...FOUR.slice(0, 2), { rounds: 17, spent: 1 }];

    expect(intervalOverLooks(against0(head), FOUR.slice(0, 2))).toEqual(intervalOverLooks(against0(head), made));
    expect(intervalOverLooks(against0(head), FOUR)).toEqual(intervalOverLooks(against0(head), made));
  });

  it('counts at each look the rounds that the comparison has', () => {
    const head = Array.from({ length: 15 }, (_, round) => (round === 3 || round === 12 ? undefined : Math.sin(round)));
    const complete = head.flatMap((value) => value ?? []);
    const own = [
      { rounds: 9, spent: 0.2 },
      { rounds: 13, spent: 0.4 },
    ];

    expect(intervalOverLooks(against0(head), FOUR.slice(0, 2))).toEqual(intervalOverLooks(against0(complete), own));
  });

  it('does not exist if the rounds are too few for what may be spent', () => {
    const head = [1, 2, 3, 4, 5, 6, 7, 8];

    // All of 8 signs agree by chance in 0.39%: 2.5% of 0.16 covers it, 2.5% of 0.15 does not.
    expect(intervalOverLooks(against0(head), [{ rounds: 8, spent: 0.15 }])).toBeUndefined();
    expect(intervalOverLooks(against0(head), [{ rounds: 8, spent: 0.16 }])).toEqual({ low: 1, high: 8 });
  });

  it('is no wider than needed up to 40 rounds, and wider beyond', () => {
    const atLast = (rounds: number) => droppedAtLast([...FOUR.slice(0, 3), { rounds, spent: 1 }]);
    const alone = (rounds: number) => droppedAtLast([{ rounds, spent: 0.3 }]);

    expect(atLast(40)).toBeGreaterThan(alone(40) + 5);
    expect(atLast(41)).toBeGreaterThanOrEqual(alone(41));
    expect(atLast(41)).toBeLessThanOrEqual(alone(41) + 5);
  });
});

const normal = (random: Random) => normalQuantile(Math.max(random(), Number.EPSILON));
/** Student's t with 2 degrees of freedom. */
const heavy = (random: Random) => normal(random) / Math.sqrt(-Math.log(Math.max(random(), Number.EPSILON)));

describe.each([
  ['four looks', FOUR],
  ['six looks', SIX],
])('with %s the interval', (_, looks) => {
  it.each([
    ['normal', normal],
    ['heavy-tailed', heavy],
  ])('covers the truth at all looks together in 95 of 100 comparisons of %s noise', (_name, noise) => {
    const random = seededRandom(4);
    const missed = looks.map(() => 0);
    let missedAny = 0;
    for (let comparison = 0; comparison < COMPARISONS; comparison += 1) {
      const head = Array.from({ length: 30 }, () => noise(random));
      const misses = looks.map((look, index) => !covers0(firstOf(head, look), looks.slice(0, index + 1)));
      misses.forEach((isMissed, index) => {
        missed[index] = (missed[index] ?? 0) + Number(isMissed);
      });
      missedAny += Number(misses.some(Boolean));
    }

    expect(Math.max(...missed)).toBeLessThan(0.06 * COMPARISONS);
    expect(missedAny).toBeLessThan(0.06 * COMPARISONS);
    // A rule that is far too wide would tell nothing.
    expect(missedAny).toBeGreaterThan(0.035 * COMPARISONS);
  });

  it('covers the truth of a row that ended because another, which goes with it, stood out', () => {
    const random = seededRandom(5);
    let missed = 0;
    let missedAlone = 0;
    for (let comparison = 0; comparison < COMPARISONS; comparison += 1) {
      const pairs = Array.from({ length: 30 }, () => {
        const common = 2 * normal(random);
        return { own: common + normal(random), other: common + normal(random) };
      });
      const [own, other] = [pairs.map((pair) => pair.own), pairs.map((pair) => pair.other)];
      const stood = looks.findIndex((look, index) => !covers0(firstOf(other, look), looks.slice(0, index + 1), 0.5));
      const at = stood === -1 ? looks.length - 1 : stood;
      const seen = firstOf(own, looks[at] ?? { rounds: 0, spent: 0 });
      missed += Number(!covers0(seen, looks.slice(0, at + 1)));
      missedAlone += Number(!covers0(seen, []));
    }

    expect(missed).toBeLessThan(0.06 * COMPARISONS);
    // The interval that takes no notice of the looks does not.
    expect(missedAlone).toBeGreaterThan(0.06 * COMPARISONS);
  });
});

const COMPARISONS = 1500;

/** Whether 0 lies in the interval, shrunk towards its middle. */
function covers0(seen: Parameters<typeof intervalOverLooks>[0], looks: readonly Look[], shrunk = 1): boolean {
  const { low, high } = intervalOverLooks(seen, looks) ?? { low: -1, high: 1 };
  const middle = (low + high) / 2;
  return Math.abs(middle) <= (shrunk * (high - low)) / 2;
}
