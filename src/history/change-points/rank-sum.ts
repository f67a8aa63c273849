import { sorted } from '../../foundation/statistics.ts';
import { mannWhitneyP } from '../../judge/inference/counts.ts';
import { normalQuantile, normalTail } from '../../judge/inference/distributions.ts';
import { midRanks } from '../../judge/inference/location.ts';

/** Above it the estimate says little but that the values hang together. */
const STRONGEST = 0.8;

/** Differences beyond this many of their median sizes count as if they were there. */
const CLIPPED_AT = 3;

/**
 * What to multiply the evidence for changes among values by, from 1 (values that follow each other are independent) down
 * to 1/3: sqrt((1 - rho) / (1 + rho)), where rho is their lag-1 autocorrelation. If neighbors resemble each other, a
 * level that lasts for some values is no evidence of a change. Rho is taken from differences, as changes among the values
 * would make products of residuals look like autocorrelation: values two places apart differ 1 + rho times as much,
 * squared, as neighbors do. What chance alone makes of it among few values is taken off.
 */
export function independenceOf(values: Float64Array): number {
  const neighbours = meanSquare(sizesOfSteps(values, 1));
  const rho = neighbours > 0 ? meanSquare(sizesOfSteps(values, 2)) / neighbours - 1 : 0;
  const bounded = Math.min(STRONGEST, Math.max(0, rho - 1 / Math.sqrt(Math.max(1, values.length))));
  return Math.sqrt((1 - bounded) / (1 + bounded));
}

/** How much values so many places apart differ. */
function sizesOfSteps(values: Float64Array, apart: number): Float64Array {
  const sizes = new Float64Array(Math.max(0, values.length - apart));
  for (let place = 0; place < sizes.length; place += 1) {
    sizes[place] = Math.abs((values[place + apart] ?? 0) - (values[place] ?? 0));
  }
  return sizes;
}

/** Of what is left when the largest are cut back, so that a change or an outlier among the values does not decide. */
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
 * Up to this many values on one side, the normal approximation cannot give the small p that they prove, so that a change
 * would be believed some values later than need be.
 */
const FEW = 7;

/**
 * The two-sided p that values before and after a place come from one distribution: Mann and Whitney's, exact if one
 * side has few values (ties included), with its evidence multiplied by a factor for neighbors that resemble each other.
 */
export function changeP(left: Float64Array, right: Float64Array, independence: number): number {
  const p = independentP([...left], [...right]);
  return Math.min(1, 2 * normalTail(-normalQuantile(p / 2) * independence));
}

function independentP(left: readonly number[], right: readonly number[]): number {
  const few = left.length <= right.length ? left : right;
  return few.length > FEW ? mannWhitneyP(left, right) : exactP(few, few === left ? right : left);
}

/** Twice the share of all choices of as many of the values whose rank sum is as far out on the same side. */
function exactP(few: readonly number[], many: readonly number[]): number {
  const count = few.length + many.length;
  const { ranks } = midRanks([...few, ...many]);
  const isLow = sumOf(ranks.slice(0, few.length)) <= (few.length * (count + 1)) / 2;
  // Mid-ranks are halves; counted from the end that the few values are nearer to.
  const doubled = ranks.map((rank) => 2 * (isLow ? rank : count + 1 - rank));
  return Math.min(1, 2 * shareUpTo(doubled, few.length, sumOf(doubled.slice(0, few.length))));
}

/** The share of all choices of so many of the whole numbers whose sum is no larger. */
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

/** Ranks of values from 1 upwards, ties sharing the middle of theirs: those of inference/, without an object for each value. */
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
 * The same of the values from one place to another alone, out of their ranks among more values. By counting: the many short scans
 * have no time for a sort.
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

/** The first place in ascending numbers of one that is at least so large; their count if none is. */
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
 * The median, to the last bit what `median` of statistics.ts gives, without sorting: of thousands of differences it is asked for
 * again and again. Puts the values into another order; undefined for none.
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
 * The value that a sort would put at a place, by Hoare's FIND (1961) as Wirth wrote it: afterwards no value before the place is
 * larger, and none behind it smaller.
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

/** Where the values up to a pivot end, and where those from it on begin; between them there may be one that is equal. */
interface Parts {
  readonly lowEnd: number;
  readonly highStart: number;
}

function parted(values: Float64Array, [low, high]: readonly [number, number], pivot: number): Parts {
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
