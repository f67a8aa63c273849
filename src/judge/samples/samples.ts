import { type KnownMetrics, MEASURED_METRICS, metricHint } from '../../config/schema/metric-name.ts';
import type { SourceText } from '../../config/yaml/yaml.ts';
import { ConfigError } from '../../foundation/errors.ts';
import type { ComparisonInput } from '../verdict/input.ts';
import { parseSampleRows, type SampleRow } from './sample-rows.ts';
import { type SampleSeries, samplesInput } from './samples-input.ts';

/** Figures that were measured elsewhere, ready to be judged. */
export interface Samples {
  readonly input: ComparisonInput;
  /** The metrics that they have, with their directions: what a policy for them may name. */
  readonly metrics: KnownMetrics;
}

/**
 * The samples in a CSV with the columns round, side, position, service, operation, tier, metric and value, and optionally
 * better and gate, in any order of columns and lines. Throws ConfigError, naming the line, where a line is malformed or at odds
 * with another one. A round that lacks a side is a hole, as it is in a run.
 */
export function parseSamples(source: SourceText): Samples {
  const rows = parseSampleRows(source);
  if (rows.length === 0) {
    throw new ConfigError(`${source.file}: has a header and no samples`, { next: 'Add a line for every figure.' });
  }
  checkRounds(rows, source.file);
  checkPositions(rows, source.file);
  const metrics = directionsOf(rows, source.file);
  const series = [...seriesOf(rows, source.file).values()].map((one) => ({
    ...one,
    better: metrics.get(one.metric) ?? 'lower',
  }));
  return { input: samplesInput(series, firstSides(rows)), metrics };
}

function refusal(file: string, line: number, problem: string): ConfigError {
  return new ConfigError(`${file}:${line}: ${problem}`, { next: 'Mend the line, or the one that it is at odds with.' });
}

/** The exact interval of a comparison takes the cube of its rounds. */
const MOST_ROUNDS = 300;

function checkRounds(rows: readonly SampleRow[], file: string): void {
  const services = new Map<string, Set<number>>();
  for (const { cell, round, line } of rows) {
    const rounds = services.get(cell.service) ?? new Set<number>();
    services.set(cell.service, rounds.add(round));
    if (rounds.size > MOST_ROUNDS) {
      throw refusal(file, line, `${cell.service} has over ${MOST_ROUNDS} rounds`);
    }
  }
}

/** In a round of a service one version ran first and the other second, in every line. */
function checkPositions(rows: readonly SampleRow[], file: string): void {
  const seen = new Map<string, SampleRow>();
  for (const row of rows) {
    for (const side of ['base', 'head'] as const) {
      const other = seen.get(`${row.cell.service} ${row.round} ${side}`);
      if (other !== undefined && (other.position === row.position) !== (side === row.side)) {
        const was = `${side} has position ${other.position} on line ${other.line}`;
        throw refusal(file, row.line, `${row.side} has position ${row.position} in round ${row.round}, and ${was}`);
      }
    }
    const key = `${row.cell.service} ${row.round} ${row.side}`;
    seen.set(key, seen.get(key) ?? row);
  }
}

/** Which way each metric is better: as the lines say, else as Wiregauge knows it. */
function directionsOf(rows: readonly SampleRow[], file: string): KnownMetrics {
  const said = new Map<string, SampleRow>();
  for (const row of rows) {
    const better = said.get(row.metric)?.better ?? MEASURED_METRICS.get(row.metric);
    if (row.better !== undefined && better !== undefined && row.better !== better) {
      throw refusal(
        file,
        row.line,
        `says that ${row.metric} is better when ${row.better}, and it is better when ${better}`,
      );
    }
    if (row.better !== undefined) {
      said.set(row.metric, said.get(row.metric) ?? row);
    }
  }
  return new Map(
    rows.map(({ metric, line }) => {
      const better = said.get(metric)?.better ?? MEASURED_METRICS.get(metric);
      if (better === undefined) {
        const hint = metricHint(metric, MEASURED_METRICS);
        throw new ConfigError(`${file}:${line}: there is no metric "${metric}": ${hint}`, {
          next: 'For a metric of your own, add the column better, with lower or higher.',
        });
      }
      return [metric, better];
    }),
  );
}

type Gathered = Omit<SampleSeries, 'better'> & { readonly values: Map<number, { base?: number; head?: number }> };

function seriesOf(rows: readonly SampleRow[], file: string): Map<string, Gathered> {
  const found = new Map<string, Gathered>();
  for (const row of rows) {
    const { cell, metric } = row;
    const key = [cell.service, cell.operation, cell.tier, metric].join(' ');
    const known = found.get(key);
    if (known?.gate !== undefined && row.gate !== undefined && known.gate !== row.gate) {
      throw refusal(
        file,
        row.line,
        `says gate ${row.gate}, and an earlier line of the same comparison says ${known.gate}`,
      );
    }
    const series = { cell, metric, values: known?.values ?? new Map(), gate: known?.gate ?? row.gate };
    const round = series.values.get(row.round) ?? {};
    if (round[row.side] !== undefined) {
      throw refusal(
        file,
        row.line,
        `has ${metric} of ${row.side} in round ${row.round} of the same cell a second time`,
      );
    }
    series.values.set(row.round, { ...round, [row.side]: row.value });
    found.set(key, series);
  }
  return found;
}

/** Which version was first, by service and round. */
function firstSides(rows: readonly SampleRow[]): ReadonlyMap<string, ReadonlyMap<number, 'base' | 'head'>> {
  const services = new Map<string, Map<number, 'base' | 'head'>>();
  for (const { cell, round, side, position } of rows) {
    const rounds = services.get(cell.service) ?? new Map<number, 'base' | 'head'>();
    rounds.set(round, (position === 1) === (side === 'base') ? 'base' : 'head');
    services.set(cell.service, rounds);
  }
  return services;
}
