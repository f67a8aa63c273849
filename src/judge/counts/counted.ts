import { mean } from '../../foundation/index.ts';
import { isGate, METRICS, type Policy, type RunInRounds, thresholdOf } from '../../model/index.ts';
import { normalQuantile, studentQuantile, studentTail } from '../inference/distributions.ts';
import type { AcceptedRegression, Finding, FindingFigures } from '../verdict/finding.ts';
import { noiseLevel } from '../verdict/findings.ts';
import {
  type CountedFigure,
  countedFigures,
  FEWEST_STARTS,
  MOST_STARTS,
  plannedFigures,
  type Windows,
} from './figures.ts';

/**
 * Two checkouts of one commit differ by as much, in every start alike: by the lengths of their paths, where tables of hashes
 * and stacks come to lie. No change below it is one.
 */
export const CHECKOUT = 0.001;

/** Of the error that the policy allows, what the counts have beside rounds: rounds of two services need most of it to find anything at their first look. */
const SHARE_BESIDE_ROUNDS = 0.2;

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
 * What the counts of instructions and system calls say of head against base: a finding for the whole of each service that was counted
 * in both versions, and for each of its operations. The counts hardly scatter, so a rule of their own judges them: docs/instructions.md.
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
  /** Of the error that the policy allows, the share of one figure at one look. */
  readonly alpha: number;
}

function findingOf({ base, head, ...name }: CountedFigure, { policy, alpha }: Rule): CountedFinding {
  const threshold = thresholdOf(policy, name);
  const limit = Math.log1p(threshold);
  const shift = shiftOf({ base: base.map(logarithms), head: head.map(logarithms) }, alpha);
  const { estimate, needed, half, error, spread, p } = shift;
  const figures: FindingFigures & Pick<CountedFigure, 'metric'> = {
    ...name,
    better: METRICS[name.metric].better,
    family: isGate(policy, name, true) ? 'gate' : 'watch',
    base: figureOf(base),
    head: figureOf(head),
    change: { estimate: Math.expm1(estimate), low: Math.expm1(estimate - half), high: Math.expm1(estimate + half) },
    threshold,
    noise: { level: noiseLevel(spread), sd: spread },
    detectable: Math.expm1(Math.max(limit, needed) + normalQuantile(0.9) * error),
    rounds: Math.min(base.length, head.length),
    adjustedP: p,
  };
  const verdict = verdictOf(shift, limit);
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
  /** How far the 95 % interval goes to each side. */
  readonly half: number;
  /** The standard error of the estimate. */
  readonly error: number;
  /** The standard deviation that the error is made of. */
  readonly spread: number;
  /** For "head is worse by more than two checkouts differ". */
  readonly p: number;
}

/**
 * The mean of the windows that count stands for a start, and the mean of its starts for a version. How sure that is follows from the
 * scatter of the starts, as if each were one figure, or from that of the windows within the starts, whichever says less.
 */
function shiftOf({ base, head }: Pick<CountedFigure, 'base' | 'head'>, alpha: number): Shift {
  const starts = { base: base.map(meanOf), head: head.map(meanOf) };
  const estimate = (mean(starts.head) ?? 0) - (mean(starts.base) ?? 0);
  const scatters = [
    scatterIn([starts.base, starts.head], [base.length, head.length]),
    scatterIn([...base, ...head], [base.flat().length, head.flat().length]),
  ];
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

/** The standard deviation within groups, and the error of the difference of two means of so many values. */
function scatterIn(groups: readonly (readonly number[])[], sizes: readonly number[]) {
  const freedom = groups.reduce((sum, { length }) => sum + length - 1, 0);
  const squares = groups.reduce((sum, group) => sum + squaresOf(group), 0);
  const spread = Math.sqrt(squares / freedom);
  return { freedom, spread, error: spread * Math.sqrt(sizes.reduce((sum, size) => sum + 1 / size, 0)) };
}

function squaresOf(group: readonly number[]): number {
  const centre = mean(group) ?? 0;
  return group.reduce((sum, value) => sum + (value - centre) ** 2, 0);
}
