import { mannWhitneyP } from '../../judge/inference/mann-whitney.ts';
import { midRanks } from '../../judge/inference/mid-ranks.ts';
import { normalQuantile, normalTail } from '../../judge/inference/normal.ts';

/**
 * Up to so many values on one side, the normal approximation cannot give the small p that they prove, so that a change
 * would be believed some values later than need be.
 */
const FEW = 7;

/**
 * The two-sided p that values before and after a place come from one distribution: Mann and Whitney's, exact where one
 * side has few values (ties included), with its evidence multiplied by a factor for neighbours that resemble each other.
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
