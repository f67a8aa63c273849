import { median } from '../../foundation/statistics.ts';
import { noiseOf } from '../../judge/inference/detectable.ts';
import { keptSamples, measuredCells, memoryPeaks } from '../../judge/stored/measured-cells.ts';
import { historyRows } from '../../judge/stored/rows.ts';
import { rounded } from '../../judge/stored/stored-run.ts';
import { ALL_TIERS } from '../../model/families.ts';
import { METRICS, type MetricName } from '../../model/metric.ts';
import type { Run } from '../../model/run/run.ts';
import { ALL_OPERATIONS, type CellKey, cellName, type Sample } from '../../model/sample.ts';
import type { Series } from './series.ts';

/** The median and the spread of one series in one run. */
export interface SeriesFigure {
  readonly series: Series;
  readonly value: number;
  /** Relative; null where fewer than 3 rounds have it, or one has a value that is not above 0. */
  readonly spread: number | null;
}

/** What a page shows of all operations together, besides what later runs are held against. */
const SHOWN: readonly MetricName[] = ['achievedRps', 'latencyP50Ms', 'latencyP95Ms', 'latencyP99Ms', 'errorRate'];

/** With fewer rounds a spread says nothing. */
const FEWEST_ROUNDS = 3;

const SPREAD_DIGITS = 2;

/** The figures of a run that the history keeps: of cells that are a measure of their service, in the order of its samples. */
export function figuresOf(run: Run): readonly SeriesFigure[] {
  const samples = keptSamples(run);
  return measuredCells(run)
    .filter(({ spoiled }) => spoiled === undefined)
    .flatMap(({ cell }) => (cell.tier === ALL_TIERS ? memoryFigures(cell, samples) : figuresOfCell(cell, samples)));
}

/** The rounds of the cell that has the fewest; 0 for a run without any. */
export function fewestRoundsIn(run: Run): number {
  const rounds = measuredCells(run)
    .filter(({ spoiled }) => spoiled === undefined)
    .map((cell) => cell.rounds);
  return rounds.length === 0 ? 0 : Math.min(...rounds);
}

function figuresOfCell(cell: CellKey, samples: readonly Sample[]): readonly SeriesFigure[] {
  const own = samples.filter((sample) => cellName(sample.cell) === cellName(cell));
  const held = historyRows(cell).map(({ metric }) => metric);
  const shown = cell.operation === ALL_OPERATIONS ? SHOWN : [];
  return [...new Set([...held, ...shown])].flatMap((metric) =>
    figureOf(
      cell,
      metric,
      own.flatMap(({ values }) => values[metric] ?? []),
    ),
  );
}

function memoryFigures(cell: CellKey, samples: readonly Sample[]): readonly SeriesFigure[] {
  const own = samples.filter((sample) => sample.cell.service === cell.service);
  return figureOf(cell, 'peakMemoryMiB', memoryPeaks(own));
}

function figureOf(cell: CellKey, metric: MetricName, values: readonly number[]): readonly SeriesFigure[] {
  const value = median(values);
  const { unit, better } = METRICS[metric];
  const { suite, service, operation, tier } = cell;
  return value === undefined || !Number.isFinite(value)
    ? []
    : [
        {
          series: { suite, service, operation, tier, metric, unit, better },
          value: rounded(value),
          spread: spreadOf(values),
        },
      ];
}

function spreadOf(values: readonly number[]): number | null {
  const canBeTold = values.length >= FEWEST_ROUNDS && values.every((value) => value > 0);
  return canBeTold ? Number(noiseOf(values.map(Math.log)).toPrecision(SPREAD_DIGITS)) : null;
}
