import * as z from 'zod/mini';
import { mergeHistograms } from '../../foundation/histogram.ts';
import { keptSamples } from '../../judge/stored/cells.ts';
import { ALL_OPERATIONS } from '../../model/metric.ts';
import type { Run } from '../../model/run/run.ts';
import {
  columnsLine,
  entryLine,
  entryOfFields,
  type HistoryEntry,
  type Series,
  seriesKey,
  seriesSchema,
} from './entry.ts';
import {
  count,
  fitting,
  HISTORY_SCHEMA,
  HistoryError,
  type HistoryPlace,
  list,
  MAX_SERIES,
  malformed,
  namedValues,
  object,
  parseFields,
  runId,
  text,
} from './fields.ts';

const MAX_LINES = 20_000;

type Columns = Map<number, readonly Series[]>;

/** Runs of a segment in the order of publication. Throws HistoryError with file and line if any of the text cannot be read. */
export function readSegment(text: string, file: string): readonly HistoryEntry[] {
  return decoded(text, file).entries;
}

/**
 * Text of a segment with more runs, in their order, without those that it has. Throws HistoryError if the text cannot be read, and for an
 * invalid entry.
 */
export function appendedAll(text: string, added: readonly HistoryEntry[], file: string): string {
  const known = decoded(text, file);
  const columns = new Map(known.columns);
  const runs = new Set(known.runs);
  let lines = '';
  for (const entry of added) {
    if (!runs.has(entry.run)) {
      runs.add(entry.run);
      lines += linesOf(entry, columns);
    }
  }
  decode(lines, file, known);
  return text + lines;
}

/**
 * Segment with corrected series. `correct` gets the series of each line of columns with the runs that use them, and returns the same number in the
 * same order. All other lines are unchanged. Throws HistoryError if the text cannot be read.
 */
export function withSeries(
  text: string,
  file: string,
  correct: (series: readonly Series[], entries: readonly HistoryEntry[]) => readonly Series[],
): {
  readonly text: string;
  readonly entries: readonly HistoryEntry[];
  readonly changed: readonly { readonly before: Series; readonly after: Series }[];
} {
  const { entries, columns } = decoded(text, file);
  const changed: { before: Series; after: Series }[] = [];
  const lines = new Map<number, string>();
  for (const [number, series] of columns) {
    const corrected = correct(
      series,
      entries.filter((entry) => entry.series === series),
    );
    const differing = series.flatMap((before, place) => {
      const after = corrected[place] ?? before;
      return after.better === before.better ? [] : [{ before, after }];
    });
    if (differing.length > 0) {
      changed.push(...differing);
      lines.set(number, columnsLine(number, corrected).trimEnd());
    }
  }
  if (changed.length === 0) {
    return { text, entries, changed };
  }
  const own = text.split('\n').map((line) => {
    const { columns: number, series } = line === '' ? {} : JSON.parse(line);
    return (Array.isArray(series) ? lines.get(number) : undefined) ?? line;
  });
  return { text: own.join('\n'), entries: decoded(own.join('\n'), file).entries, changed };
}

function linesOf(entry: HistoryEntry, columns: Columns): string {
  const known = fittingColumns(columns, entry.series);
  if (known !== undefined) {
    return entryLine(spreadOver(entry, known[1]), known[0]);
  }
  const number = Math.max(0, ...columns.keys()) + 1;
  columns.set(number, entry.series);
  return columnsLine(number, entry.series) + entryLine(entry, number);
}

interface Segment {
  lines: number;
  readonly entries: HistoryEntry[];
  readonly columns: Columns;
  readonly runs: Set<string>;
}

function decoded(text: string, file: string): Segment {
  const segment = { lines: 0, entries: [], columns: new Map(), runs: new Set<string>() };
  decode(text, file, segment);
  return segment;
}

/** Adds the lines of a text to a segment. */
function decode(text: string, file: string, segment: Segment): void {
  const { entries, columns, runs } = segment;
  const lines = wholeLines(text, file);
  const before = segment.lines;
  segment.lines += lines.length;
  if (segment.lines > MAX_LINES) {
    throw malformed({ file, line: segment.lines + 1 }, `a segment has at most ${MAX_LINES} lines`);
  }
  for (const [index, line] of lines.entries()) {
    const at = { file, line: before + index + 1 };
    const fields = parseFields(line, at);
    if (fields['run'] === undefined) {
      addColumns(columns, fields, at);
      continue;
    }
    const { columns: number } = fitting(numberSchema, fields, at);
    const series = columns.get(number);
    if (series === undefined) {
      throw malformed(at, `no line before has columns ${number}`);
    }
    const entry = entryOfFields(fields, series, at);
    if (runs.has(entry.run)) {
      throw malformed(at, `run ${entry.run} appears twice`);
    }
    runs.add(entry.run);
    entries.push(entry);
  }
}

const columnsSchema = object({ columns: count, series: list(seriesSchema, MAX_SERIES) });

function addColumns(columns: Columns, fields: unknown, place: HistoryPlace): void {
  const { columns: number, series } = fitting(columnsSchema, fields, place);
  if (columns.has(number)) {
    throw malformed(place, `columns ${number} appear twice`);
  }
  if (new Set(series.map(seriesKey)).size < series.length) {
    throw malformed(place, 'a series appears twice');
  }
  columns.set(number, series);
}

const numberSchema = object({ columns: count });

/** Smallest columns that have every series, with the same direction and load: a null costs less than a line of columns. */
function fittingColumns(columns: Columns, series: readonly Series[]): [number, readonly Series[]] | undefined {
  const fitting = [...columns].filter(([, known]) => {
    const said = new Map(known.map((one) => [seriesKey(one), detailsKey(one)]));
    return series.every((one) => said.get(seriesKey(one)) === detailsKey(one));
  });
  return fitting.sort(([, left], [, right]) => left.length - right.length)[0];
}

function detailsKey({ better, load = '' }: Series): string {
  return `${better} ${load}`;
}

function spreadOver(entry: HistoryEntry, series: readonly Series[]): HistoryEntry {
  const places = new Map(entry.series.map((one, place) => [seriesKey(one), place]));
  const placed = series.map((one) => places.get(seriesKey(one)));
  const read = (figures: HistoryEntry['values']) => placed.map((place) => figures[place ?? -1] ?? null);
  const moved = <Said extends { readonly series: number }>(said: readonly Said[]) =>
    said.map((one) => ({ ...one, series: placed.indexOf(one.series) }));
  return {
    ...entry,
    series,
    values: read(entry.values),
    spreads: read(entry.spreads),
    verdicts: moved(entry.verdicts),
    ...(entry.imported !== undefined && { imported: { ...entry.imported, notes: moved(entry.imported.notes) } }),
  };
}

/** Latency distributions by cell, "service/operation/tier": HdrHistogram V2, compressed, base64. */
export type RunHistograms = Readonly<Record<string, string>>;

export interface HistogramsOfRun {
  readonly run: string;
  readonly cells: RunHistograms;
}

const LONGEST_HISTOGRAM = 200_000;

const MAX_CELLS = 2000;

const CELL = /^[^/]{1,400}\/[^/]{1,400}\/[^/]{1,400}$/;

const histogram = text(LONGEST_HISTOGRAM).check(z.regex(/^[A-Za-z0-9+/]+={0,2}$/, 'is not base64'));

const histogramsSchema = object({ run: runId, cells: namedValues(histogram, MAX_CELLS, CELL) });

/** Distributions in the text of a file, in the order of publication; throws HistoryError. */
export function readHistograms(content: string, file: string): readonly HistogramsOfRun[] {
  return wholeLines(content, file).map((line, index) => {
    const place = { file, line: index + 1 };
    return fitting(histogramsSchema, parseFields(line, place), place);
  });
}

/** Text with the distributions of more runs; existing ones are unchanged. Throws HistoryError. */
export function appendedHistograms(text: string, added: readonly HistogramsOfRun[], file: string): string {
  const known = new Set(readHistograms(text, file).map(({ run }) => run));
  const lines = added
    .filter(({ run }) => !known.has(run))
    .map(({ run, cells }) => `${JSON.stringify({ schema: HISTORY_SCHEMA, run, cells })}\n`);
  return text + lines.join('');
}

function wholeLines(text: string, file: string): readonly string[] {
  const lines = text.split('\n');
  const place = { file, line: lines.length };
  if (lines.pop() !== '') {
    throw new HistoryError('truncated', place, 'does not end in a line break, so the last line was cut short');
  }
  return lines;
}

/** Precision of 1%, which is enough for charts. */
const DIGITS = 2;

/**
 * Latency distribution of each service and tier over all operations and rounds; those of single operations would take several times the
 * space of the figures. Throws ConfigError if one is damaged.
 */
export function runHistograms(run: Run): RunHistograms {
  const whole = keptSamples(run).filter(({ cell }) => cell.operation === ALL_OPERATIONS);
  const cells = Map.groupBy(whole, ({ cell }) => `${cell.service}/${cell.operation}/${cell.tier}`);
  const merged = (samples: typeof whole) =>
    mergeHistograms(
      samples.map(({ histogram }) => histogram),
      DIGITS,
    );
  return Object.fromEntries([...cells].map(([name, samples]) => [name, merged(samples)]));
}
