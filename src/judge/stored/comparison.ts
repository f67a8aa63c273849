import type { MetricName } from '../../model/metric.ts';
import type { CellKey } from '../../model/sample.ts';
import type { StoredRun, Stratum } from './baseline.ts';
import type { BoundStanding } from './bound.ts';
import type { Drift } from './drift.ts';

/** A run held against a stored baseline. */
export interface HistoryComparison extends HistoryResult {
  /** The baseline's. */
  readonly file: string;
}

/** How a run stands against the runs before it. */
export interface HistoryResult {
  readonly past: PastRuns;
  readonly verdicts: readonly HistoryVerdict[];
  /** The commit to compare with where something is suspicious: that of the newest run in which nothing was. */
  readonly confirmationBase?: string | undefined;
}

/** The runs before the one that is judged. */
export interface PastRuns {
  /** All that the file has. */
  readonly stored: number;
  /** Of them, with the configuration of the run. */
  readonly configured: number;
  /** Of those, on its kind of machine. */
  readonly onMachine: number;
  readonly stratum: Stratum;
  /** Of the runs with its configuration. */
  readonly newest?: Pick<StoredRun, 'startedAt' | 'commit' | 'note'> | undefined;
}

/** One metric of one cell as the past has it and as it is. */
export interface StoredComparison {
  readonly cell: CellKey;
  readonly metric: MetricName;
  /** What the rule expects at the run's control time, else the median of the past; undefined where there is none. */
  readonly before: number | undefined;
  readonly now: number;
  /** The relative difference, 0.05 for 5 % more; undefined where nothing or 0 was before. */
  readonly change: number | undefined;
}

/** What the rule says of a comparison. */
export interface JudgedByHistory {
  readonly comparison: StoredComparison;
  readonly standing: BoundStanding;
  /** Only the gate family can raise a suspicion that counts; the watch family is shown. */
  readonly family: 'gate' | 'watch';
  /** Relative change for the worse that counts. */
  readonly threshold: number;
  /** The prediction bound, in the metric's unit. */
  readonly bound: number;
  /** The smallest slowdown, relative, that would have been suspicious 9 times in 10. */
  readonly detectable: number;
  /** Runs that the spread comes from, and the kinds of machine that they were measured on. */
  readonly runs: number;
  readonly strata: number;
  readonly drift?: Drift | undefined;
}

/** What can be said of a comparison with the past, "nothing" included. */
export type HistoryVerdict =
  | ({ readonly kind: 'judged' } & JudgedByHistory)
  /** The same from too little: 10 to 19 runs, fewer than 3 rounds, or less than half of the past's. It alarms nobody. */
  | ({ readonly kind: 'advisory'; readonly reason: 'few-runs' | 'few-rounds' } & JudgedByHistory)
  /** Too few runs on this kind of machine for any advice: the difference from their median is stated. */
  | { readonly kind: 'collecting'; readonly comparison: StoredComparison; readonly runs: number }
  /** Runs on other kinds of machine only: the difference from their median is stated. */
  | { readonly kind: 'other-runner'; readonly comparison: StoredComparison }
  /** A value that has no logarithm: the difference is stated. */
  | { readonly kind: 'stated'; readonly comparison: StoredComparison }
  | Unmeasured;

/** What could not be compared. */
export interface Unmeasured {
  readonly kind: 'unmeasured';
  readonly cell: CellKey;
  readonly reason: 'new' | 'gone' | 'failed' | 'missing' | 'saturated' | 'generator-limited' | 'not-saturated';
  /** Only of a metric that is missing in a cell that was measured. */
  readonly metric?: MetricName | undefined;
  /** Runs of the past that have it. */
  readonly runs: number;
}

/** The suspicions that count: of the gate family, from enough runs and rounds. Others are only shown. */
export function suspicionsOf({ verdicts }: HistoryResult): readonly JudgedByHistory[] {
  return verdicts.flatMap((verdict) =>
    verdict.kind === 'judged' && verdict.family === 'gate' && verdict.standing === 'suspicious' ? [verdict] : [],
  );
}
