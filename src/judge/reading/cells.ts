import { quantile, sorted } from '../../foundation/statistics.ts';
import { type CellKey, cellPlace, METRIC_NAMES, type MetricName } from '../../model/metric.ts';
import type { Run } from '../../model/run/run.ts';
import type { FailureCount, Sample } from '../../model/run/sample.ts';
import type { Mark } from '../../model/sample/mark.ts';

/** One metric of one cell over all rounds; with one round all three values are equal. */
export interface Figure {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly rounds: number;
}

export interface CellReading {
  /** Samples in the order of the rounds; never empty. */
  readonly samples: readonly Sample[];
  readonly figures: Readonly<Partial<Record<MetricName, Figure>>>;
  /** Undefined in a closed loop, which has no offered rate. */
  readonly offeredRps: number | undefined;
  readonly requests: number;
  readonly failures: readonly FailureCount[];
  readonly droppedRequests: number;
  readonly marks: readonly { readonly mark: Mark; readonly rounds: number }[];
}

/** Cells of a run; a cell without samples is missing. */
export interface CellTable {
  at(place: Omit<CellKey, 'suite'>): CellReading | undefined;
}

export function hasMark(cell: Pick<CellReading, 'marks'> | undefined, mark: Mark): boolean {
  return cell?.marks.some((one) => one.mark === mark) === true;
}

/** Collects the samples of the run's head by cell. */
export function readCells(run: Run): CellTable {
  const heads = run.samples.filter(({ side }) => side === 'head');
  const groups = Map.groupBy(heads, ({ cell }) => cellPlace(cell));
  const readings = new Map([...groups].map(([name, samples]) => [name, readCell(samples)]));
  return { at: (place) => readings.get(cellPlace(place)) };
}

function readCell(unordered: readonly Sample[]): CellReading {
  const samples = unordered.toSorted((left, right) => left.round - right.round);
  return {
    samples,
    figures: Object.fromEntries(
      METRIC_NAMES.flatMap((metric) => {
        const figure = figureOf(samples.map(({ values }) => values[metric]));
        return figure === undefined ? [] : [[metric, figure]];
      }),
    ),
    offeredRps: figureOf(samples.map(({ offeredRps }) => offeredRps))?.median,
    requests: sum(samples.map(({ requests }) => requests)),
    failures: countFailures(samples),
    droppedRequests: sum(samples.map(({ droppedRequests }) => droppedRequests)),
    marks: countMarks(samples),
  };
}

/** Median and range of the available values; undefined if there are none. */
export function figureOf(found: readonly (number | undefined)[]): Figure | undefined {
  const values = sorted(found.filter((value) => value !== undefined));
  const [low, middle, high] = [values[0], quantile(values, 0.5), values.at(-1)];
  return low === undefined || middle === undefined || high === undefined
    ? undefined
    : { median: middle, low, high, rounds: values.length };
}

function countFailures(samples: readonly Sample[]): FailureCount[] {
  const counts = new Map<string, number>();
  for (const { kind, count } of samples.flatMap(({ failures }) => failures)) {
    counts.set(kind, (counts.get(kind) ?? 0) + count);
  }
  return [...counts].map(([kind, count]) => ({ kind, count })).sort((left, right) => right.count - left.count);
}

function countMarks(samples: readonly Sample[]): CellReading['marks'] {
  const all = Map.groupBy(
    samples.flatMap(({ marks }) => marks),
    (mark) => mark,
  );
  return [...all].map(([mark, { length }]) => ({ mark, rounds: length }));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
