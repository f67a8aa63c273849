import { type KnownMetrics, MEASURED_METRICS, metricHint } from '../../config/schema/metric-names.ts';
import type { SourceText } from '../../config/yaml/frame.ts';
import { ConfigError } from '../../foundation/errors.ts';
import type { Compared, ComparisonInput, Lost } from '../../judge/verdict/finding.ts';
import { withoutHoles } from '../../judge/verdict/losses.ts';
import type { CellKey } from '../../model/metric.ts';
import { gatesUsually } from '../../model/policy.ts';
import { PROFILES } from '../../model/profiles.ts';
import type { Side } from '../../model/rounds.ts';
import { parseSampleRows, type SampleRow } from './sample-rows.ts';

/** Figures that were measured elsewhere, ready to be judged. */
export interface Samples {
  readonly input: ComparisonInput;
  /** The metrics that they have, with their directions: what a policy for them may name. */
  readonly metrics: KnownMetrics;
}

/**
 * The samples in a CSV with the columns round, side, position, service, operation, tier, metric and value, and optionally better and gate, in any
 * order of columns and lines. Throws ConfigError, naming the line, if a line is malformed or at odds with another one. A round that lacks a side
 * is a hole, as in a run.
 */
export function parseSamples(source: SourceText): Samples {
  const rows = parseSampleRows(source);
  if (rows.length === 0) {
    throw new ConfigError(`${source.file}: has a header but no samples`, {
      code: 'WG-405',
      next: 'Add a line for every figure.',
    });
  }
  checkRounds(rows, source.file);
  checkPositions(rows, source.file);
  const metrics = directionsOf(rows, source.file);
  const series = [...seriesOf(rows, source.file).values()].map((one) => ({
    ...one,
    better: metrics.get(one.metric) === 'higher' ? ('higher' as const) : ('lower' as const),
  }));
  return { input: samplesInput(series, firstSides(rows)), metrics };
}

function refusal(file: string, line: number, problem: string): ConfigError {
  return new ConfigError(`${file}:${line}: ${problem}`, {
    code: 'WG-405',
    next: 'Fix the line, or the one that contradicts it.',
  });
}

/** The time of the exact interval grows with the cube of the rounds. */
export const MAX_ROUNDS = 300;

function checkRounds(rows: readonly SampleRow[], file: string): void {
  const services = new Map<string, Set<number>>();
  for (const { cell, round, line } of rows) {
    const rounds = services.get(cell.service) ?? new Set<number>();
    services.set(cell.service, rounds.add(round));
    if (rounds.size > MAX_ROUNDS) {
      throw refusal(file, line, `${cell.service} has over ${MAX_ROUNDS} rounds`);
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

/** Better direction of each metric: that of the lines, else the one that Wiregauge knows. */
function directionsOf(rows: readonly SampleRow[], file: string): KnownMetrics {
  const said = new Map<string, SampleRow>();
  for (const row of rows) {
    const better = said.get(row.metric)?.better ?? MEASURED_METRICS.get(row.metric);
    if (row.better !== undefined && better !== undefined && row.better !== better) {
      throw refusal(file, row.line, `sets better to ${row.better} for ${row.metric}, but it is better when ${better}`);
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
          code: 'WG-106',
          next: 'For a custom metric, add the column better, with lower or higher.',
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
        `sets gate to ${row.gate}, but an earlier line of the same comparison sets ${known.gate}`,
      );
    }
    const series = { cell, metric, values: known?.values ?? new Map(), gate: known?.gate ?? row.gate };
    const round = series.values.get(row.round) ?? {};
    if (round[row.side] !== undefined) {
      throw refusal(file, row.line, `repeats ${metric} of ${row.side} in round ${row.round} of the same cell`);
    }
    series.values.set(row.round, { ...round, [row.side]: row.value });
    found.set(key, series);
  }
  return found;
}

/** Version that was first, by service and round. */
function firstSides(rows: readonly SampleRow[]): ReadonlyMap<string, ReadonlyMap<number, 'base' | 'head'>> {
  const services = new Map<string, Map<number, 'base' | 'head'>>();
  for (const { cell, round, side, position } of rows) {
    const rounds = services.get(cell.service) ?? new Map<number, 'base' | 'head'>();
    rounds.set(round, (position === 1) === (side === 'base') ? 'base' : 'head');
    services.set(cell.service, rounds);
  }
  return services;
}

/** One metric of one cell that was measured elsewhere. */
export interface SampleSeries {
  readonly cell: CellKey;
  readonly metric: string;
  readonly better: 'lower' | 'higher';
  /** Only of metrics that Wiregauge does not know. */
  readonly unit?: string | undefined;
  /** True if it may fail a pull request; undefined if unset. */
  readonly gate: boolean | undefined;
  /** By round. */
  readonly values: ReadonlyMap<number, { readonly base?: number; readonly head?: number }>;
}

/** Version that was first, by service and round; undefined if unknown. */
export type FirstSides = ReadonlyMap<string, ReadonlyMap<number, Side | undefined>>;

/**
 * Comparisons of figures measured elsewhere. The looks are the usual ones as far as the rounds go, since it is unknown whether results were
 * inspected before the last round; there is no day, and no counts of errors.
 */
export function samplesInput(series: readonly SampleSeries[], firstSides: FirstSides): ComparisonInput {
  const rounds = new Map(
    [...firstSides].map(([service, sides]) => [service, [...sides.keys()].sort((left, right) => left - right)]),
  );
  const candidates = series
    .map(({ cell, metric, better, unit, gate, values }): Compared => {
      const read = (side: Side) => (rounds.get(cell.service) ?? []).map((round) => values.get(round)?.[side]);
      const said = { cell, metric, better, ...(unit !== undefined && { unit }), gate: gate ?? gatesUsually(metric) };
      return { ...said, base: read('base'), head: read('head') };
    })
    .sort((left, right) => {
      const others = namesOf(right);
      const orders = namesOf(left).map((name, index) => compareTexts(name, others[index] ?? ''));
      return orders.find((order) => order !== 0) ?? 0;
    });
  const absent = candidates.flatMap((one) => absenceOf(one) ?? []);
  const present = candidates.filter((one) => absenceOf(one) === undefined);
  const cells = Map.groupBy(present, (one) => namesOf(one).slice(0, -1).join(' '));
  const filled = [...cells.values()].map(withoutHoles);
  return {
    compared: filled.flatMap(({ compared }) => compared),
    lost: [...absent, ...filled.flatMap(({ lost }) => lost)],
    errors: [],
    readings: candidates.map(({ cell, metric, better, head }) => ({
      cell,
      metric,
      better,
      values: head.flatMap((value) => value ?? []),
    })),
    rounds: [...rounds]
      .map(([service, { length }]) => ({ service, kept: length, discarded: 0, failed: 0 }))
      .sort((left, right) => compareTexts(left.service, right.service)),
    looks: PROFILES.standard.rounds.looks.filter(({ spent }) => spent < 1),
    families: [{ service: undefined, isFinal: true }],
    day: undefined,
    notes: [...firstSides].flatMap(([service, sides]) => orderNote(service, [...sides.values()])).sort(compareTexts),
    remarks: [],
  };
}

function absenceOf({ cell, metric, gate, base, head }: Compared): Lost | undefined {
  if (metric === 'errorRate') {
    const detail = 'error rates are judged by counts, which samples do not have';
    return { cell, metric, takes: [{ cell, metric, gate: false }], reason: 'not-positive', detail };
  }
  const [inBase, inHead] = [base, head].map((values) => values.some((value) => value !== undefined));
  if (inBase && inHead) {
    return undefined;
  }
  return {
    cell,
    metric,
    takes: [{ cell, metric, gate }],
    reason: inHead ? 'new' : 'gone',
    detail: `no sample of the ${inHead ? 'base' : 'head'}`,
  };
}

/** With one version always first, whatever changes within a round looks like a change of the version. */
function orderNote(service: string, firsts: readonly (Side | undefined)[]): readonly string[] {
  const [first] = firsts;
  return first !== undefined && firsts.length > 1 && firsts.every((side) => side === first)
    ? [`${service}: ${first} was first in every round, so an effect of the order would look like a change.`]
    : [];
}

function namesOf({ cell, metric }: Compared): readonly string[] {
  return [cell.service, cell.tier, cell.operation, metric];
}

/** By code units: the order must not depend on the language of the machine. */
function compareTexts(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
