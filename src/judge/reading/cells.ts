import { METRIC_NAMES, type MetricName } from '../../model/metric.ts';
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

interface CellPlace {
  readonly service: string;
  readonly operation: string;
  readonly tier: string;
}

/** Cells of a run; a cell without samples is missing. */
export interface CellTable {
  at(place: CellPlace): CellReading | undefined;
}

/** Collects the samples of the run's head by cell. */
export function readCells(run: Run): CellTable {
  const heads = run.samples.filter(({ side }) => side === 'head');
  const groups = Map.groupBy(heads, ({ cell }) => nameOf(cell));
  const readings = new Map([...groups].map(([name, samples]) => [name, readCell(samples)]));
  return { at: (place) => readings.get(nameOf(place)) };
}

function nameOf({ service, operation, tier }: CellPlace): string {
  return `${service}/${operation}/${tier}`;
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
  const sorted = found.filter((value) => value !== undefined).sort((left, right) => left - right);
  const [low] = sorted;
  const high = sorted.at(-1);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (low === undefined || high === undefined || upper === undefined || lower === undefined) {
    return undefined;
  }
  return { median: (lower + upper) / 2, low, high, rounds: sorted.length };
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
