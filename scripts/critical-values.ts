import { seededRandom, seedOf } from '../src/foundation/random.ts';
import { sorted } from '../src/foundation/statistics.ts';
import { largestDeparture } from '../src/history/change-points/change-points.ts';
import { FEWEST_A_SIDE } from '../src/history/change-points/steps.ts';

/** Number of shuffles for each number of values. */
const SHUFFLES = 20_000;

/** Share of shuffled series that may depart further. */
const SHARE = 0.01;

/** Longest stretch that is scanned at once: two windows of 60, half a window apart, and 150 values before them. */
const LONGEST = 240;

/** Numbers of values that are scanned. */
export const COUNTS: readonly number[] = Array.from(
  { length: LONGEST - 2 * FEWEST_A_SIDE + 1 },
  (_, place) => place + 2 * FEWEST_A_SIDE,
);

/** Largest departure that less than 1% of all orders of this many values exceed, from 20,000 seeded shuffles. */
export function criticalValue(count: number): number {
  const random = seededRandom(seedOf('change points', count));
  const ranks = Float64Array.from({ length: count }, (_, place) => place + 1);
  const sizes = sorted(
    Array.from({ length: SHUFFLES }, () => {
      shuffle(ranks, random);
      return largestDeparture(ranks).size;
    }),
  );
  return Math.ceil((sizes[Math.ceil((1 - SHARE) * SHUFFLES)] ?? 0) * 1000) / 1000;
}

function shuffle(ranks: Float64Array, random: () => number): void {
  for (let place = ranks.length - 1; place > 0; place -= 1) {
    const other = Math.floor(random() * (place + 1));
    const taken = ranks[place] ?? 0;
    ranks[place] = ranks[other] ?? 0;
    ranks[other] = taken;
  }
}
