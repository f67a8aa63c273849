import { finite, median } from '../../foundation/statistics.ts';
import type { Look } from '../../model/rounds.ts';
import { normalQuantile, studentQuantile } from './distributions.ts';
import { FEWEST_ROUNDS, hodgesLehmann, signedRankInterval } from './location.ts';

export interface Detectable {
  /** log(head / base) by round; positive is worse. */
  readonly differences: readonly number[];
  readonly alpha: number;
  readonly familySize: number;
  /** Change that is ignored, relative: 0.01 is +1%. */
  readonly floor: number;
  /** Change that fails a pull request, relative. */
  readonly threshold: number;
}

/** Standard error of the Hodges-Lehmann estimate relative to the mean, under normal noise: 0.99 to 1.07 at the looks. */
const ESTIMATE_LOSS = 1.05;

/**
 * The same for the family's test, relative to Student's t with Bonferroni's bound, which follows it more closely at 10 to 30 rounds than the normal
 * distribution. `npm run bench:detectable` prints it for the looks of a comparison: at 10 to 30 rounds 1.12 to 1.22 by differences and 1.14 to 1.24
 * by ranks; at 8 rounds 1.15 to 1.28 by differences, while ranks of so few rounds may miss any change.
 */
const TEST_LOSS = 1.17;

/** From this many rounds on, Student's t needs only a few more than the normal distribution: no forecast is that precise. */
const LIKE_NORMAL = 1000;

/** Confidence of one end of the interval over the usual looks, at those of 8 to 12 rounds alone (0.988 to 0.992); later it rises up to 0.997. */
const SURE_AT_A_LOOK = 0.99;

/** Converts the median absolute deviation of normal values to their standard deviation. */
const MAD_TO_SD = 1.4826;

/** Noise of one round: the robust standard deviation of log(head / base). Throws a RangeError without differences. */
export function noiseOf(differences: readonly number[]): number {
  const middle = medianOf(finite(differences, 'a difference'));
  return MAD_TO_SD * medianOf(differences.map((difference) => Math.abs(difference - middle)));
}

/**
 * Smallest change, relative (0.034 is +3.4%), that this many rounds with this noise would call a regression in 90 of 100 runs: significant and not
 * below the threshold. Undefined if there are too few rounds for any. An approximation: within a tenth for normal noise, optimistic at 10 rounds with
 * one outlier in ten, and at 8 rounds by ranks, for which no report shows it.
 */
export function smallestDetectable(comparison: Detectable): number | undefined {
  const { differences, alpha, floor, threshold } = comparison;
  const rounds = differences.length;
  if (rounds < FEWEST_ROUNDS || 2 ** -rounds > alpha) {
    return undefined;
  }
  const error = noiseOf(differences) / Math.sqrt(rounds);
  const missed = normalQuantile(0.9);
  const critical = studentQuantile(confidence(comparison), rounds - 1);
  const significant = Math.log1p(floor) + (critical + missed) * TEST_LOSS * error;
  return Math.expm1(Math.max(significant, Math.log1p(threshold) + missed * ESTIMATE_LOSS * error));
}

/**
 * Rounds after which a change of this size (relative) would be called a regression in 95 of 100 runs with this noise; at least those of the first
 * look. Infinite for a change that does not exceed the floor and the threshold.
 */
export function roundsNeeded(comparison: Detectable, effect: number): number {
  const noise = noiseOf(comparison.differences);
  const missed = normalQuantile(0.95);
  const above = (bound: number) => Math.max(0, Math.log1p(effect) - Math.log1p(bound));
  if (above(comparison.floor) === 0 || above(comparison.threshold) === 0) {
    return Number.POSITIVE_INFINITY;
  }
  const toBeRelevant = ((missed * ESTIMATE_LOSS * noise) / above(comparison.threshold)) ** 2;
  const toBeSignificant = fewestRounds(FEWEST_ROUNDS, {
    confidence: confidence(comparison),
    missed,
    noise: (TEST_LOSS * noise) / above(comparison.floor),
  });
  return Math.max(toBeSignificant, Math.ceil(toBeRelevant));
}

/**
 * Rounds, including measured ones, after which an open comparison would be decided if its estimate and noise stayed the same: found significant, or
 * its interval below the threshold. At least one more than there are, or those of the first look. A forecast of the median case: half of all
 * comparisons need more.
 */
export function roundsToDecide(comparison: Detectable): number {
  const { differences, floor, threshold } = comparison;
  const interval = signedRankInterval(differences);
  if (interval === undefined || differences.length < FEWEST_ROUNDS) {
    return FEWEST_ROUNDS;
  }
  const estimate = hodgesLehmann(differences);
  const roundsFor = (halfWidth: number, distance: number, required: number) => {
    const error = halfWidth / studentQuantile(0.975, differences.length - 1);
    const noise = (error * Math.sqrt(differences.length)) / distance;
    return distance > 0
      ? fewestRounds(differences.length + 1, { confidence: required, missed: 0, noise })
      : Number.POSITIVE_INFINITY;
  };
  return Math.min(
    roundsFor(interval.high - estimate, Math.log1p(threshold) - estimate, SURE_AT_A_LOOK),
    roundsFor(estimate - interval.low, estimate - Math.log1p(floor), confidence(comparison)),
  );
}

/** Three quarters of unchanged comparisons are estimated below this many standard errors. */
const USUALLY = 0.75;

/** Rounds after which the interval of an unchanged comparison with this noise is usually below its threshold (relative); at least those of the first look. */
export function roundsIfUnchanged(sd: number, threshold: number): number {
  return fewestRounds(FEWEST_ROUNDS, {
    confidence: SURE_AT_A_LOOK,
    missed: normalQuantile(USUALLY),
    noise: (ESTIMATE_LOSS * sd) / Math.log1p(threshold),
  });
}

/** Rounds of a comparison, and of the last possible look. */
export interface LooksAhead {
  readonly reached: number;
  readonly last: number;
}

export function looksAhead(planned: readonly Look[], reached: number): LooksAhead {
  return { reached, last: Math.max(reached, planned.at(-1)?.rounds ?? 0) };
}

/**
 * True if noise hides an open comparison: its estimate is below its threshold, so more rounds would seldom show a regression; or, by the forecast, no
 * look would decide it. False if its whole interval exceeds the threshold, which is then visible but not yet proven.
 */
export function isHidden(comparison: Detectable, { reached, last }: LooksAhead): boolean {
  const { differences, threshold } = comparison;
  const interval = signedRankInterval(differences);
  const limit = Math.log1p(threshold);
  if (interval !== undefined && interval.low >= limit) {
    return false;
  }
  const decided = reached - differences.length + roundsToDecide(comparison);
  return reached >= last || hodgesLehmann(differences) < limit || decided > last;
}

interface Proof {
  readonly confidence: number;
  /** Standard errors of margin, so that noise seldom hides it. */
  readonly missed: number;
  /** Standard deviation of one round. */
  readonly noise: number;
}

/** Starts from the count of the normal distribution, which is a few rounds too low. */
function fewestRounds(from: number, proof: Proof): number {
  const requested = (quantileOf: number) => ((quantileOf + proof.missed) * proof.noise) ** 2;
  let rounds = Math.max(from, Math.ceil(requested(normalQuantile(proof.confidence))));
  while (rounds < LIKE_NORMAL && rounds < requested(studentQuantile(proof.confidence, rounds - 1))) {
    rounds += 1;
  }
  return rounds;
}

/** Confidence for one comparison that keeps alpha for the family (Bonferroni). */
function confidence({ alpha, familySize }: Detectable): number {
  return 1 - alpha / familySize;
}

function medianOf(values: readonly number[]): number {
  const middle = median(values);
  if (middle === undefined) {
    throw new RangeError('no differences to take a median of');
  }
  return middle;
}
