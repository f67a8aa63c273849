import type { HistoryEntry } from '../store/entry.ts';
import { entryOfFields } from '../store/entry-fields.ts';
import { fieldsOf, HISTORY_SCHEMA, listField, schemaFields } from '../store/fields.ts';
import { parseJson } from '../store/json-text.ts';
import { plainSeries, seriesFromJson } from '../store/series.ts';

const MOST_RUNS = 100_000;
const MOST_SERIES = 20_000;

/** The runs as one document of JSON, one run a line: as in a segment, but that each has its series. */
export function formatEntries(entries: readonly HistoryEntry[]): string {
  const lines = entries.map((entry) => JSON.stringify({ ...entry, series: entry.series.map(plainSeries) }));
  return `{"schema":${HISTORY_SCHEMA},"runs":[${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`}]}\n`;
}

/** The runs in such a document; throws HistoryError. */
export function readEntries(text: string, file: string): readonly HistoryEntry[] {
  const place = { file, line: 1 };
  const fields = schemaFields(parseJson(text, place), place);
  return listField(fields, 'runs', MOST_RUNS).map((item, index) => {
    // A run stands on a line of its own, after that of the schema.
    const line = { file, line: index + 2 };
    const run = fieldsOf(item, line, 'a run');
    const series = listField(run, 'series', MOST_SERIES).map((one) => seriesFromJson(fieldsOf(one, line, 'a series')));
    return entryOfFields(run, series);
  });
}
