import { mean } from '../../foundation/statistics.ts';
import { ALL_OPERATIONS, METRICS } from '../../model/metric.ts';
import { type Policy, thresholdOf } from '../../model/policy.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { normalQuantile, studentQuantile, studentTail } from '../inference/distributions.ts';
import { type Finding, noiseFrom } from '../verdict/finding.ts';
import {
  type CountedFigure,
  countedFigures,
  FEWEST_STARTS,
  gates,
  MAX_STARTS,
  plannedFigures,
  type Windows,
} from './figures.ts';

/**
 * Difference between two checkouts of one commit, equal in all starts: the length of their paths moves hash tables and stacks. Smaller differences
 * are ignored.
 */
export const CHECKOUT = 0.001;

/** Share of the policy's error rate for counts if there are also rounds: the rounds of two services need most of it to detect anything at their first look. */
const SHARE_BESIDE_ROUNDS = 0.2;

/**
 * Usual spread of starts of a deterministic service, and its degrees of freedom as a prior for the spread of two starts: a moderated variance (Smyth,
 * "Linear models and empirical Bayes methods", 2004). From recordings: docs/instructions.md.
 */
const USUAL_STARTS = { spread: 0.001, freedom: 2 };

const NOTHING_KNOWN = { spread: 0, freedom: 0 };

/** Two starts of a service that is not deterministic sometimes agree by chance: below this number, only the starts themselves show the spread. */
const STARTS_OF_CHANGE = 3;

/** Looks after two, three or four starts of each version, each with an equal share of the error rate. */
const LOOKS = MAX_STARTS - FEWEST_STARTS + 1;

/** Split of the policy's error rate between counts and rounds. It follows from the plan, not from the results. */
export function sharesOfAlpha({ instructions, rounds }: RunInRounds): {
  readonly counts: number;
  readonly rounds: number;
} {
  if (instructions === undefined) {
    return { counts: 0, rounds: 1 };
  }
  const counts = rounds.profile.looks.length === 0 ? 1 : SHARE_BESIDE_ROUNDS;
  return { counts, rounds: 1 - counts };
}

type CountedFinding = Finding & Pick<CountedFigure, 'metric'>;

/**
 * Findings from counted instructions and system calls: one for each service that was counted in both versions, for each of its operations, and for
 * each of its members. Counts have so little spread that they have their own rule: docs/instructions.md.
 */
export function countedFindings(run: RunInRounds, policy: Policy): readonly CountedFinding[] {
  const { shards } = run.rounds;
  const jobs = shards?.kind === 'shard' ? shards.of : 1;
  const tests = Math.max(1, plannedFigures(run, policy)) * LOOKS * jobs;
  const alpha = (policy.alpha * sharesOfAlpha(run).counts) / tests;
  return countedFigures(run).map((figure) => findingOf(figure, { policy, alpha }));
}

interface Rule {
  readonly policy: Policy;
  /** Share of the policy's error rate for one figure at one look. */
  readonly alpha: number;
}

function findingOf({ base, head, arePairs, ...name }: CountedFigure, { policy, alpha }: Rule): CountedFinding {
  const threshold = thresholdOf(policy, name);
  const limit = Math.log1p(threshold);
  const logarithms = (starts: Windows): Windows => starts.map((windows) => windows.map(Math.log));
  const windows = { base: logarithms(base), head: logarithms(head), arePairs };
  const shift = shiftOf(windows, { alpha, usual: USUAL_STARTS });
  const { estimate, needed, half, error, spread, p } = shift;
  const rounds = Math.min(base.length, head.length);
  const usual = verdictOf(shift, limit);
  const verdict =
    usual === 'unchanged' || rounds >= STARTS_OF_CHANGE
      ? usual
      : verdictOf(shiftOf(windows, { alpha, usual: NOTHING_KNOWN }), limit);
  // It does not cause more starts: noise that hides it is reported, and the other figures decide the outcome.
  const isOpen = verdict === 'inconclusive';
  return {
    ...name,
    better: METRICS[name.metric].better,
    family: gates(policy, name) && !isOpen ? 'gate' : 'watch',
    base: figureOf(base),
    head: figureOf(head),
    change: { estimate: Math.expm1(estimate), low: Math.expm1(estimate - half), high: Math.expm1(estimate + half) },
    threshold,
    noise: noiseFrom(spread),
    detectable: Math.expm1(Math.max(limit, needed) + normalQuantile(0.9) * error),
    rounds,
    adjustedP: p,
    verdict,
    ...(isOpen && { reason: 'not-seen' }),
  };
}

/** As in rounds: a regression is significant and reaches the threshold, and the interval of unchanged ends below the threshold. */
function verdictOf({ estimate, needed, half }: Shift, limit: number) {
  if (estimate >= needed) {
    return estimate >= limit ? 'regressed' : 'slower-within-limit';
  }
  if (-estimate >= Math.max(needed, limit)) {
    return 'improved';
  }
  return estimate + half < limit ? 'unchanged' : 'inconclusive';
}

function figureOf(starts: Windows): number {
  return mean(starts.map(meanOf)) ?? 0;
}

interface Shift {
  /** log(head / base). */
  readonly estimate: number;
  /** Estimate from which head is significantly worse. */
  readonly needed: number;
  /** Half width of the 95% interval. */
  readonly half: number;
  /** Standard error of the estimate. */
  readonly error: number;
  /** Standard deviation from which the error is computed. */
  readonly spread: number;
  /** p-value of "head is worse by more than two checkouts differ". */
  readonly p: number;
}

/**
 * Shift between versions: a start is the mean of its valid windows, and a version the mean of its starts. The interval follows from the spread of the
 * starts, each as one value with `usual` as a prior, or from that of the windows within the starts, whichever is wider.
 */
function shiftOf(
  { base, head, arePairs }: Omit<CountedFigure, 'cell' | 'metric'>,
  { alpha, usual }: Pick<Rule, 'alpha'> & { readonly usual: typeof USUAL_STARTS },
): Shift {
  const starts = [base.map(meanOf), head.map(meanOf)] as const;
  const estimate = (mean(starts[1]) ?? 0) - (mean(starts[0]) ?? 0);
  const differences = head.map((start, number) =>
    start.map((count, window) => count - (base[number]?.[window] ?? Number.NaN)),
  );
  const windows = arePairs
    ? scatterIn(differences, [differences.flat().length])
    : scatterIn([...base, ...head], [base.flat().length, head.flat().length]);
  const scatters = [scatterIn(starts, [base.length, head.length], usual), windows];
  const shifts = scatters.map(({ spread, error, freedom }) => ({
    estimate,
    needed: CHECKOUT + studentQuantile(1 - alpha, freedom) * error,
    half: CHECKOUT + studentQuantile(0.975, freedom) * error,
    error,
    spread,
    p: error === 0 ? Number(estimate <= CHECKOUT) : studentTail((estimate - CHECKOUT) / error, freedom),
  }));
  return shifts.reduce((left, right) => (right.needed > left.needed ? right : left));
}

function meanOf(windows: readonly number[]): number {
  return mean(windows) ?? 0;
}

/** Pooled standard deviation of groups, moderated by a prior, and standard error of the difference of their means. */
function scatterIn(groups: readonly (readonly number[])[], sizes: readonly number[], usual = NOTHING_KNOWN) {
  const freedom = groups.reduce((sum, { length }) => sum + length - 1, usual.freedom);
  const squares = groups.reduce((sum, group) => sum + squaresOf(group), usual.freedom * usual.spread ** 2);
  const spread = Math.sqrt(squares / freedom);
  return { freedom, spread, error: spread * Math.sqrt(sizes.reduce((sum, size) => sum + 1 / size, 0)) };
}

function squaresOf(group: readonly number[]): number {
  const center = mean(group) ?? 0;
  return group.reduce((sum, value) => sum + (value - center) ** 2, 0);
}

/** Steadiness of a service's instructions per request, from starts of one build. */
export interface CountedSteadiness {
  readonly service: string;
  readonly perRequest: number;
  readonly starts: number;
  /** Largest difference between starts of one side, relative. */
  readonly spread: number;
  /** Threshold of the policy, relative. */
  readonly threshold: number;
  /** Smallest threshold that a comparison like this one can decide, from its 95% interval, relative. */
  readonly supported: number;
  /** Smallest change that would have been detected, relative. */
  readonly detectable: number | undefined;
}

/** Steadiness of the counts of each service in a comparison with itself, without uncounted services. */
export function countedSteadiness(run: RunInRounds): readonly CountedSteadiness[] {
  const figures = countedFigures(run).filter(isWhole);
  return countedFindings(run, run.rounds.policy)
    .filter(isWhole)
    .map(({ cell: { service }, base, rounds, threshold, detectable, change: { estimate, low, high } }) => ({
      service,
      perRequest: base,
      starts: rounds,
      spread: spreadOf(figures.find(({ cell }) => cell.service === service)),
      threshold,
      supported: Math.max(Math.abs(low ?? estimate), Math.abs(high ?? estimate)),
      detectable,
    }));
}

function isWhole({ cell, metric }: { readonly cell: CountedFigure['cell']; readonly metric: string }): boolean {
  return cell.operation === ALL_OPERATIONS && metric === 'instructionsPerRequest';
}

function spreadOf(figure: CountedFigure | undefined): number {
  const spreads = [figure?.base ?? [], figure?.head ?? []].map((starts) => {
    const means = starts.map(meanOf);
    return Math.max(...means) / Math.min(...means) - 1;
  });
  return Math.max(...spreads);
}
