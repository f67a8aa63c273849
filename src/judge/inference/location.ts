import { finite } from '../../foundation/finite.ts';
import { type Sorted, sorted } from '../../foundation/statistics.ts';

/** Bounds in the unit of the differences. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Of each tail, half of what a 95 % interval leaves out. */
const TAIL = 0.025;

/**
 * The Hodges-Lehmann estimate of where the differences are centred: the median of the means of all pairs, each value
 * with itself included (Hodges and Lehmann, "Estimates of Location Based on Rank Tests", 1963).
 * Throws a RangeError for no differences, and for one that is not finite.
 */
export function hodgesLehmann(differences: readonly number[]): number {
  const means = pairMeans(differences);
  const upper = means.length >> 1;
  const [below, above] = [means[means.length - 1 - upper], means[upper]];
  if (below === undefined || above === undefined) {
    throw new RangeError('no differences to estimate from');
  }
  return (below + above) / 2;
}

/**
 * The exact 95 % confidence interval of the Hodges-Lehmann estimate, by inverting the signed-rank test (Hollander,
 * Wolfe and Chicken, "Nonparametric Statistical Methods", 2014, section 3.3). Covers more than 95 % where differences
 * tie. Undefined for fewer than 6, for which no such interval exists; throws a RangeError for one that is not finite.
 */
export function signedRankInterval(differences: readonly number[]): Interval | undefined {
  const means = pairMeans(differences);
  const dropped = rankSumsInTail(differences.length);
  const [low, high] = [means[dropped - 1], means[means.length - dropped]];
  return low === undefined || high === undefined ? undefined : { low, high };
}

/** The Walsh averages. */
function pairMeans(values: readonly number[]): Sorted {
  finite(values, 'a difference');
  return sorted(values.flatMap((one, index) => values.slice(index).map((other) => (one + other) / 2)));
}

/** How many of the signed-rank sums 0, 1, 2, ... lie in the tail under the null: the least sum that does not. */
function rankSumsInTail(count: number): number {
  const probabilities = new Float64Array((count * (count + 1)) / 2 + 1);
  probabilities[0] = 1;
  for (let rank = 1; rank <= count; rank += 1) {
    // A rank is added to the sum or not, each with probability 1/2.
    for (let sum = (rank * (rank + 1)) / 2; sum >= 0; sum -= 1) {
      probabilities[sum] = ((probabilities[sum] ?? 0) + (probabilities[sum - rank] ?? 0)) / 2;
    }
  }
  let below = 0;
  return probabilities.findIndex((probability) => {
    below += probability;
    return below > TAIL;
  });
}
