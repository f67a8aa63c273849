import type { Levels } from './levels.ts';
import { middleOf } from './rank-sum.ts';

/** Fewer values on one side of a change could be outliers. */
export const FEWEST_A_SIDE = 5;

/** A step of this many standard deviations is clear: autocorrelation alone does not produce it. */
const CLEAR = 6;

/** Converts a median absolute deviation to a standard deviation, for a normal distribution. */
const NORMAL = 1.4826;

const NEAR = 10;

const REACH = 3;

/** Height of a step in standard deviations within its sides; 0 if it is not clear. */
export function clarityOf(left: Float64Array, right: Float64Array): number {
  const [before, after] = [middleOf(left.slice()) ?? 0, middleOf(right.slice()) ?? 0];
  const height = Math.abs(after - before);
  if (height === 0) {
    return 0;
  }
  const deviations = new Float64Array(left.length + right.length);
  deviations.set(left.map((value) => Math.abs(value - before)));
  deviations.set(
    right.map((value) => Math.abs(value - after)),
    left.length,
  );
  const clarity = height / (NORMAL * (middleOf(deviations) ?? 0));
  return clarity >= CLEAR ? clarity : 0;
}

/**
 * Indexes from `from` on at which the levels of the 10 values before and after differ clearly, and by the smallest change at least; the
 * clearest one within 5 indexes of each.
 */
export function clearSteps({ logs, smallest }: Pick<Levels, 'logs' | 'smallest'>, from: number): readonly number[] {
  const last = logs.length - FEWEST_A_SIDE;
  const first = Math.max(FEWEST_A_SIDE, from - FEWEST_A_SIDE);
  const few = new Float64Array(NEAR);
  const middles = new Float64Array(logs.length + 1).fill(Number.NaN);
  // The values after one index are those before another, so medians are cached.
  const middleBefore = (end: number): number => {
    const known = middles[end] ?? Number.NaN;
    const middle = Number.isNaN(known) ? middleOfFew(logs.subarray(Math.max(0, end - NEAR), end), few) : known;
    middles[end] = middle;
    return middle;
  };
  const clarity = new Float64Array(logs.length);
  for (let at = first; at <= last; at += 1) {
    const after = at + NEAR > logs.length ? middleOfFew(logs.subarray(at), few) : middleBefore(at + NEAR);
    if (Math.abs(after - middleBefore(at)) >= smallest) {
      clarity[at] = clarityOf(logs.subarray(Math.max(0, at - NEAR), at), logs.subarray(at, at + NEAR));
    }
  }
  return [...clarity.keys()].filter((at) => {
    const own = clarity[at] ?? 0;
    return (
      own > 0 && clarity.subarray(Math.max(0, at - FEWEST_A_SIDE), at + FEWEST_A_SIDE + 1).every((one) => one <= own)
    );
  });
}

/** Median of a few values, by an insertion sort in `room`, as it runs hundreds of thousands of times. */
function middleOfFew(values: Float64Array, room: Float64Array): number {
  for (let count = 0; count < values.length; count += 1) {
    const value = values[count] ?? 0;
    let place = count;
    while (place > 0 && (room[place - 1] ?? 0) > value) {
      room[place] = room[place - 1] ?? 0;
      place -= 1;
    }
    room[place] = value;
  }
  const above = Math.floor(values.length / 2);
  return ((room[above] ?? 0) + (room[values.length - 1 - above] ?? 0)) / 2;
}

/** Index within 3 of `at`, and from `first` on, at which the values are nearest to the medians on either side; the nearest one of equal indexes. */
export function parting(
  logs: Float64Array,
  at: number,
  { from, to, first }: { readonly from: number; readonly to: number; readonly first: number },
): number {
  let best = at;
  let least = Number.POSITIVE_INFINITY;
  const nearest = [at, ...Array.from({ length: REACH }, (_, index) => [at - index - 1, at + index + 1]).flat()];
  for (const place of nearest) {
    if (place >= first && place - from >= FEWEST_A_SIDE && to - place >= FEWEST_A_SIDE) {
      const distance = distanceOf(logs.subarray(from, place)) + distanceOf(logs.subarray(place, to));
      if (distance < least - EQUAL) {
        least = distance;
        best = place;
      }
    }
  }
  return best;
}

const MIDDLE = 1 / 3;

/** 2 ln 3: the likelihood ratio of two splits is below 3, for a normal distribution. */
const AS_LIKELY = 2.2;

/**
 * Better neighbor of a split at `at` that parts the values nearly as well: the value between them is in the middle third of both levels, or
 * the likelihoods hardly differ. Undefined if the split is clear.
 */
export function nearlyAsWell(
  logs: Float64Array,
  { from, at, to }: { readonly from: number; readonly at: number; readonly to: number },
): number | undefined {
  const [left, right] = [logs.subarray(from, at), logs.subarray(at, to)];
  const [before, after] = [middleOf(left.slice()) ?? 0, middleOf(right.slice()) ?? 0];
  const height = Math.abs(after - before);
  const off = [...left.map((one) => Math.abs(one - before)), ...right.map((one) => Math.abs(one - after))];
  const scatter = NORMAL * (middleOf(Float64Array.from(off)) ?? 0);
  const limit = Math.max(MIDDLE * height, (AS_LIKELY * scatter ** 2) / height);
  const cost = (value: number, [own, other]: readonly [number, number]) =>
    Math.abs(value - other) - Math.abs(value - own);
  const earlier = { place: at - 1, cost: cost(logs[at - 1] ?? 0, [before, after]) };
  const later = { place: at + 1, cost: cost(logs[at] ?? 0, [after, before]) };
  const best = later.cost < earlier.cost - EQUAL ? later : earlier;
  return height > 0 && best.cost <= limit ? best.place : undefined;
}

/** Tolerance for rounding errors of sums in another order. */
const EQUAL = 1e-12;

function distanceOf(values: Float64Array): number {
  const middle = middleOf(values.slice()) ?? 0;
  return values.reduce((sum, value) => sum + Math.abs(value - middle), 0);
}
