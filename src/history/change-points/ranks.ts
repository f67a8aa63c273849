import { sorted } from '../../foundation/statistics.ts';
import { firstAtLeast } from './place.ts';

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
