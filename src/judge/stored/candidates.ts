import { median } from '../../foundation/statistics.ts';
import { type CellKey, cellPlace, METRICS, type MetricName } from '../../model/metric.ts';
import { isGate, type Policy, thresholdOf } from '../../model/policy.ts';
import { noiseOf } from '../inference/detectable.ts';
import { LEAST_SPREAD, MAX_RUNS, type StoredValue, type StoredValues } from './bound.ts';
import { historyRows, type MeasuredCell } from './cells.ts';
import { isSameStratum, type StoredRun, type Stratum } from './stored-run.ts';

export interface Candidate {
  readonly cell: CellKey;
  readonly metric: MetricName;
  readonly now: number;
  readonly rounds: number;
  /** Undefined if only the difference is reported. */
  readonly family: 'gate' | 'watch' | undefined;
  readonly threshold: number;
  /** Values in the metric's unit. */
  readonly past: { readonly own: readonly number[]; readonly others: readonly number[] };
  /** Values that have a logarithm. */
  readonly values: StoredValues;
}

type ComparisonKey = Pick<Candidate, 'cell' | 'metric'>;

/**
 * Metrics of a cell with their past, except its error rate. Values that were suspicious in their own run are left out of the past, unless they belong
 * to a new level; levels before a step are separate strata, which show the noise.
 */
export function candidatesOf(measured: MeasuredCell, past: Strata, policy: Policy): readonly Candidate[] {
  const { cell, rounds, values, isStaged = false } = measured;
  return entriesOf(values).map(([metric, now]) => {
    const name = { cell, metric };
    const threshold = thresholdOf(policy, name);
    const levels = byLevel(past, name, Math.log1p(threshold));
    const read = (runs: readonly StoredRun[]) =>
      runs.flatMap((run) => (isFlagged(run, name) ? [] : (run.cells[cellPlace(cell)]?.[metric] ?? [])));
    const row = historyRows(cell).find((one) => one.metric === metric);
    return {
      cell,
      metric,
      now,
      rounds,
      family:
        row === undefined || now <= 0 ? undefined : isGate(policy, name, row.gate && !isStaged) ? 'gate' : 'watch',
      threshold,
      past: { own: read(past.own), others: read(past.others.flat()) },
      values: {
        own: levels.own.flatMap((run) => pastValueOf(run, name)),
        others: levels.others.map((runs) => runs.flatMap((run) => pastValueOf(run, name))),
      },
    };
  });
}

/** Runs in which a comparison was not suspicious, and those that were suspicious at least 5 times in a row: that is no longer a bad day. */
export function acceptedRuns(past: readonly StoredRun[], name: ComparisonKey): readonly StoredRun[] {
  const ends = past.flatMap((run, place) => (isFlagged(run, name) ? [] : [place]));
  return past.filter((run, place) => {
    const before = ends.findLast((end) => end < place) ?? -1;
    const after = ends.find((end) => end > place) ?? past.length;
    return !isFlagged(run, name) || after - before > STEP_RUNS;
  });
}

function isFlagged({ suspicious }: StoredRun, name: ComparisonKey): boolean {
  return suspicious.includes(`${cellPlace(name.cell)} ${name.metric}`);
}

/** Logarithm of a value above 0, negated if higher is better: up is worse. */
export function worseUp(metric: MetricName, value: number): number {
  return METRICS[metric].better === 'lower' ? Math.log(value) : -Math.log(value);
}

function entriesOf(values: MeasuredCell['values']): readonly (readonly [MetricName, number])[] {
  return (Object.keys(values) as MetricName[]).flatMap((metric) => {
    const value = values[metric];
    return value === undefined || metric === 'errorRate' ? [] : [[metric, value] as const];
  });
}

/** Runs on the kind of machine of the judged run, and on each other one. */
interface Strata {
  readonly own: readonly StoredRun[];
  readonly others: readonly (readonly StoredRun[])[];
}

export function byStratum(runs: readonly StoredRun[], own: Stratum): Strata {
  const groups = Map.groupBy(
    runs.filter(({ stratum }) => !isSameStratum(stratum, own)),
    ({ stratum: { cpuModel, cores, kernelMajor } }) => JSON.stringify([cpuModel, cores, kernelMajor]),
  );
  return { own: runs.filter(({ stratum }) => isSameStratum(stratum, own)), others: [...groups.values()] };
}

/** The same, with strata between two steps; for this machine, the values after the last step. */
function byLevel({ own, others }: Strata, name: ComparisonKey, limit: number) {
  const levels = levelsOf(own, name, limit);
  return {
    own: levels.at(-1) ?? [],
    others: [...levels.slice(0, -1), ...others.flatMap((runs) => levelsOf(runs, name, limit))],
  };
}

/** Levels of one machine, from step to step, without outliers. */
function levelsOf(runs: readonly StoredRun[], name: ComparisonKey, limit: number): readonly (readonly StoredRun[])[] {
  const measured = runs.filter((run) => pastValueOf(run, name).length > 0);
  const values = measured.flatMap((run) => pastValueOf(run, name)).map(({ y }) => y);
  const steps = stepsIn(values, limit);
  return [0, ...steps].map((from, index) => {
    const level = measured.slice(from, steps[index]);
    const side = sideOf(values.slice(from, steps[index]), limit);
    // After a step, a flag may refer to the old level: suspicious values are left out only if they are also outliers of the new one.
    return level.filter((run, place) => !isFlagged(run, name) || (from > 0 && side(values[from + place] ?? 0) === 0));
  });
}

function pastValueOf(run: StoredRun, { cell, metric }: ComparisonKey): readonly StoredValue[] {
  const value = run.cells[cellPlace(cell)]?.[metric];
  if (value === undefined || value <= 0) {
    return [];
  }
  const logControl = run.controlMs === undefined ? undefined : Math.log(run.controlMs);
  return [{ y: worseUp(metric, value), logControl, rounds: run.rounds, at: run.startedAt }];
}

/** Number of consecutive runs beyond the old level that form a new one: a few bad days do not. */
const STEP_RUNS = 5;

/** Number of runs from which a level is known. */
const LEVEL_RUNS = 10;

/** Distance from the median in standard deviations, if that is more than the threshold. */
const REACH = 2;

/**
 * Indexes at which values (logarithms, in order of time) begin a new level: 5 in a row are on the same side of the median of at least 10 before them,
 * each by more than the limit and by more than 2 standard deviations.
 */
export function stepsIn(values: readonly number[], limit: number): readonly number[] {
  const steps: number[] = [];
  let from = 0;
  for (let at = LEVEL_RUNS; at + STEP_RUNS <= values.length; at += 1) {
    if (at - from >= LEVEL_RUNS && isStep(values.slice(from, at), values.slice(at, at + STEP_RUNS), limit)) {
      steps.push(at);
      from = at;
    }
  }
  return steps;
}

function isStep(before: readonly number[], after: readonly number[], limit: number): boolean {
  const sides = after.map(sideOf(before, limit));
  return sides[0] !== 0 && sides.every((side) => side === sides[0]);
}

/** 1 for a value above the range of the level, -1 below, 0 within it. */
function sideOf(level: readonly number[], limit: number): (value: number) => number {
  const newest = level.slice(-MAX_RUNS);
  const middle = median(newest) ?? 0;
  const noise = newest.length === 0 ? 0 : noiseOf(newest);
  const reach = Math.max(limit, REACH * Math.max(LEAST_SPREAD, noise));
  return (value) => (Math.abs(value - middle) > reach ? Math.sign(value - middle) : 0);
}
