import type { CellKey, MetricName } from '../../model/metric.ts';
import { presentProfileName } from '../../model/profiles.ts';
import type { Run } from '../../model/run/run.ts';
import type { BoundVerdict, Drift } from './bound.ts';
import type { StoredCount } from './counted.ts';
import { type Baseline, configurationOf, type StoredRun, type Stratum, stratumOf } from './stored-run.ts';

export interface HistoryComparison extends HistoryResult {
  /** The baseline's, or the history's name. */
  readonly file: string;
  /** The command that adds a run to it. */
  readonly store: string;
}

export interface HistoryResult {
  readonly past: StoredRunCount;
  readonly verdicts: readonly HistoryVerdict[];
  /** For services that were counted, also on another kind of machine. */
  readonly counts: readonly StoredCount[];
  /** The commit to compare with if something is suspicious: that of the newest run in which nothing was. */
  readonly confirmationBase?: string | undefined;
}

export interface StoredRunCount {
  /** All that the file has. */
  readonly stored: number;
  /** For them, with the configuration of the run. */
  readonly configured: number;
  /** For those, on its kind of machine. */
  readonly onMachine: number;
  readonly stratum: Stratum;
  /** If none is comparable, what they differ in: the nearest first. */
  readonly unlike: readonly UnlikeRuns[];
  /** For the runs with its configuration. */
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
  /** The same from too little: 10 to 19 runs, fewer than 3 rounds, or less than half of the past's. It raises no alarm. */
  | ({ readonly kind: 'advisory'; readonly reason: 'few-runs' | 'few-rounds' } & JudgedByHistory)
  /** Too few runs on this kind of machine for any advice: the difference from their median is stated. */
  | { readonly kind: 'collecting'; readonly comparison: StoredComparison; readonly runs: number }
  /** Runs on other kinds of machine only: the difference from their median is stated. */
  | { readonly kind: 'other-runner'; readonly comparison: StoredComparison }
  /** An error rate far above those of the past, by a rule of its own: 0 has no logarithm. */
  | ({ readonly kind: 'errors' } & MoreErrors)
  /** A value that has no logarithm, or an error rate that is not suspicious: the difference is stated. */
  | { readonly kind: 'stated'; readonly comparison: StoredComparison }
  | Unmeasured;

export interface Unmeasured {
  readonly kind: 'unmeasured';
  readonly cell: CellKey;
  readonly reason: 'new' | 'gone' | 'failed' | 'missing' | 'failing' | 'saturated' | 'generator-limited';
  /** Only of a metric that is missing in a cell that was measured. */
  readonly metric?: MetricName | undefined;
  readonly runs: number;
}

type FirmVerdict = Extract<HistoryVerdict, { readonly kind: 'judged' | 'errors' }>;

/** True if a verdict is of the gate family, from enough runs and rounds. Others are only shown. */
export function isFirm(verdict: HistoryVerdict): verdict is FirmVerdict {
  return (verdict.kind === 'judged' || verdict.kind === 'errors') && verdict.family === 'gate';
}

export function suspicionsOf({ verdicts }: HistoryResult): readonly FirmVerdict[] {
  return verdicts.filter(isFirm).filter(({ status }) => status === 'suspicious');
}

/** One thing in which stored runs are not like the run that is judged. */
interface Unlike {
  readonly what: string;
  readonly here: string;
  readonly stored: string;
}

export interface UnlikeRuns {
  readonly runs: number;
  readonly newest: Pick<StoredRun, 'startedAt' | 'commit' | 'note'>;
  readonly differs: readonly Unlike[];
}

/** The stored runs by what they differ in from a run: those with the fewest differences first, and among equals the newest. */
export function unlikeRuns(run: Run, { suite, runs }: Baseline): readonly UnlikeRuns[] {
  const groups = new Map<string, UnlikeRuns>();
  for (const stored of runs) {
    const differs = differencesOf(run, suite, stored);
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

function differencesOf(run: Run, suite: string, stored: StoredRun): readonly Unlike[] {
  const { runtime, profile, configHash, tools } = configurationOf(run);
  const { cpuModel, cores, kernelMajor } = stratumOf(run.runner);
  const { configuration: other, stratum } = stored;
  const pairs: readonly Unlike[] = [
    { what: 'runtime', here: runtime, stored: other.runtime },
    { what: 'profile', here: presentProfileName(profile), stored: presentProfileName(other.profile) },
    { what: 'suite', here: run.suite.name, stored: suite },
    { what: 'configuration of the suite', here: configHash, stored: other.configHash },
    { what: 'load tools', here: tools, stored: other.tools },
    { what: 'CPU model', here: cpuModel, stored: stratum.cpuModel },
    { what: 'CPU cores', here: String(cores), stored: String(stratum.cores) },
    { what: 'kernel', here: kernelMajor, stored: stratum.kernelMajor },
  ];
  return pairs.filter(({ here, stored: there }) => here !== there);
}
