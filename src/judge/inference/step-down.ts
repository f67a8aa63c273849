import { type Swaps, shareAtLeast, swappedSums } from './swaps.ts';

/** What a family shows at one look. */
export interface Shown {
  /** The sum of the scores of each comparison as it was measured. */
  readonly observed: readonly number[];
  /** For each swap the largest sum of the family. */
  readonly maxima: Float64Array;
  /** Step-down maxT, by comparison. */
  readonly adjustedP: readonly number[];
}

/**
 * Holds the scores of a family (by comparison, by round) against the swaps. Adjusted p after Westfall and Young,
 * "Resampling-Based Multiple Testing" (1993), algorithm 2.8: the share of swaps in which any comparison that stands
 * no higher than this one does as well, and never less than that of a comparison that stands higher.
 */
export function stepDown(scores: readonly Float64Array[], swaps: Swaps): Shown {
  const observed = scores.map((byRound) => byRound.reduce((sum, score) => sum + score, 0));
  const ascending = scores.map((_, index) => index).sort((left, right) => at(observed, left) - at(observed, right));
  const maxima = new Float64Array(swaps.count).fill(Number.NEGATIVE_INFINITY);
  const adjustedP = observed.map(() => 1);
  for (const index of ascending) {
    raise(maxima, swappedSums(scores[index] ?? [], swaps));
    adjustedP[index] = shareAtLeast(maxima, at(observed, index));
  }
  let highest = 0;
  for (const index of ascending.reverse()) {
    highest = Math.max(highest, at(adjustedP, index));
    adjustedP[index] = highest;
  }
  return { observed, maxima, adjustedP };
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? Number.NaN;
}

function raise(maxima: Float64Array, sums: Float64Array): void {
  for (let swap = 0; swap < maxima.length; swap += 1) {
    const sum = sums[swap] ?? 0;
    if (sum > (maxima[swap] ?? 0)) {
      maxima[swap] = sum;
    }
  }
}
