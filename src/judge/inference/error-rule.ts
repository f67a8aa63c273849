import { seededRandom } from '../../foundation/random.ts';
import { allSwaps, drawnSwaps, EXHAUSTIVE_ROUNDS, shareAtLeast, swappedSums } from './swaps.ts';

/** Requests of one side in one round. */
export interface ErrorCounts {
  readonly failed: number;
  readonly requests: number;
}

/** Random swaps beyond 13 rounds. */
const DRAWS = 20_000;

/** Both sides of one round. */
interface ErrorRound {
  readonly base: ErrorCounts;
  readonly head: ErrorCounts;
}

/**
 * The one-sided p that head fails more often than base, stratified by round: the share of label swaps with at least so
 * many failures of head in excess of what the round's common rate gives its requests. With as many requests on both
 * sides that excess is half the difference of counts; with more on one side it does not mistake a faster version for a
 * failing one. Exact up to 13 rounds, by random swaps of the seed beyond; never less than 2^-n, so that 9 rounds cannot
 * give 0.1 %. Throws a RangeError for counts that cannot be.
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
