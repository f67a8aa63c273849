import { type CsvRecord, parseCsv } from '../../config/csv.ts';
import { type KnownMetrics, MEASURED_METRICS, metricHint } from '../../config/schema/metric-names.ts';
import type { SourceText } from '../../config/yaml/frame.ts';
import { ConfigError } from '../../foundation/errors.ts';
import { NAME as NAME_FORM } from '../../foundation/names.ts';
import type { Compared, ComparisonInput, Lost } from '../../judge/verdict/finding.ts';
import { withoutHoles } from '../../judge/verdict/losses.ts';
import type { CellKey } from '../../model/metric.ts';
import { gatesUsually } from '../../model/policy.ts';
import { PROFILES } from '../../model/profiles.ts';
import type { Side } from '../../model/rounds.ts';

/** Figures measured elsewhere, ready to be judged. */
interface Samples {
  readonly input: ComparisonInput;
  /** Metrics with their directions, which a policy may name. */
  readonly metrics: KnownMetrics;
}

/**
 * Samples in a CSV with the columns round, side, position, service, operation, tier, metric and value, and optionally better and gate; columns and
 * lines may have any order. Throws ConfigError with the line for a malformed line or one that contradicts another. A round that lacks a side is a
 * gap, as in a run.
 */
export function parseSamples(source: SourceText): Samples {
  const rows = parseSampleRows(source);
  if (rows.length === 0) {
    throw new ConfigError(`${source.file}: has a header but no samples`, {
      code: 'WG-405',
      next: 'Add a line for every figure.',
    });
  }
  const firsts = firstSidesOf(rows, source.file);
  const metrics = directionsOf(rows, source.file);
  const series = [...seriesOf(rows, source.file).values()].map(({ values, ...one }): Compared => {
    const rounds = [...(firsts.get(one.cell.service)?.keys() ?? [])];
    const better = metrics.get(one.metric) === 'higher' ? 'higher' : 'lower';
    const read = (side: Side) => rounds.map((round) => values.get(round)?.[side]);
    return { ...one, better, gate: one.gate ?? gatesUsually(one.metric), base: read('base'), head: read('head') };
  });
  const sides = new Map([...firsts].map(([service, rounds]) => [service, [...rounds.values()]]));
  return { input: samplesInput(series, sides), metrics };
}

function refusal(file: string, line: number, problem: string): ConfigError {
  return new ConfigError(`${file}:${line}: ${problem}`, {
    code: 'WG-405',
    next: 'Fix the line, or the one that contradicts it.',
  });
}

/** Limit of rounds: the time for the exact interval grows with their cube. */
export const MAX_ROUNDS = 300;

/** First version of each round in their order, by service. Throws ConfigError for too many rounds, and for lines of a round that disagree. */
function firstSidesOf(rows: readonly SampleRow[], file: string): ReadonlyMap<string, ReadonlyMap<number, Side>> {
  const services = new Map<string, Map<number, SampleRow>>();
  for (const row of rows) {
    const { cell, round, side, position, line } = row;
    const rounds = services.get(cell.service) ?? new Map<number, SampleRow>();
    const known = rounds.get(round) ?? row;
    if (firstOf(known) !== firstOf(row)) {
      const was = `${known.side} has position ${known.position} on line ${known.line}`;
      throw refusal(file, line, `${side} has position ${position} in round ${round}, and ${was}`);
    }
    services.set(cell.service, rounds.set(round, known));
    if (rounds.size > MAX_ROUNDS) {
      throw refusal(file, line, `${cell.service} has over ${MAX_ROUNDS} rounds`);
    }
  }
  const ordered = (rounds: ReadonlyMap<number, SampleRow>) => [...rounds].toSorted(([one], [other]) => one - other);
  return new Map(
    [...services].map(([service, rounds]) => [
      service,
      new Map(ordered(rounds).map(([round, row]) => [round, firstOf(row)])),
    ]),
  );
}

/** Version that ran first, by a line of its round. */
function firstOf({ side, position }: SampleRow): Side {
  return (position === 1) === (side === 'base') ? 'base' : 'head';
}

/** Better direction of each metric: that of the lines, else the known one. */
function directionsOf(rows: readonly SampleRow[], file: string): KnownMetrics {
  const known = new Map(MEASURED_METRICS);
  for (const { metric, better, line } of rows) {
    const before = known.get(metric);
    if (better !== undefined && before !== undefined && better !== before) {
      throw refusal(file, line, `sets better to ${better} for ${metric}, but it is better when ${before}`);
    }
    if (better !== undefined) {
      known.set(metric, better);
    }
  }
  return new Map(
    rows.map(({ metric, line }) => {
      const better = known.get(metric);
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

type Gathered = Pick<SampleRow, 'cell' | 'metric' | 'gate'> & {
  readonly values: Map<number, { base?: number; head?: number }>;
};

function seriesOf(rows: readonly SampleRow[], file: string): Map<string, Gathered> {
  const found = new Map<string, Gathered>();
  for (const row of rows) {
    const { cell, metric } = row;
    const key = keyOf(cell, metric);
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

/** First version of each round, by service; undefined if unknown. */
type FirstSides = ReadonlyMap<string, readonly (Side | undefined)[]>;

/**
 * Comparisons of figures measured elsewhere, with the usual looks up to the last round, since it is unknown whether results were inspected earlier;
 * there is no day, and no error counts.
 */
export function samplesInput(series: readonly Compared[], firstSides: FirstSides): ComparisonInput {
  const candidates = series.toSorted((left, right) =>
    keyOf(left.cell, left.metric) < keyOf(right.cell, right.metric) ? -1 : 1,
  );
  const absent = candidates.flatMap((one) => absenceOf(one) ?? []);
  const present = candidates.filter((one) => absenceOf(one) === undefined);
  const cells = Map.groupBy(present, ({ cell }) => keyOf(cell));
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
    rounds: [...firstSides]
      .map(([service, { length }]) => ({ service, kept: length, discarded: 0, failed: 0 }))
      .sort((left, right) => (left.service < right.service ? -1 : 1)),
    looks: PROFILES.standard.rounds.looks.filter(({ spent }) => spent < 1),
    families: [{ service: undefined, isFinal: true }],
    day: undefined,
    notes: [...firstSides].flatMap(([service, sides]) => orderNote(service, sides)).sort(),
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

/** Note if one version always ran first: then an effect of the order looks like a change. */
function orderNote(service: string, firsts: readonly (Side | undefined)[]): readonly string[] {
  const [first] = firsts;
  return first !== undefined && firsts.length > 1 && firsts.every((side) => side === first)
    ? [`${service}: ${first} was first in every round, so an effect of the order would look like a change.`]
    : [];
}

/** Text that orders comparisons: NUL precedes all characters of names. */
function keyOf({ service, tier, operation }: CellKey, metric = ''): string {
  return [service, tier, operation, metric].join('\0');
}

/** One figure of one version in one round, measured elsewhere. */
interface SampleRow {
  readonly line: number;
  readonly round: number;
  readonly side: Side;
  readonly position: number;
  readonly cell: CellKey;
  readonly metric: string;
  readonly value: number;
  readonly better: 'lower' | 'higher' | undefined;
  readonly gate: boolean | undefined;
}

const NAME = [NAME_FORM, 'a name of 1 to 80 letters, digits, dots, dashes or underscores'] as const;

const NUMBER = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/;

/** Valid texts of each column. */
const COLUMNS = {
  round: [/^[1-9]\d{0,8}$/, 'a whole number from 1'],
  side: [/^(?:base|head)$/, 'base or head'],
  position: [/^[12]$/, '1 or 2, the place of the version in its round'],
  service: NAME,
  operation: NAME,
  tier: NAME,
  metric: NAME,
  value: [{ test: (text) => NUMBER.test(text) && Number.isFinite(Number(text)) }, 'a finite number'],
  better: [/^(?:lower|higher)?$/, 'lower or higher'],
  gate: [/^(?:true|false)?$/, 'true or false'],
} as const satisfies Record<string, readonly [form: { test(text: string): boolean }, what: string]>;

type Column = keyof typeof COLUMNS;

const OPTIONAL: readonly string[] = ['better', 'gate'];
const REQUIRED = Object.keys(COLUMNS).filter((column) => !OPTIONAL.includes(column));

/** Suite of cells measured elsewhere. */
const SUITE = 'samples';

/** Rows of a CSV of samples. Throws ConfigError with the line for a header with a missing or unknown column, and for an invalid field. */
function parseSampleRows(source: SourceText): readonly SampleRow[] {
  const [header, ...records] = parseCsv(source);
  if (header === undefined) {
    throw new ConfigError(`${source.file}: is empty`, { code: 'WG-405', next: EXAMPLE });
  }
  const columns = columnsOf(header, source.file);
  return records.map((record) => rowOf(record, columns, source.file));
}

const EXAMPLE = `The first line must be the header: ${REQUIRED.join(',')}, and, optionally, ${OPTIONAL.join(' and ')}.`;

function columnsOf({ fields, line }: CsvRecord, file: string): readonly Column[] {
  const names = fields.map((field) => field.trim());
  const unknown = names.find((name) => !isColumn(name));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  const lacking = REQUIRED.filter((name) => !names.includes(name));
  const wrong =
    (unknown !== undefined && `unknown column "${unknown}"`) ||
    (twice !== undefined && `the column ${twice} appears twice`) ||
    (lacking.length > 0 && `the header lacks ${lacking.join(', ')}`);
  if (wrong) {
    throw new ConfigError(`${file}:${line}: ${wrong}`, { code: 'WG-405', next: EXAMPLE });
  }
  return names.filter(isColumn);
}

function isColumn(name: string): name is Column {
  return Object.hasOwn(COLUMNS, name);
}

function rowOf({ line, fields }: CsvRecord, columns: readonly Column[], file: string): SampleRow {
  if (fields.length !== columns.length) {
    const counts = `has ${fields.length} fields, but the header has ${columns.length}`;
    throw new ConfigError(`${file}:${line}: ${counts}`, {
      code: 'WG-405',
      next: 'Every line needs the fields of the header.',
    });
  }
  const read = (column: Column): string => {
    const text = fields[columns.indexOf(column)]?.trim() ?? '';
    const [form, what] = COLUMNS[column];
    if (!form.test(text)) {
      throw new ConfigError(`${file}:${line}: ${column} "${text.slice(0, 80)}" is not ${what}`, {
        code: 'WG-405',
        next: 'Fix the line.',
      });
    }
    return text;
  };
  const row: Omit<SampleRow, 'better' | 'gate'> = {
    line,
    round: Number(read('round')),
    side: read('side') === 'base' ? 'base' : 'head',
    position: Number(read('position')),
    cell: { suite: SUITE, service: read('service'), operation: read('operation'), tier: read('tier') },
    metric: read('metric'),
    value: Number(read('value')),
  };
  const [better, gate] = [read('better'), read('gate')];
  return {
    ...row,
    better: better === 'lower' || better === 'higher' ? better : undefined,
    gate: gate === '' ? undefined : gate === 'true',
  };
}
