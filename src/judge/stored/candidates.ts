import { METRICS, type MetricName } from '../../model/metric.ts';
import { isGate, type Policy, thresholdOf } from '../../model/policy.ts';
import type { CellKey } from '../../model/sample.ts';
import type { StoredRun, Stratum } from './baseline.ts';
import type { MeasuredCell } from './measured-cells.ts';
import { historyRows } from './rows.ts';
import { isSameStratum, placeOf } from './stored-run.ts';
import type { PastValue, PastValues } from './window.ts';

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
  readonly values: PastValues;
}

/** What a run's cells are held against. */
export interface Against {
  /** Runs of the same configuration, in order of time. */
  readonly past: readonly StoredRun[];
  readonly stratum: Stratum;
  readonly policy: Policy;
}

/** The metrics of a cell with their past; values that were suspicious in their own run are no past. */
export function candidatesOf(measured: MeasuredCell, { past, stratum, policy }: Against): readonly Candidate[] {
  const { cell, rounds, values } = measured;
  return entriesOf(values).map(([metric, now]) => {
    const name = { cell, metric };
    const unflagged = past.filter(({ suspicious }) => !suspicious.includes(comparisonName(name)));
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
    return value === undefined ? [] : [[metric, value] as const];
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

function pastValueOf(run: StoredRun, { cell, metric }: Pick<Candidate, 'cell' | 'metric'>): readonly PastValue[] {
  const value = run.cells[placeOf(cell)]?.[metric];
  if (value === undefined || value <= 0) {
    return [];
  }
  const logControl = run.controlMs === undefined ? undefined : Math.log(run.controlMs);
  return [{ y: worseUp(metric, value), logControl, rounds: run.rounds }];
}
