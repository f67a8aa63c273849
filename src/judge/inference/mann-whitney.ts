import { finite } from '../../foundation/finite.ts';
import { midRanks } from './mid-ranks.ts';
import { normalTail } from './normal.ts';

/** Up to so many values of both samples all counts of orders are whole numbers that a double holds exactly. */
const EXACT_UP_TO = 50;

/**
 * The two-sided p that two independent samples come from one distribution (Mann and Whitney, 1947): exact without ties
 * up to 50 values in all, otherwise by the normal approximation with correction for ties and continuity.
 * It takes values as independent, which slots of one job are not. Throws a RangeError for an empty sample.
 */
export function mannWhitneyP(one: readonly number[], other: readonly number[]): number {
  if (one.length === 0 || other.length === 0) {
    throw new RangeError('a sample without values');
  }
  const { ranks, groups } = midRanks(finite([...one, ...other], 'a value'));
  const rankSum = ranks.slice(0, one.length).reduce((sum, rank) => sum + rank, 0);
  const wins = rankSum - (one.length * (one.length + 1)) / 2;
  const most = one.length * other.length;
  const smaller = Math.min(wins, most - wins);
  if (groups.length === ranks.length && ranks.length <= EXACT_UP_TO) {
    return Math.min(1, 2 * exactLowerTail(smaller, one.length, other.length));
  }
  return normalP(smaller - most / 2, { most, groups, count: ranks.length });
}

interface Tied {
  readonly most: number;
  readonly groups: readonly number[];
  readonly count: number;
}

function normalP(distance: number, { most, groups, count }: Tied): number {
  const ties = groups.reduce((sum, size) => sum + (size ** 3 - size), 0);
  const variance = (most / 12) * (count + 1 - ties / (count * (count - 1)));
  if (variance <= 0) {
    return 1;
  }
  return Math.min(1, 2 * normalTail((Math.abs(distance) - 0.5) / Math.sqrt(variance)));
}

/** The share of all orders of the values with at most so many wins. */
function exactLowerTail(wins: number, one: number, other: number): number {
  const orders = ordersByWins(one, other);
  const total = orders.reduce((sum, count) => sum + count, 0);
  return orders.slice(0, wins + 1).reduce((sum, count) => sum + count, 0) / total;
}

/**
 * How many orders have 0, 1, 2, ... wins: the coefficients of the Gaussian binomial, the product over i of
 * (1 - q^(other + i)) / (1 - q^i).
 */
function ordersByWins(one: number, other: number): readonly number[] {
  const counts = new Array<number>(one * other + 1).fill(0);
  counts[0] = 1;
  for (let i = 1; i <= one; i += 1) {
    for (let wins = counts.length - 1; wins >= other + i; wins -= 1) {
      counts[wins] = (counts[wins] ?? 0) - (counts[wins - other - i] ?? 0);
    }
    for (let wins = i; wins < counts.length; wins += 1) {
      counts[wins] = (counts[wins] ?? 0) + (counts[wins - i] ?? 0);
    }
  }
  return counts;
}
