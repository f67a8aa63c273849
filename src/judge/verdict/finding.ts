import type { CellKey } from '../../model/metric.ts';
import type { Acceptance } from '../../model/policy.ts';
import type { Look } from '../../model/rounds.ts';
import type { AnchoredRatio } from '../../model/run/anchor.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import type { ErrorRound } from '../inference/counts.ts';
import type { Note, Why } from './note.ts';

/** One metric of one cell in both versions over the rounds: the input of the judge, wherever it was measured. */
export interface Compared {
  /** The tier is "all" for metrics that a round has once, such as peak memory. */
  readonly cell: CellKey;
  /** Metric in METRICS, or any other name for figures measured elsewhere. */
  readonly metric: string;
  /** Only for metrics that METRICS lacks. */
  readonly unit?: string | undefined;
  readonly better: 'lower' | 'higher';
  /** True if it may fail a pull request, unless the policy decides otherwise. */
  readonly gate: boolean;
  /** True if a row that may fail counts only if noise does not hide it, unless the policy names it; see `isIfSeen`. */
  readonly ifSeen?: boolean | undefined;
  /** Values by round, aligned; undefined if a round lacks it. */
  readonly base: readonly (number | undefined)[];
  readonly head: readonly (number | undefined)[];
}

/** Result of one comparison. Relative changes are those of the metric itself: for a rate, -0.04 is 4% lower. */
export interface Finding extends Pick<Compared, 'cell' | 'metric' | 'unit' | 'better'> {
  /** The gate family may fail a pull request; the watch family does not, by default or because noise hides it. */
  readonly family: 'gate' | 'watch';
  readonly verdict: 'regressed' | 'slower-within-limit' | 'unchanged' | 'improved' | 'inconclusive';
  /** An accepted regression is reported but fails nothing. */
  readonly accepted?: Acceptance | undefined;
  /**
   * Only for an inconclusive one. "not-seen": with the noise so far, no possible number of rounds would show it; then it is in the watch family and
   * delays nothing.
   */
  readonly reason?: 'too-noisy' | 'too-few-rounds' | 'not-seen' | undefined;
  /** Estimated number of further rounds that would decide it; undefined if unknown. */
  readonly moreRounds?: number | undefined;
  /** Medians over the rounds, in the metric's unit. */
  readonly base: number;
  readonly head: number;
  readonly change: Change;
  /** Relative change for the worse above which it is a regression. */
  readonly threshold: number;
  readonly noise: Noise;
  /** Smallest slowdown that these rounds would have detected 9 times in 10; undefined if there is none. */
  readonly detectable?: number | undefined;
  /** Rounds in which both versions have the metric. */
  readonly rounds: number;
  /** Step-down adjusted p for "worse by more than the floor", within the family, at the last look. */
  readonly adjustedP: number;
}

export function isRegression({ verdict, accepted }: Finding): boolean {
  return verdict === 'regressed' && accepted === undefined;
}

/** True if it was tested with those that may fail the pull request, even if noise hides it. */
export function mayFail({ family, reason }: Finding): boolean {
  return family === 'gate' || reason === 'not-seen';
}

/** Class of a finding, which determines its words, color and place in all reports. */
export type FindingClass =
  | Exclude<Finding['verdict'], 'inconclusive'>
  | NonNullable<Finding['reason']>
  | 'accepted'
  | 'unproven';

/** `unproven`: the whole interval exceeds the threshold; alone it would be significant, but not among this many comparisons. */
export function classOf({ verdict, accepted, reason = 'too-noisy', better, change, threshold }: Finding): FindingClass {
  if (verdict !== 'inconclusive') {
    return accepted === undefined ? verdict : 'accepted';
  }
  const best = better === 'lower' ? change.low : change.high;
  const isOver = best !== undefined && worseness({ better }, best) >= threshold;
  return reason === 'too-noisy' && isOver ? 'unproven' : reason;
}

/** Relative change for the worse: the change itself for a latency, 1 / (1 + change) - 1 for a rate. */
export function worseness({ better }: Pick<Compared, 'better'>, change: number): number {
  return better === 'lower' ? change : -change / (1 + change);
}

/** Hodges-Lehmann estimate and its 95% interval, which requires at least 6 rounds. */
export interface Change {
  readonly estimate: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** Robust standard deviation of the log ratio of one round: low up to 3%, medium up to 8%. */
export interface Noise {
  readonly level: 'low' | 'medium' | 'high';
  readonly sd: number;
}

export function noiseFrom(sd: number): Noise {
  return { level: sd <= 0.03 ? 'low' : sd <= 0.08 ? 'medium' : 'high', sd };
}

/** Missing comparisons. `operation` and `tier` of the cell may be "all" if it concerns a whole service. */
export interface Uncompared {
  readonly cell: CellKey;
  readonly metric?: string | undefined;
  readonly reason:
    | 'new'
    | 'gone'
    /** The head failed and the base did not: a finding that fails the pull request. */
    | 'head-failed'
    | 'base-failed'
    | 'missing'
    | 'not-positive'
    /** Result in another tool's file that could not be read. */
    | 'left-out'
    /** It failed in both versions, so nothing was measured. */
    | 'both-failed'
    /** The better direction is unknown: the figure is shown, and never judged. */
    | 'unknown-direction'
    /** Over 1% of the requests failed in both versions. */
    | 'invalid'
    | 'generator-limited'
    /** The shard with it did not arrive: nothing is known, so nothing passes. */
    | 'shard-lost';
  /** A string is output of a failed program or command. */
  readonly detail: Why | string;
  /** Output of the failed version, relevant lines first: untrusted text. */
  readonly printed?: string | undefined;
  readonly next?: string | undefined;
  /** Number of rows that may fail a pull request and were not measured because of it. */
  readonly rows: number;
  /** Number of rows that noise hides and that count only if it does not: they delay nothing. Left out if 0. */
  readonly hidden?: number | undefined;
}

/** Number of measured rows among those that may fail a pull request; a row is one metric of one cell. */
export interface Coverage {
  readonly rows: number;
  readonly seen: number;
}

/** Counts of a cell for an exact test: failed requests, or a figure that is 0 in every round of one version. */
export interface ErrorFinding {
  readonly cell: CellKey;
  /** Only for a figure that is 0 in one version; left out for failed requests. */
  readonly metric?: string | undefined;
  readonly unit?: string | undefined;
  /** Share of the requests that failed, or median of the figure. */
  readonly baseRate: number;
  readonly headRate: number;
  readonly p: number;
}

/** An absolute budget of the policy, compared with the head's median. */
export interface BudgetFinding extends Pick<Compared, 'cell' | 'metric'> {
  readonly limit: number;
  readonly found: number;
}

/** Operation that the head answers differently from the base. */
export interface ChangedResponse {
  readonly operation: string;
  readonly services: readonly string[];
  /** Arguments of the first request with a changed response, as JSON; a long text is truncated. */
  readonly arguments: string;
  /** Path of the first difference in its responses: `$.users[0].extra`. */
  readonly path: string;
  /** Requests with other arguments, and those with changed responses. */
  readonly requests: number;
  readonly changedRequests: number;
}

export interface RoundCount {
  readonly service: string;
  readonly kept: number;
  readonly discarded: number;
  readonly failed: number;
}

/** Distance of the head from the anchor in one metric of a service. */
export interface AnchorDrift extends Pick<Compared, 'cell' | 'metric' | 'better'> {
  /** Change of the metric itself, with its 95% interval. */
  readonly change: KnownChange;
  /** The same in its stored form. */
  readonly ratio: AnchoredRatio;
  /** Largest change for the worse that the policy allows; undefined if it has no limit. */
  readonly limit: number | undefined;
}

export interface KnownChange {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

interface Evidence {
  readonly change: Finding;
  readonly loss: Uncompared;
  readonly errors: ErrorFinding;
  readonly budget: BudgetFinding;
  readonly response: ChangedResponse;
  readonly drift: AnchorDrift;
}

/** Answer to one question of a comparison, by one kind of evidence. */
export interface AnswerBy<By extends keyof Evidence> {
  readonly by: By;
  readonly of: Evidence[By];
  readonly cell: CellKey;
  readonly metric?: string | undefined;
  readonly verdict: 'worse' | 'better' | 'same' | 'unclear' | 'unseen';
  readonly fails: boolean;
}

export type Answer = { readonly [By in keyof Evidence]: AnswerBy<By> }[keyof Evidence];

export function evidenceIn<By extends keyof Evidence>(
  { answers }: Pick<ComparisonResult, 'answers'>,
  by: By,
): readonly Evidence[By][] {
  // The kind of an answer is that of its evidence.
  return answers.filter((answer) => answer.by === by).map(({ of }) => of as Evidence[By]);
}

export function changeAnswer(of: Finding): AnswerBy<'change'> {
  const { cell, metric, family } = of;
  const fails = family === 'gate' && isRegression(of);
  return { by: 'change', of, cell, metric, verdict: VERDICTS[classOf(of)], fails };
}

const VERDICTS: Readonly<Record<FindingClass, Answer['verdict']>> = {
  regressed: 'worse',
  accepted: 'worse',
  'slower-within-limit': 'worse',
  improved: 'better',
  unchanged: 'same',
  unproven: 'unclear',
  'too-noisy': 'unclear',
  'too-few-rounds': 'unseen',
  'not-seen': 'unseen',
};

export function lossAnswer(of: Uncompared): AnswerBy<'loss'> {
  const { cell, metric, reason } = of;
  const fails = reason === 'head-failed';
  return { by: 'loss', of, cell, metric, verdict: fails ? 'worse' : 'unseen', fails };
}

export function limitAnswer<By extends 'budget' | 'drift'>(by: By, of: AnswerBy<By>['of'], fails: boolean) {
  const { cell, metric } = of;
  return { by, of, cell, metric, verdict: fails ? ('worse' as const) : ('same' as const), fails };
}

export interface ComparisonResult {
  /** `regressed` fails the pull request; `failed` if head fails and base does not; `incomplete` if nothing could be judged. */
  readonly outcome: 'passed' | 'regressed' | 'failed' | 'inconclusive' | 'incomplete';
  /** 0 passed by policy, 1 not, 2 could not judge. */
  readonly exitCode: 0 | 1 | 2;
  /** Losses, errors, changed responses, changes, budgets and drifts, in this order. */
  readonly answers: readonly Answer[];
  readonly coverage: Coverage;
  readonly isAnchored?: true;
  readonly rounds: readonly RoundCount[];
  /** Services that were not measured, since both versions run the same files; left out if none. */
  readonly identical?: readonly string[] | undefined;
  /** Additional notes for the reader: data from the judge, sentences from commands. */
  readonly notes: readonly (Note | string)[];
  /** Policy changes by the head, or the policy file; undefined for the base's policy, and without versions. */
  readonly rules?: RoundsRecord['rules'];
  /** Sentences from commands that are not warnings. */
  readonly remarks: readonly string[];
  /** Only for versions that were measured one after the other: the share of false alarms is then not the designed one. */
  readonly interleaved?: false | undefined;
  readonly alpha: number;
  /** Comparisons that could fail the pull request, including those that were not measured. */
  readonly gateSize: number;
  readonly looks: readonly number[];
}

/** Everything that is judged, wherever it was measured; otherwise a verdict depends only on the policy and the seed. */
export interface ComparisonInput {
  /** Everything that could be compared; the family is fixed from both versions alike before judging. */
  readonly compared: readonly Compared[];
  readonly lost: readonly Lost[];
  readonly errors: readonly CellErrors[];
  /** Figures that are 0 in every round of one version and in no round of the other. */
  readonly fromZero?: readonly FromZero[] | undefined;
  readonly readings: readonly HeadReading[];
  readonly rounds: readonly RoundCount[];
  readonly looks: readonly Look[];
  /** Families tested separately, each with an equal share of alpha. */
  readonly families: readonly TestedTogether[];
  /** Day of the measurement in UTC, which acceptances are compared with; undefined if unknown. */
  readonly day: string | undefined;
  readonly notes: readonly (Note | string)[];
  readonly remarks: readonly string[];
  /** Left out if both versions were measured in turns. */
  readonly interleaved?: false | undefined;
}

export interface TestedTogether {
  /** Service of the comparisons; undefined: all services. */
  readonly service: string | undefined;
  /** True if the plan or the clock ended the rounds, so that the last look uses the rest of alpha. */
  readonly isFinal: boolean;
}

export interface Lost extends Omit<Uncompared, 'rows' | 'hidden'> {
  /** Comparisons that it prevents, and whether each may fail a pull request unless the policy decides otherwise. */
  readonly takes: readonly Pick<Compared, 'cell' | 'metric' | 'gate' | 'ifSeen'>[];
}

/** Requests and failures of a cell in the rounds that both versions have. */
export interface CellErrors {
  readonly cell: CellKey;
  readonly rounds: readonly ErrorRound[];
}

/** Figure without a ratio, since it is 0 in every round of one version and in no round of the other. */
export interface FromZero extends Pick<Compared, 'cell' | 'metric' | 'unit' | 'better'> {
  readonly base: number;
  readonly head: number;
  /** For each version. */
  readonly rounds: number;
}

/** Value of one metric of the head in kept rounds. */
export interface HeadReading extends Pick<Compared, 'cell' | 'metric' | 'better'> {
  readonly values: readonly number[];
}
