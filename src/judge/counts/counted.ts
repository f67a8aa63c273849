import { mean } from '../../foundation/statistics.ts';
import { METRICS } from '../../model/metric.ts';
import { type Policy, thresholdOf } from '../../model/policy.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { normalQuantile, studentQuantile, studentTail } from '../inference/distributions.ts';
import type { AcceptedRegression, Finding, FindingFigures } from '../verdict/finding.ts';
import { noiseLevel } from '../verdict/findings.ts';
import {
  type CountedFigure,
  countedFigures,
  FEWEST_STARTS,
  gates,
  MOST_STARTS,
  plannedFigures,
  type Windows,
} from './figures.ts';

/**
 * Two checkouts of one commit differ by as much, in every start alike: by the lengths of their paths, where tables of hashes
 * and stacks come to lie. No change below it is one.
 */
export const CHECKOUT = 0.001;

/** For the error that the policy allows, what the counts have beside rounds: rounds of two services need most of it to find anything at their first look. */
const SHARE_BESIDE_ROUNDS = 0.2;

/**
 * How much starts of one version of a deterministic service differ, and how many degrees of freedom that knowledge counts for beside what
 * two starts show: a moderated variance (Smyth, "Linear models and empirical Bayes methods", 2004). From recordings: docs/instructions.md.
 */
const USUAL_STARTS = { spread: 0.001, freedom: 2 };

const NOTHING_KNOWN = { spread: 0, freedom: 0 };

/** Two starts of a service that is not deterministic agree by chance now and then: fewer than these show a change only by themselves. */
const STARTS_OF_CHANGE = 3;

/** After two, three or four starts of each version, whichever tells: each look has an equal share. */
const LOOKS = MOST_STARTS - FEWEST_STARTS + 1;

/** How the error that the policy allows is shared between counts and rounds. It follows from what is played, not from what came out. */
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

/** A finding before it is known what is accepted. */
type CountedFinding = Exclude<Finding, AcceptedRegression> & Pick<CountedFigure, 'metric'>;

/**
 * Findings from counted instructions and system calls: one for the whole of each service that was counted
 * in both versions, for each of its operations, and for each of its members. The counts hardly scatter, so a rule of their own judges them: docs/instructions.md.
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
  /** For the error that the policy allows, the share of one figure at one look. */
  readonly alpha: number;
}

function findingOf({ base, head, arePairs, ...name }: CountedFigure, { policy, alpha }: Rule): CountedFinding {
  const threshold = thresholdOf(policy, name);
  const limit = Math.log1p(threshold);
  const windows = { base: base.map(logarithms), head: head.map(logarithms), arePairs };
  const shift = shiftOf(windows, { alpha, usual: USUAL_STARTS });
  const { estimate, needed, half, error, spread, p } = shift;
  const figures: FindingFigures & Pick<CountedFigure, 'metric'> = {
    ...name,
    better: METRICS[name.metric].better,
    family: gates(policy, name) ? 'gate' : 'watch',
    base: figureOf(base),
    head: figureOf(head),
    change: { estimate: Math.expm1(estimate), low: Math.expm1(estimate - half), high: Math.expm1(estimate + half) },
    threshold,
    noise: { level: noiseLevel(spread), sd: spread },
    detectable: Math.expm1(Math.max(limit, needed) + normalQuantile(0.9) * error),
    rounds: Math.min(base.length, head.length),
    adjustedP: p,
  };
  const usual = verdictOf(shift, limit);
  const verdict =
    usual === 'unchanged' || figures.rounds >= STARTS_OF_CHANGE
      ? usual
      : verdictOf(shiftOf(windows, { alpha, usual: NOTHING_KNOWN }), limit);
  // Nobody waits for more starts: what noise hides is said, and the outcome is left to the rest.
  return verdict === 'inconclusive'
    ? { ...figures, verdict, reason: 'not-seen', moreRounds: undefined, family: 'watch' }
    : { ...figures, verdict };
}

/** As in rounds: a regression is surely worse and worse by the threshold, and unchanged is what surely lies below the threshold. */
function verdictOf({ estimate, needed, half }: Shift, limit: number) {
  if (estimate >= needed) {
    return estimate >= limit ? 'regressed' : 'slower-within-limit';
  }
  if (-estimate >= Math.max(needed, limit)) {
    return 'improved';
  }
  return estimate + half < limit ? 'unchanged' : 'inconclusive';
}

function logarithms(windows: readonly number[]): readonly number[] {
  return windows.map(Math.log);
}

function figureOf(starts: Windows): number {
  return mean(starts.map(meanOf)) ?? 0;
}

interface Shift {
  /** log(head / base). */
  readonly estimate: number;
  /** From which estimate on head is worse for sure. */
  readonly needed: number;
  /** How far the 95% interval goes to each side. */
  readonly half: number;
  /** The standard error of the estimate. */
  readonly error: number;
  /** The standard deviation that the error is made of. */
  readonly spread: number;
  /** For "head is worse by more than two checkouts differ". */
  readonly p: number;
}

interface Sureness extends Pick<Rule, 'alpha'> {
  /** Facts about the scatter of starts beside what they show. */
  readonly usual: typeof USUAL_STARTS;
}

/**
 * The mean of the windows that count stands for a start, and the mean of its starts for a version. How sure that is follows from the
 * scatter of the starts, as if each were one figure, or from that of the windows within the starts, whichever says less.
 */
function shiftOf({ base, head, arePairs }: Omit<CountedFigure, 'cell' | 'metric'>, { alpha, usual }: Sureness): Shift {
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

/** The pooled standard deviation of groups, moderated by a prior, and the standard error of the difference of their means. */
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
