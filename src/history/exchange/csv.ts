import * as z from 'zod/mini';
import { type CsvRecord, parseCsv } from '../../config/csv.ts';
import type { SourceText } from '../../config/yaml/frame.ts';
import { ConfigError } from '../../foundation/errors.ts';
import { documentAddress, plainText } from '../../foundation/text.ts';
import { METRICS } from '../../model/metric.ts';
import {
  entryOfFields,
  type HistoryEntry,
  IMPORTED_RUN,
  plainSeries,
  type Series,
  seriesKey,
  seriesSchema,
} from '../store/entry.ts';
import { fitting, LONGEST_NAME, list, MAX_SERIES, object, timeText } from '../store/fields.ts';
import { documentOf, documentText } from '../store/index-file.ts';
import type { NameRun } from './export.ts';

/** Columns of a history as CSV, with one line per figure. */
const CSV_COLUMNS = [
  ...(['run', 'at', 'suite', 'kind', 'commit', 'branch', 'rounds', 'outcome'] as const),
  ...(['service', 'operation', 'tier', 'metric', 'unit', 'better', 'value', 'spread'] as const),
];

type CsvColumn = (typeof CSV_COLUMNS)[number];

/** History as CSV. Text that a spreadsheet would read as a formula is prefixed with an apostrophe, which an import removes. */
export function formatCsv(entries: readonly HistoryEntry[]): string {
  const lines = entries.flatMap(linesOf);
  return `${[CSV_COLUMNS.join(','), ...lines].join('\n')}\n`;
}

function linesOf(entry: HistoryEntry): readonly string[] {
  return entry.series.flatMap((series, place) => {
    const value = entry.values[place] ?? null;
    if (value === null) {
      return [];
    }
    const { run, at, suite, kind, commit, branch, rounds, outcome } = entry;
    const own = { run, at, suite, kind, commit: commit?.sha, branch, rounds, outcome };
    const fields = { ...own, ...series, suite, value, spread: entry.spreads[place] ?? undefined };
    return [CSV_COLUMNS.map((column) => field(fields[column])).join(',')];
  });
}

function field(value: string | number | undefined): string {
  if (typeof value !== 'string') {
    return value === undefined ? '' : String(value);
  }
  const plain = /^[=+\-@\t']/.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

const MAX_RUNS = 100_000;

/** Runs as one JSON document, one run per line, each with its series. */
export function formatEntries(entries: readonly HistoryEntry[]): string {
  const runs = entries.map((entry) => ({ ...entry, series: entry.series.map(plainSeries) }));
  return documentText({}, 'runs', runs);
}

const runsSchema = object({ runs: list(z.unknown(), MAX_RUNS) });

const ownSeries = object({ series: list(seriesSchema, MAX_SERIES) });

/** Runs in a document of `formatEntries`; throws HistoryError. */
export function readEntries(text: string, file: string): readonly HistoryEntry[] {
  return documentOf(runsSchema, text, file).runs.map((run, index) => {
    // The first line has the schema.
    const line = { file, line: index + 2 };
    return entryOfFields(run, fitting(ownSeries, run, line).series, line);
  });
}

const REQUIRED: readonly CsvColumn[] = ['at', 'suite', 'metric', 'value'];

type Row = Readonly<Record<CsvColumn, string>> & { readonly line: number };

/**
 * Runs in a CSV with one line per figure, as `wiregauge history export --format csv` writes it; at, suite, metric and value are required.
 * Lines with the same `run`, or without it with the same time, suite and commit, are one run. They are marked as imported, so that no later
 * run is judged by them. Throws ConfigError with the line.
 */
export function parseHistoryCsv(source: SourceText, nameRun: NameRun): readonly HistoryEntry[] {
  const [header, ...records] = parseCsv(source);
  const columns = columnsOf(header, source.file);
  const runs = Map.groupBy(
    records.map((record) => rowOf(record, columns, source.file)),
    ({ run, at, suite, commit }) => (run === '' ? nameRun(JSON.stringify(['csv', at, suite, commit])) : run),
  );
  return [...runs].map(([run, rows]) => entryOf(run, rows, source.file));
}

function columnsOf(header: CsvRecord | undefined, file: string): readonly (CsvColumn | undefined)[] {
  const names = header?.fields ?? [];
  const missing = REQUIRED.filter((name) => !names.includes(name));
  if (missing.length > 0 || new Set(names).size < names.length) {
    throw refusal(file, 1, missing.length > 0 ? `lacks the column ${missing.join(', ')}` : 'has a duplicate column');
  }
  return names.map((name) => CSV_COLUMNS.find((column) => column === name));
}

function refusal(file: string, line: number, problem: string): ConfigError {
  return new ConfigError(`${file}:${line}: ${problem}`, {
    code: 'WG-602',
    next: `Nothing was imported. The columns: ${documentAddress('docs/history.md')}`,
  });
}

function rowOf({ fields, line }: CsvRecord, columns: readonly (CsvColumn | undefined)[], file: string): Row {
  if (fields.length !== columns.length) {
    throw refusal(file, line, `has ${fields.length} fields, but the header has ${columns.length}`);
  }
  const read = (column: CsvColumn) =>
    plainText((fields[columns.indexOf(column)] ?? '').replace(/^'/, ''), LONGEST_NAME);
  const texts = Object.fromEntries(CSV_COLUMNS.map((column) => [column, read(column)])) as Record<CsvColumn, string>;
  const at = timeText(texts.at);
  if (at === undefined) {
    throw refusal(file, line, `at is not a time like 2026-11-21T10:00:00Z: "${texts.at}"`);
  }
  if (!/^[A-Za-z0-9_.-]{0,80}$/.test(texts.run)) {
    throw refusal(file, line, 'run must contain only letters, digits, dots, dashes and underscores');
  }
  return { ...texts, at, line };
}

function entryOf(run: string, rows: readonly Row[], file: string): HistoryEntry {
  const [first] = rows as [Row];
  for (const { at, suite, commit, line } of rows) {
    if (at !== first.at || suite !== first.suite || commit !== first.commit) {
      throw refusal(file, line, `is of run ${run}, which has a different time, suite or commit on line ${first.line}`);
    }
  }
  const seen = new Set<string>();
  const series = rows.map((row) => {
    const one = seriesOfRow(row, file);
    if (seen.size === seen.add(seriesKey(one)).size) {
      throw refusal(file, row.line, 'repeats a figure of the run');
    }
    return one;
  });
  return {
    run,
    at: first.at,
    suite: first.suite,
    ...IMPORTED_RUN,
    series,
    values: rows.map((row) => numberOf(row, 'value', file)),
    spreads: rows.map((row) => (row.spread === '' ? null : numberOf(row, 'spread', file))),
    ...(first.commit !== '' && { commit: { sha: first.commit } }),
    ...(first.branch !== '' && { branch: first.branch }),
    rounds: first.rounds === '' ? 1 : Math.trunc(Math.abs(numberOf(first, 'rounds', file))),
  };
}

function seriesOfRow({ suite, service, operation, tier, metric, unit, better, line }: Row, file: string): Series {
  const known = Object.hasOwn(METRICS, metric) ? METRICS[metric as keyof typeof METRICS] : undefined;
  const direction = better === '' ? known?.better : better;
  if (direction !== 'lower' && direction !== 'higher') {
    throw refusal(file, line, `better must be lower or higher for the metric "${metric}"`);
  }
  return { suite, service, operation, tier, metric, unit: unit === '' ? (known?.unit ?? '') : unit, better: direction };
}

function numberOf(row: Row, column: 'value' | 'spread' | 'rounds', file: string): number {
  const number = Number(row[column]);
  if (row[column] === '' || !Number.isFinite(number)) {
    throw refusal(file, row.line, `${column} is not a finite number: "${row[column]}"`);
  }
  return number === 0 ? 0 : number;
}
