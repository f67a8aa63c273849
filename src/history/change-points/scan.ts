import { CRITICAL_VALUES } from './critical-values.ts';
import type { Levels } from './levels.ts';
import { midRanksWithin } from './ranks.ts';

/** Fewer values on one side of a change could be a bad day. */
export const FEWEST_A_SIDE = 5;

/**
 * Where the level of logarithms may have changed: the first places after the strongest splits, found by splitting again
 * and again while chance does as well in fewer than 1 % of shuffled series. Candidates only; in ascending order.
 */
export function candidateSplits(levels: Levels, from: number, to: number): readonly number[] {
  const critical = CRITICAL_VALUES[to - from - 2 * FEWEST_A_SIDE];
  if (critical === undefined) {
    return [];
  }
  const { at: offset, size } = largestDeparture(midRanksWithin(levels.ranks, from, to));
  if (size <= critical || size * levels.independence() <= critical) {
    return [];
  }
  const at = from + offset;
  return [...candidateSplits(levels, from, at), at, ...candidateSplits(levels, at, to)];
}

/** The split of ranks whose sums differ most from what chance leads to expect, in standard deviations. */
export function largestDeparture(ranks: Float64Array): { readonly at: number; readonly size: number } {
  const count = ranks.length;
  let sum = 0;
  let most = 0;
  let at = FEWEST_A_SIDE;
  for (let before = 1; before <= count - FEWEST_A_SIDE; before += 1) {
    sum += (ranks[before - 1] ?? 0) - (count + 1) / 2;
    const square = (sum * sum) / (before * (count - before));
    if (before >= FEWEST_A_SIDE && square > most) {
      most = square;
      at = before;
    }
  }
  return { at, size: Math.sqrt((12 * most) / (count + 1)) };
}
