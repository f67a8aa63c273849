import type { HistoryEntry } from '../store/entry.ts';

/** The columns of a history as a table: a line for each figure. */
export const CSV_COLUMNS = [
  'run',
  'at',
  'suite',
  'kind',
  'commit',
  'branch',
  'rounds',
  'outcome',
  'service',
  'operation',
  'tier',
  'metric',
  'unit',
  'better',
  'value',
  'spread',
] as const;

export type CsvColumn = (typeof CSV_COLUMNS)[number];

/**
 * The history as CSV. A text that a spreadsheet would take for a formula has an apostrophe before it, which an import takes
 * away again.
 */
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
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** The text that was written for a cell. */
export function unescaped(text: string): string {
  return text.startsWith("'") ? text.slice(1) : text;
}
