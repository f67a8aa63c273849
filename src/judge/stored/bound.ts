import { median } from '../../foundation/statistics.ts';
import { noiseOf } from '../inference/detectable.ts';
import { studentQuantile } from '../inference/distributions.ts';
import { theilSen } from '../inference/location.ts';

/** Past value, ready for the rule. */
export interface StoredValue {
  /** Natural logarithm of the metric, negated if higher is better: up is worse. */
  readonly y: number;
  /** Natural logarithm of the control loop's time; undefined if the run had none. */
  readonly logControl: number | undefined;
  /** Rounds that it is the median of. */
  readonly rounds: number;
  /** Start time of its run, which identifies the run. */
  readonly at: string;
}

/** Past values in order of time, by stratum: those of one kind of machine between two steps, which share a level. */
export interface StoredValues {
  /** Values from the same kind of machine as the judged run, since the last step. */
  readonly own: readonly StoredValue[];
  readonly others: readonly (readonly StoredValue[])[];
}

/** Older runs of a level are less informative. */
export const MAX_RUNS = 30;

/** Number of runs from which a verdict is firm; a stratum with fewer is pooled with the others. */
export const FIRM_RUNS = 20;

/** Number of runs from which there is advice; with fewer, a history is only collected. */
export const ADVISORY_RUNS = 10;

/** Fewest runs of a stratum for its median to be its level. */
const STRATUM_RUNS = 5;

/**
 * Values for the rule, by stratum, the run's own stratum first: its newest 30 runs; if it has fewer than 20, together with every other stratum of
 * at least 5. Empty if that makes fewer than 10 runs, or if the own stratum has fewer than 5, since then its level is unknown.
 */
export function windowOf({ own, others }: StoredValues): readonly (readonly StoredValue[])[] {
  const recent = own.slice(-MAX_RUNS);
  if (recent.length >= FIRM_RUNS) {
    return [recent];
  }
  const pool = [recent, ...others.map((values) => values.slice(-MAX_RUNS))].filter(
    ({ length }) => length >= STRATUM_RUNS,
  );
  return recent.length < STRATUM_RUNS || pool.flat().length < ADVISORY_RUNS ? [] : pool;
}

/** Expected level of an unchanged run; logarithms, up is worse. */
export interface StoredLevel {
  /** Expected value at the run's control time. */
  readonly center: number;
  /** Robust standard deviation of one run, at least 1%. */
  readonly spread: number;
  /** Worst past run: as far above the center as it was above the median of its own stratum. */
  readonly worst: number;
  /** Values of the own stratum, adjusted to the run's control time, in order of time; the center is their median. */
  readonly own: readonly number[];
  /** All values minus the median of their stratum, the own stratum first. */
  readonly residuals: readonly (readonly { readonly at: string; readonly y: number }[])[];
  /** Runs that the spread comes from, and the strata that they were measured on. */
  readonly runs: number;
  readonly strata: number;
}

/** A history without variation does not predict the next machine: noise is never assumed to be below 1%. */
export const LEAST_SPREAD = 0.01;

/** Level of a non-empty window, for a run whose control loop took exp(`logControl`). */
export function levelOf(strata: readonly (readonly StoredValue[])[], logControl: number | undefined): StoredLevel {
  const slope = logControl === undefined ? 0 : controlSlope(strata);
  const values = strata.map((stratum) => stratum.map((value) => value.y - slope * offsetOf(stratum, value.logControl)));
  const [stratum = []] = strata;
  const own = (values[0] ?? []).map((y) => y + slope * offsetOf(stratum, logControl));
  const center = median(own) ?? 0;
  const residuals = values.map(aboutMedian);
  return {
    center,
    spread: spreadOf(residuals),
    worst: center + Math.max(...residuals.flat()),
    own,
    residuals: residuals.map((ys, row) => ys.map((y, place) => ({ y, at: strata[row]?.[place]?.at ?? '' }))),
    runs: residuals.flat().length,
    strata: strata.length,
  };
}

function spreadOf(residuals: readonly (readonly number[])[]): number {
  return Math.max(LEAST_SPREAD, pooledNoise(residuals));
}

/** Standard error of one run against the median of n normal values. */
function errorOf(spread: number, runs: number): number {
  return spread * Math.sqrt(1 + Math.PI / (2 * runs));
}

/** Distance of each past run above the level of the others, in standard errors. */
function excessesOf({ residuals }: StoredLevel): readonly { readonly at: string; readonly excess: number }[] {
  const all = residuals.map((stratum) => stratum.map(({ y }) => y));
  return residuals.flatMap((stratum, row) =>
    stratum.map(({ at, y }, place) => {
      const rest = (all[row] ?? []).filter((_, index) => index !== place);
      const middle = median(rest) ?? 0;
      const spread = spreadOf(
        all.with(
          row,
          rest.map((other) => other - middle),
        ),
      );
      return { at, excess: (y - middle) / errorOf(spread, rest.length) };
    }),
  );
}

/** Distance of a control time from the stratum's median; 0 if there is none to compare with. */
function offsetOf(stratum: readonly StoredValue[], logControl: number | undefined): number {
  const middle = median(stratum.flatMap((value) => value.logControl ?? []));
  return logControl === undefined || middle === undefined ? 0 : logControl - middle;
}

/**
 * Robust standard deviation of one run. Every stratum has its own median, from which one of its runs does not deviate at all; pooled, these zeros
 * would make the noise look a quarter smaller, so the smallest deviation of each stratum is left out.
 */
function pooledNoise(residuals: readonly (readonly number[])[]): number {
  const all = residuals.flat();
  if (residuals.length === 1) {
    return noiseOf(all);
  }
  const largest = all
    .map(Math.abs)
    .sort((left, right) => left - right)
    .slice(residuals.length);
  // With both signs their median is 0, so that only the sizes count.
  return noiseOf(largest.flatMap((size) => [size, -size]));
}

export interface HistoryRule {
  /** Standard errors above its level that make a run suspicious, in this family. */
  readonly critical: number;
  /** Slowdown that counts, relative: 0.05 is 5% worse. */
  readonly threshold: number;
}

/** Status of a run: `within-bound` is "no regression", `inconclusive` neither that nor a suspicion. */
export type BoundVerdict = 'suspicious' | 'within-bound' | 'inconclusive';

/** Bound that a run must exclude to count as not regressed: as for the interval of base against head. */
const CLEARED = 0.975;

/**
 * Compares one run with its level. The bound is m + c * s * sqrt(1 + pi / (2 n)): one run's noise and that of a median of n normal values, times
 * the critical value of the family. The center is the own stratum's, so n is its runs. Suspicious: above the bound, above the threshold, and above
 * the worst run of the past by half the threshold. The last clause needs no distribution: without it real, heavy-tailed histories alarm four times
 * as often. No regression: not above the bound, the bound below the threshold, and a slowdown of the threshold excluded at 97.5%.
 */
export function boundOf(y: number, level: StoredLevel, rule: HistoryRule) {
  const { center, worst } = level;
  const limit = Math.log1p(rule.threshold);
  const degrees = level.runs - level.strata;
  const error = errorOf(level.spread, level.own.length);
  const bound = center + rule.critical * error;
  const suspicious = Math.max(bound, center + limit, worst + limit / 2);
  const cleared = Math.min(bound, center + limit - studentQuantile(CLEARED, degrees) * error);
  const isCleared = bound < center + limit && y <= cleared;
  const status: BoundVerdict = y > suspicious ? 'suspicious' : isCleared ? 'within-bound' : 'inconclusive';
  return {
    status,
    bound,
    /** Smallest slowdown, relative, that this past would have shown as a suspicion 9 times in 10. */
    detectable: Math.expm1(suspicious - center + studentQuantile(0.9, degrees) * error),
  };
}

/** Largest share of the noise that a useful normalization leaves: a random slope seldom reaches it. */
const NOISE_LEFT = 0.9;

/**
 * Share of a change of the control loop's time that shows in the metric: 0 not at all, 1 in proportion. The Theil-Sen slope over all strata, each
 * around its medians, within [0, 1]. 0 with fewer than 20 runs, if a run has no control time, and if normalizing does not reduce the noise by at
 * least 10%.
 */
export function controlSlope(strata: readonly (readonly StoredValue[])[]): number {
  const count = strata.flat().length;
  const logControls = strata.map((values) => values.flatMap(({ logControl }) => logControl ?? []));
  if (count < FIRM_RUNS || logControls.flat().length < count) {
    return 0;
  }
  const x = logControls.flatMap(aboutMedian);
  const y = strata.flatMap((values) => aboutMedian(values.map((value) => value.y)));
  const slope = Math.min(1, Math.max(0, theilSen(x, y) ?? 0));
  const left = y.map((value, index) => value - slope * (x[index] ?? 0));
  return noiseOf(left) <= NOISE_LEFT * noiseOf(y) ? slope : 0;
}

function aboutMedian(values: readonly number[]): readonly number[] {
  const middle = median(values) ?? 0;
  return values.map((value) => value - middle);
}

export interface Drift {
  /** Theil-Sen slope over 30 runs, as a relative change for the worse: 0.04 is 4% slower. */
  readonly per30Runs: number;
  /** Two-sided sign test of the second half against the first, run by run (Cox and Stuart, 1955). */
  readonly p: number;
}

/** Drift of values in order of time (logarithms, up is worse); undefined for fewer than two. */
export function driftOf(values: readonly number[]): Drift | undefined {
  const slope = theilSen(
    values.map((_, index) => index),
    values,
  );
  return slope === undefined ? undefined : { per30Runs: Math.expm1(slope * 30), p: trendP(values) };
}

/** True if a history slowed down gradually: unlikely by chance, and by at least 1% in 30 runs. */
export function isSlowdown({ per30Runs, p }: Drift): boolean {
  return p <= 0.01 && per30Runs >= 0.01;
}

/** With an odd count the middle value has no partner. */
function trendP(values: readonly number[]): number {
  const half = Math.floor(values.length / 2);
  const later = values.slice(values.length - half);
  const steps = later.map((value, index) => Math.sign(value - (values[index] ?? value))).filter((sign) => sign !== 0);
  const ups = steps.filter((sign) => sign > 0).length;
  return Math.min(1, 2 * atMost(Math.min(ups, steps.length - ups), steps.length));
}

/** Probability of at most k heads in n throws of a fair coin. */
function atMost(heads: number, throws: number): number {
  let term = 2 ** -throws;
  let sum = term;
  for (let count = 1; count <= heads; count += 1) {
    term *= (throws - count + 1) / count;
    sum += term;
  }
  return sum;
}

/** Rank, from the worst, of the past run that determines the critical value: one or two bad days do not decide. */
const RANK = 3;

/** Degrees of freedom of the assumed tail beyond the observed values: Student's t with 4. */
const TAIL = 4;

/**
 * Standard errors above its level that a figure must reach, so that at most a share `alpha` of unchanged runs shows any such figure in a family,
 * for any noise: heavy tails, and correlated figures. Each past run is compared with the others as a new one would be, and its worst figure
 * counts. A new run exceeds the third largest of n such worst figures with a probability of 3 / (n + 1). From there to `alpha` the value follows the
 * tail of Student's t with 4 degrees of freedom: the probability falls with the fourth power. It is never less than a single figure with normal noise
 * would need.
 */
export function criticalValue(levels: readonly StoredLevel[], alpha: number): number {
  const worst = new Map<string, number>();
  for (const { at, excess } of levels.flatMap(excessesOf)) {
    worst.set(at, Math.max(excess, worst.get(at) ?? excess));
  }
  const runs = Math.min(...levels.map((level) => level.runs));
  const rank = Math.min(RANK, worst.size);
  const seen = [...worst.values()].sort((left, right) => right - left)[rank - 1] ?? 0;
  const beyond = Math.max(1, (rank / ((runs + 1) * alpha)) ** (1 / TAIL));
  return Math.max(studentQuantile(1 - alpha, runs - 1), beyond * seen);
}
