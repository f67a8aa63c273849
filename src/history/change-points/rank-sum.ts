import { sorted } from '../../foundation/statistics.ts';
import { mannWhitneyP } from '../../judge/inference/counts.ts';
import { normalQuantile, normalTail } from '../../judge/inference/distributions.ts';
import { midRanks } from '../../judge/inference/location.ts';

/** Upper bound of the autocorrelation, above which its estimate is unreliable. */
const STRONGEST = 0.8;

/** Differences are clipped at this multiple of their median size. */
const CLIPPED_AT = 3;

/**
 * Factor for the evidence of changes among values, from 1 (independent values) down to 1/3: sqrt((1 - rho) / (1 + rho)), where rho is their
 * lag-1 autocorrelation. If neighbors resemble each other, a level that lasts for some values is no evidence of a change. Rho is estimated
 * from differences, since changes of level would look like autocorrelation in products of residuals: squared differences at lag 2 are 1 +
 * rho times those at lag 1. The sampling error of few values is subtracted.
 */
export function independenceOf(values: Float64Array): number {
  const neighbors = meanSquare(sizesOfSteps(values, 1));
  const rho = neighbors > 0 ? meanSquare(sizesOfSteps(values, 2)) / neighbors - 1 : 0;
  const bounded = Math.min(STRONGEST, Math.max(0, rho - 1 / Math.sqrt(Math.max(1, values.length))));
  return Math.sqrt((1 - bounded) / (1 + bounded));
}

/** Absolute differences of values at this lag. */
function sizesOfSteps(values: Float64Array, apart: number): Float64Array {
  const sizes = new Float64Array(Math.max(0, values.length - apart));
  for (let place = 0; place < sizes.length; place += 1) {
    sizes[place] = Math.abs((values[place + apart] ?? 0) - (values[place] ?? 0));
  }
  return sizes;
}

/** Mean square of clipped sizes, so that a change or an outlier does not dominate. */
function meanSquare(sizes: Float64Array): number {
  const bound = CLIPPED_AT * (middleOf(sizes.slice()) ?? 0);
  let squares = 0;
  for (const size of sizes) {
    const clipped = Math.min(bound, size);
    squares += clipped * clipped;
  }
  return sizes.length === 0 ? 0 : squares / sizes.length;
}

/**
 * Up to this many values on one side, the exact test is used: the normal approximation cannot give the small p, which would delay detection
 * by some values.
 */
const FEW = 7;

/**
 * Two-sided p-value of the Mann-Whitney test, exact if one side has few values (ties included), with its evidence multiplied by the factor
 * of `independenceOf`.
 */
export function changeP(left: Float64Array, right: Float64Array, independence: number): number {
  const [few, many] = left.length <= right.length ? [[...left], [...right]] : [[...right], [...left]];
  const p = few.length > FEW ? mannWhitneyP([...left], [...right]) : exactP(few, many);
  return Math.min(1, 2 * normalTail(-normalQuantile(p / 2) * independence));
}

/** Exact p: twice the share of all subsets of this size whose rank sum is as extreme on the same side. */
function exactP(few: readonly number[], many: readonly number[]): number {
  const count = few.length + many.length;
  const { ranks } = midRanks([...few, ...many]);
  const isLow = sumOf(ranks.slice(0, few.length)) <= (few.length * (count + 1)) / 2;
  // Doubled since mid-ranks are multiples of a half; counted from the nearer end.
  const doubled = ranks.map((rank) => 2 * (isLow ? rank : count + 1 - rank));
  return Math.min(1, 2 * shareUpTo(doubled, few.length, sumOf(doubled.slice(0, few.length))));
}

function shareUpTo(numbers: readonly number[], chosen: number, most: number): number {
  const bySize = Array.from({ length: chosen + 1 }, () => new Float64Array(most + 1));
  bySize[0]?.fill(1, 0, 1);
  numbers.forEach((number, place) => {
    for (let size = Math.min(chosen, place + 1); size >= 1; size -= 1) {
      addShifted(bySize[size] as Float64Array, bySize[size - 1] as Float64Array, number);
    }
  });
  const choices = Array.from({ length: chosen }, (_, place) => (numbers.length - place) / (place + 1));
  return sumOf(bySize[chosen] as Float64Array) / choices.reduce((product, factor) => product * factor, 1);
}

function addShifted(counts: Float64Array, smaller: Float64Array, shift: number): void {
  for (let sum = shift; sum < counts.length; sum += 1) {
    counts[sum] = (counts[sum] ?? 0) + (smaller[sum - shift] ?? 0);
  }
}

function sumOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let place = 0; place < values.length; place += 1) {
    sum += values[place] ?? 0;
  }
  return sum;
}

/** Mid-ranks of values, from 1; like `midRanks` of inference/, but without allocating an object per value. */
export function midRanksOf(values: Float64Array): Float64Array {
  const order = sorted(values);
  return values.map((value) => {
    const first = firstAtLeast(order, value);
    let next = first + 1;
    while (order[next] === value) {
      next += 1;
    }
    return (first + next + 1) / 2;
  });
}

/**
 * Mid-ranks of the values between two indexes, derived from their ranks among more values. It counts, since sorting is too slow for the
 * many short scans.
 */
export function midRanksWithin(ranks: Float64Array, from: number, to: number): Float64Array {
  if (to - from === ranks.length) {
    return ranks;
  }
  // Ranks of values that differ are at least 1 apart.
  const middles = new Float64Array(ranks.length + 1);
  for (let place = from; place < to; place += 1) {
    const rank = Math.floor(ranks[place] ?? 0);
    middles[rank] = (middles[rank] ?? 0) + 1;
  }
  let smaller = 0;
  for (let rank = 0; rank < middles.length; rank += 1) {
    const tied = middles[rank] ?? 0;
    middles[rank] = smaller + (tied + 1) / 2;
    smaller += tied;
  }
  const found = new Float64Array(to - from);
  for (let offset = 0; offset < found.length; offset += 1) {
    found[offset] = middles[Math.floor(ranks[from + offset] ?? 0)] ?? 0;
  }
  return found;
}

/** First index in ascending numbers of one that is at least `value`; their count if there is none. */
export function firstAtLeast(order: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((order[middle] ?? 0) < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/**
 * Median without sorting, bit by bit equal to `median` of statistics.ts; it runs many times on thousands of differences. Reorders the
 * values; undefined for none.
 */
export function middleOf(values: Float64Array): number | undefined {
  if (values.length === 0) {
    return undefined;
  }
  const place = (values.length - 1) / 2;
  const below = placed(values, Math.floor(place));
  const above = Number.isInteger(place) ? below : smallest(values, Math.ceil(place));
  return below + (above - below) * (place - Math.floor(place));
}

/**
 * Value that sorting would put at an index, by Hoare's FIND (1961) in Wirth's form. Afterwards no value before the index is larger, and
 * none after it smaller.
 */
function placed(values: Float64Array, place: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const { lowEnd, highStart } = parted(values, [low, high], values[place] ?? 0);
    low = lowEnd < place ? highStart : low;
    high = place < highStart ? lowEnd : high;
  }
  return values[place] ?? 0;
}

function parted(
  values: Float64Array,
  [low, high]: readonly [number, number],
  pivot: number,
): { readonly lowEnd: number; readonly highStart: number } {
  let [left, right] = [low, high];
  while (left <= right) {
    while ((values[left] ?? pivot) < pivot) {
      left += 1;
    }
    while ((values[right] ?? pivot) > pivot) {
      right -= 1;
    }
    if (left <= right) {
      exchange(values, left, right);
      left += 1;
      right -= 1;
    }
  }
  return { lowEnd: right, highStart: left };
}

function exchange(values: Float64Array, one: number, other: number): void {
  const taken = values[one] ?? 0;
  values[one] = values[other] ?? 0;
  values[other] = taken;
}

function smallest(values: Float64Array, from: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let place = from; place < values.length; place += 1) {
    least = Math.min(least, values[place] ?? 0);
  }
  return least;
}
