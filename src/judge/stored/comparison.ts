import { type CellKey, isGate, METRICS, type MetricName, type Policy, thresholdOf } from '../../model/index.ts';
import { isSameStratum, placeOf, type StoredRun, type Stratum } from './baseline.ts';
import type { BoundVerdict, Drift, StoredValue, StoredValues } from './bound.ts';
import { historyRows, type MeasuredCell } from './cells.ts';

/** One metric of one cell that can be held against the past. */
export interface Candidate {
  readonly cell: CellKey;
  readonly metric: MetricName;
  readonly now: number;
  /** Rounds of the run that is judged. */
  readonly rounds: number;
  /** undefined for what is only stated. */
  readonly family: 'gate' | 'watch' | undefined;
  readonly threshold: number;
  /** In the metric's unit. */
  readonly past: { readonly own: readonly number[]; readonly others: readonly number[] };
  /** Those that have a logarithm. */
  readonly values: StoredValues;
}

/** What a run's cells are held against. */
export interface StoredRuns {
  /** Runs of the same configuration, in order of time. */
  readonly past: readonly StoredRun[];
  readonly stratum: Stratum;
  readonly policy: Policy;
}

/** The metrics of a cell with their past, but for its error rate; values that were suspicious in their own run are no past. */
export function candidatesOf(measured: MeasuredCell, { past, stratum, policy }: StoredRuns): readonly Candidate[] {
  const { cell, rounds, values } = measured;
  return entriesOf(values).map(([metric, now]) => {
    const name = { cell, metric };
    const unflagged = unflaggedRuns(past, name);
    const groups = byStratum(unflagged, stratum);
    const read = (runs: readonly StoredRun[]) => runs.flatMap((run) => run.cells[placeOf(cell)]?.[metric] ?? []);
    const row = historyRows(cell).find((one) => one.metric === metric);
    return {
      cell,
      metric,
      now,
      rounds,
      family: row === undefined || now <= 0 ? undefined : isGate(policy, name, row.gate) ? 'gate' : 'watch',
      threshold: thresholdOf(policy, name),
      past: { own: read(groups.own), others: read(groups.others.flat()) },
      values: {
        own: groups.own.flatMap((run) => pastValueOf(run, name)),
        others: groups.others.map((runs) => runs.flatMap((run) => pastValueOf(run, name))),
      },
    };
  });
}

/** The runs in which a comparison was not suspicious. */
export function unflaggedRuns(
  past: readonly StoredRun[],
  name: Pick<Candidate, 'cell' | 'metric'>,
): readonly StoredRun[] {
  return past.filter(({ suspicious }) => !suspicious.includes(comparisonName(name)));
}

/** How a baseline names a comparison that was suspicious, for example "rest/all/saturation achievedRps". */
export function comparisonName({ cell, metric }: Pick<Candidate, 'cell' | 'metric'>): string {
  return `${placeOf(cell)} ${metric}`;
}

/** The logarithm of a value above 0, negated where higher is better: up is worse. */
export function worseUp(metric: MetricName, value: number): number {
  return METRICS[metric].better === 'lower' ? Math.log(value) : -Math.log(value);
}

function entriesOf(values: MeasuredCell['values']): readonly (readonly [MetricName, number])[] {
  return (Object.keys(values) as MetricName[]).flatMap((metric) => {
    const value = values[metric];
    return value === undefined || metric === 'errorRate' ? [] : [[metric, value] as const];
  });
}

function byStratum(runs: readonly StoredRun[], own: Stratum) {
  const groups = new Map<string, StoredRun[]>();
  for (const run of runs.filter(({ stratum }) => !isSameStratum(stratum, own))) {
    const { cpuModel, cores, kernelMajor } = run.stratum;
    const name = JSON.stringify([cpuModel, cores, kernelMajor]);
    groups.set(name, [...(groups.get(name) ?? []), run]);
  }
  return { own: runs.filter(({ stratum }) => isSameStratum(stratum, own)), others: [...groups.values()] };
}

function pastValueOf(run: StoredRun, { cell, metric }: Pick<Candidate, 'cell' | 'metric'>): readonly StoredValue[] {
  const value = run.cells[placeOf(cell)]?.[metric];
  if (value === undefined || value <= 0) {
    return [];
  }
  const logControl = run.controlMs === undefined ? undefined : Math.log(run.controlMs);
  return [{ y: worseUp(metric, value), logControl, rounds: run.rounds }];
}

/** A run held against a stored baseline. */
export interface HistoryComparison extends HistoryResult {
  /** The baseline's. */
  readonly file: string;
}

/** How a run stands against the runs before it. */
export interface HistoryResult {
  readonly past: StoredRunCount;
  readonly verdicts: readonly HistoryVerdict[];
  /** The commit to compare with where something is suspicious: that of the newest run in which nothing was. */
  readonly confirmationBase?: string | undefined;
}

/** The runs before the one that is judged. */
export interface StoredRunCount {
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
  readonly standing: BoundVerdict;
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
  readonly standing: 'suspicious';
  readonly family: JudgedByHistory['family'];
  /** The error rate from which a run is suspicious. */
  readonly limit: number;
  /** Runs that it was held against. */
  readonly runs: number;
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
  /** An error rate far above those of the past, by a rule of its own: 0 has no logarithm. */
  | ({ readonly kind: 'errors' } & MoreErrors)
  /** A value that has no logarithm, or an error rate that is not suspicious: the difference is stated. */
  | { readonly kind: 'stated'; readonly comparison: StoredComparison }
  | Unmeasured;

/** What could not be compared. */
export interface Unmeasured {
  readonly kind: 'unmeasured';
  readonly cell: CellKey;
  readonly reason: 'new' | 'gone' | 'failed' | 'missing' | 'saturated' | 'generator-limited';
  /** Only of a metric that is missing in a cell that was measured. */
  readonly metric?: MetricName | undefined;
  /** Runs of the past that have it. */
  readonly runs: number;
}

/** A verdict that may be a suspicion that counts. */
type FirmVerdict = Extract<HistoryVerdict, { readonly kind: 'judged' | 'errors' }>;

/** Whether a verdict is of the gate family, from enough runs and rounds. Others are only shown. */
export function isFirm(verdict: HistoryVerdict): verdict is FirmVerdict {
  return (verdict.kind === 'judged' || verdict.kind === 'errors') && verdict.family === 'gate';
}

/** The suspicions that count. */
export function suspicionsOf({ verdicts }: HistoryResult): readonly FirmVerdict[] {
  return verdicts.filter(isFirm).filter(({ standing }) => standing === 'suspicious');
}
