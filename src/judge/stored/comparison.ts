import type { CellKey, MetricName } from '../../model/metric.ts';
import type { Run } from '../../model/run/run.ts';
import type { BoundVerdict, Drift } from './bound.ts';
import type { StoredCount } from './counted.ts';
import {
  configurationDifferences,
  configurationOf,
  machineDifferences,
  type StoredRun,
  type Stratum,
  stratumOf,
  type Unlike,
} from './stored-run.ts';

export interface HistoryComparison extends HistoryResult {
  /** Name of the history. */
  readonly file: string;
  /** Command that adds a run to it. */
  readonly store: string;
}

export interface HistoryResult {
  readonly past: StoredRunCount;
  readonly verdicts: readonly HistoryVerdict[];
  /** Counts of services, also from another kind of machine. */
  readonly counts: readonly StoredCount[];
  /** Commit to compare with after a suspicion: that of the newest run without any. */
  readonly confirmationBase?: string | undefined;
}

export interface StoredRunCount {
  readonly stored: number;
  /** Those with the configuration of the run. */
  readonly configured: number;
  /** Those on its kind of machine. */
  readonly onMachine: number;
  readonly stratum: Stratum;
  /** Differences of the other runs if none is comparable, the nearest first. */
  readonly unlike: readonly UnlikeRuns[];
  /** Newest run with its configuration. */
  readonly newest?: Pick<StoredRun, 'startedAt' | 'commit' | 'note'> | undefined;
}

export interface StoredComparison {
  readonly cell: CellKey;
  readonly metric: MetricName;
  /** Value expected at the run's control time, else the median of the past; undefined without one. */
  readonly before: number | undefined;
  readonly now: number;
  /** The relative difference, 0.05 for 5% more; undefined if nothing or 0 was before. */
  readonly change: number | undefined;
}

export interface JudgedByHistory {
  readonly comparison: StoredComparison;
  readonly status: BoundVerdict;
  /** Only a suspicion of the gate family counts; the watch family is shown. */
  readonly family: 'gate' | 'watch';
  /** Relative change for the worse that counts. */
  readonly threshold: number;
  /** Prediction bound, in the metric's unit. */
  readonly bound: number;
  /** Smallest slowdown, relative, that would have been suspicious 9 times in 10. */
  readonly detectable: number;
  /** Runs that the spread comes from, and the kinds of machine that they were measured on. */
  readonly runs: number;
  readonly strata: number;
  readonly drift?: Drift | undefined;
}

/** More failed requests than stored runs explain. */
export interface MoreErrors {
  /** Without a relative change. */
  readonly comparison: StoredComparison;
  readonly status: 'suspicious';
  readonly family: JudgedByHistory['family'];
  /** The error rate from which a run is suspicious. */
  readonly limit: number;
  readonly runs: number;
}

export type HistoryVerdict =
  | ({ readonly kind: 'judged' } & JudgedByHistory)
  /** The same based on too little: 10 to 19 runs, fewer than 3 rounds, or less than half of the past's. It raises no alarm. */
  | ({ readonly kind: 'advisory'; readonly reason: 'few-runs' | 'few-rounds' } & JudgedByHistory)
  /** Too few runs on this kind of machine for advice: only the difference from their median is reported. */
  | { readonly kind: 'collecting'; readonly comparison: StoredComparison; readonly runs: number }
  /** Runs on other kinds of machine only: the difference from their median is reported. */
  | { readonly kind: 'other-runner'; readonly comparison: StoredComparison }
  /** Error rate far above those of the past, by a separate rule: 0 has no logarithm. */
  | ({ readonly kind: 'errors' } & MoreErrors)
  /** Value without a logarithm, or an error rate that is not suspicious: only the difference is reported. */
  | { readonly kind: 'stated'; readonly comparison: StoredComparison }
  | Unmeasured;

export interface Unmeasured {
  readonly kind: 'unmeasured';
  readonly cell: CellKey;
  readonly reason: 'new' | 'gone' | 'failed' | 'missing' | 'failing' | 'saturated' | 'generator-limited';
  /** Only for a metric that is missing in a measured cell. */
  readonly metric?: MetricName | undefined;
  readonly runs: number;
}

type FirmVerdict = Extract<HistoryVerdict, { readonly kind: 'judged' | 'errors' }>;

/** True if a verdict is of the gate family, with enough runs and rounds. Others are only shown. */
export function isFirm(verdict: HistoryVerdict): verdict is FirmVerdict {
  return (verdict.kind === 'judged' || verdict.kind === 'errors') && verdict.family === 'gate';
}

export function suspicionsOf({ verdicts }: HistoryResult): readonly FirmVerdict[] {
  return verdicts.filter(isFirm).filter(({ status }) => status === 'suspicious');
}

export interface UnlikeRuns {
  readonly runs: number;
  readonly newest: Pick<StoredRun, 'startedAt' | 'commit' | 'note'>;
  readonly differs: readonly Unlike[];
}

/** Stored runs by their differences from a run: those with the fewest differences first, then the newest. */
export function unlikeRuns(run: Run, runs: readonly StoredRun[]): readonly UnlikeRuns[] {
  const [configuration, stratum] = [configurationOf(run), stratumOf(run.runner)];
  const groups = new Map<string, UnlikeRuns>();
  for (const stored of runs) {
    const differs = [
      ...configurationDifferences(configuration, stored.configuration),
      ...machineDifferences(stratum, stored.stratum),
    ];
    const name = JSON.stringify(differs);
    const { startedAt, commit, note } = stored;
    groups.set(name, { runs: (groups.get(name)?.runs ?? 0) + 1, newest: { startedAt, commit, note }, differs });
  }
  return [...groups.values()].sort(
    (one, other) =>
      one.differs.length - other.differs.length ||
      Date.parse(other.newest.startedAt) - Date.parse(one.newest.startedAt),
  );
}
