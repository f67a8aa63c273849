import { finite, median, type Sorted, sorted } from '../../foundation/statistics.ts';

/** Bounds in the unit of the differences. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Half of what a 95% interval leaves out, for each tail. */
export const TAIL = 0.025;

/**
 * Hodges-Lehmann estimate of the center of the differences: the median of the means of all pairs, including each value with itself (Hodges and
 * Lehmann, "Estimates of Location Based on Rank Tests", 1963). Throws a RangeError without differences, and for one that is not finite.
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
 * Exact 95% confidence interval of the Hodges-Lehmann estimate, by inverting the signed-rank test (Hollander, Wolfe and Chicken, "Nonparametric
 * Statistical Methods", 2014, section 3.3). Covers more than 95% if differences tie. Undefined for fewer than 6, for which no such interval exists;
 * throws a RangeError for one that is not finite.
 */
export function signedRankInterval(differences: readonly number[]): Interval | undefined {
  return intervalWithout(tailOf(signedRankShares(differences.length), TAIL).sums, differences);
}

/** Interval of the means of all pairs after dropping `dropped` - 1 on each side; undefined if too few are left. */
export function intervalWithout(dropped: number, differences: readonly number[]): Interval | undefined {
  const means = pairMeans(differences);
  const [low, high] = [means[dropped - 1], means[means.length - dropped]];
  return low === undefined || high === undefined ? undefined : { low, high };
}

/** Walsh averages. */
function pairMeans(values: readonly number[]): Sorted {
  finite(values, 'a difference');
  const means = new Float64Array((values.length * (values.length + 1)) / 2);
  let count = 0;
  for (const [index, one] of values.entries()) {
    for (let other = index; other < values.length; other += 1) {
      means[count] = (one + (values[other] ?? 0)) / 2;
      count += 1;
    }
  }
  return sorted(means);
}

/** Probability of each signed-rank sum 0, 1, 2, ... of n differences that are centered on 0. */
export function signedRankShares(count: number): Float64Array {
  const shares = new Float64Array((count * (count + 1)) / 2 + 1);
  shares[0] = 1;
  for (let rank = 1; rank <= count; rank += 1) {
    // A rank is part of the sum or not, each with probability 1/2.
    for (let sum = (rank * (rank + 1)) / 2; sum >= 0; sum -= 1) {
      shares[sum] = ((shares[sum] ?? 0) + (shares[sum - rank] ?? 0)) / 2;
    }
  }
  return shares;
}

/** Longest low end of a distribution over the sums 0, 1, 2, ... whose probability is at most this, with its probability. */
export function tailOf(shares: Float64Array, most: number) {
  let sums = 0;
  let share = 0;
  for (const one of shares) {
    if (share + one > most) {
      break;
    }
    share += one;
    sums += 1;
  }
  return { sums, share };
}

/** No verdict is possible with fewer rounds. */
export const FEWEST_ROUNDS = 8;

/** Mid-ranks of finite values in their order, and the sizes of tied groups, in ascending order; only exactly equal values tie. */
export function midRanks(values: readonly number[]) {
  const order = values.map((value, index) => ({ value, index })).sort((left, right) => left.value - right.value);
  const ranks = new Array<number>(values.length).fill(0);
  const groups: number[] = [];
  for (let from = 0; from < order.length; ) {
    const group = tiedFrom(order, from);
    for (const { index } of group) {
      ranks[index] = from + (group.length + 1) / 2;
    }
    groups.push(group.length);
    from += group.length;
  }
  return { ranks, groups };
}

function tiedFrom<Placed extends { readonly value: number }>(
  order: readonly Placed[],
  from: number,
): readonly Placed[] {
  let to = from + 1;
  while (to < order.length && order[to]?.value === order[from]?.value) {
    to += 1;
  }
  return order.slice(from, to);
}

/**
 * Slope of y over x: the median slope of all pairs of points that differ in x (Sen, "Estimates of the Regression Coefficient Based on Kendall's Tau",
 * 1968). Undefined if no two points differ in x; throws a RangeError if x and y differ in length or are not finite.
 */
export function theilSen(x: readonly number[], y: readonly number[]): number | undefined {
  if (x.length !== y.length) {
    throw new RangeError(`${x.length} values of x for ${y.length} of y`);
  }
  const points = finite(x, 'x').map((at, index) => ({ at, value: y[index] ?? 0 }));
  finite(y, 'y');
  return median(slopesOf(points));
}

export interface Point {
  readonly at: number;
  readonly value: number;
}

/** Slopes of all pairs of points that differ in `at`. */
export function slopesOf(points: readonly Point[]): readonly number[] {
  return points.flatMap((one, place) =>
    points
      .slice(place + 1)
      .flatMap((other) => (other.at === one.at ? [] : (other.value - one.value) / (other.at - one.at))),
  );
}
