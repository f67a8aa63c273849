import { seededRandom } from '../../foundation/random.ts';
import { finite } from '../../foundation/statistics.ts';
import { normalTail } from './distributions.ts';
import { midRanks } from './location.ts';
import { allSwaps, drawnSwaps, EXHAUSTIVE_ROUNDS, shareAtLeast, swappedSums } from './swaps.ts';

/** Up to this many values in both samples, all counts of orders are integers that a double represents exactly. */
const EXACT_UP_TO = 50;

/**
 * Two-sided p that two independent samples come from one distribution (Mann and Whitney, 1947): exact without ties up to 50 values in total,
 * otherwise by the normal approximation corrected for ties and continuity. It treats values as independent, which slots of one job are not. Throws a
 * RangeError for an empty sample.
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
  return normalP(smaller - most / 2, most, groups, ranks.length);
}

function normalP(distance: number, most: number, groups: readonly number[], count: number): number {
  const ties = groups.reduce((sum, size) => sum + (size ** 3 - size), 0);
  const variance = (most / 12) * (count + 1 - ties / (count * (count - 1)));
  if (variance <= 0) {
    return 1;
  }
  return Math.min(1, 2 * normalTail((Math.abs(distance) - 0.5) / Math.sqrt(variance)));
}

/** Share of all orders of the values with at most this many wins. */
function exactLowerTail(wins: number, one: number, other: number): number {
  const orders = ordersByWins(one, other);
  const total = orders.reduce((sum, count) => sum + count, 0);
  return orders.slice(0, wins + 1).reduce((sum, count) => sum + count, 0) / total;
}

/** Number of orders with 0, 1, 2, ... wins: the coefficients of the Gaussian binomial, the product over i of (1 - q^(other + i)) / (1 - q^i). */
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

interface ErrorCounts {
  readonly failed: number;
  readonly requests: number;
}

/** Random swaps above 13 rounds. */
const DRAWS = 20_000;

export interface ErrorRound {
  readonly base: ErrorCounts;
  readonly head: ErrorCounts;
}

/**
 * One-sided p that head fails more often than base, stratified by round: the share of label swaps with at least as many failures of head in excess of
 * the round's common rate times its requests. With equal numbers of requests on both sides that excess is half the difference of counts; with more on
 * one side it does not mistake a faster version for a failing one. Exact up to 13 rounds, by random swaps of the seed above; never less than 2^-n, so
 * that 9 rounds cannot give 0.1%. Throws a RangeError for impossible counts.
 */
export function errorRateP(rounds: readonly ErrorRound[], seed: number): number {
  const excesses = rounds.map(excessOfHead);
  const size = excesses.reduce((sum, excess) => sum + Math.abs(excess), 0);
  if (size === 0) {
    return 1;
  }
  const scores = excesses.map((excess) => excess / size);
  const swaps =
    rounds.length <= EXHAUSTIVE_ROUNDS ? allSwaps(rounds.length) : drawnSwaps(rounds.length, DRAWS, seededRandom(seed));
  return shareAtLeast(
    swappedSums(scores, swaps),
    scores.reduce((sum, score) => sum + score, 0),
  );
}

function excessOfHead({ base, head }: ErrorRound): number {
  for (const { failed, requests } of [base, head]) {
    if (!Number.isInteger(failed) || !Number.isInteger(requests) || failed < 0 || failed > requests) {
      throw new RangeError(`${failed} failed of ${requests} requests`);
    }
  }
  const requests = base.requests + head.requests;
  return requests === 0 ? 0 : (head.failed * base.requests - base.failed * head.requests) / requests;
}
