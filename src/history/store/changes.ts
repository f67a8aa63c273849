import { runIn } from './entry-fields.ts';
import {
  countField,
  type Fields,
  fieldsOf,
  HISTORY_SCHEMA,
  LONGEST_NAME,
  listField,
  malformed,
  numberField,
  optionalText,
  timeField,
} from './fields.ts';
import { documentOf } from './index-file.ts';
import { plainSeries, type Series, seriesFromJson, seriesKey } from './series.ts';

/** Where a series moved to another level and stayed there. */
export interface HistoryChange {
  readonly series: Series;
  /** The first run after the change. */
  readonly run: string;
  readonly at: string;
  /** Of that run. */
  readonly commit?: string;
  readonly subject?: string;
  /** Medians before and after, in the unit of the series. */
  readonly before: number;
  readonly after: number;
  /** Relative change of the metric; positive is more, whatever is better. */
  readonly shift: number;
  readonly p: number;
  readonly runsAfter: number;
  /** Too few runs follow to tell a change from a bad day. */
  readonly pending: boolean;
}

const MOST_CHANGES = 20_000;

/** The change points in a file's text; throws HistoryError. */
export function readChanges(text: string, file: string): readonly HistoryChange[] {
  const fields = documentOf(text, file);
  return listField(fields, 'changes', MOST_CHANGES).map((one) => changeOf(fieldsOf(one, fields.place, 'a change')));
}

/** The text of a file of change points, in order of time and one a line; only the newest, where there are too many to be read. */
export function formatChanges(changes: readonly HistoryChange[]): string {
  const lines = [...changes].sort(byTime).slice(-MOST_CHANGES).map(lineOf);
  return `{"schema":${HISTORY_SCHEMA},"changes":[${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`}]}\n`;
}

function lineOf(change: HistoryChange): string {
  const { series, run, at, commit, subject, before, after, shift, p, runsAfter, pending } = change;
  const line = { series: plainSeries(series), run, at, commit, subject, before, after, shift, p, runsAfter, pending };
  return JSON.stringify(line);
}

function byTime(left: HistoryChange, right: HistoryChange): number {
  const [one, other] = [`${left.at} ${seriesKey(left.series)}`, `${right.at} ${seriesKey(right.series)}`];
  return one === other ? 0 : one < other ? -1 : 1;
}

function changeOf(fields: Fields): HistoryChange {
  const commit = optionalText(fields, 'commit', LONGEST_NAME);
  const subject = optionalText(fields, 'subject');
  const { pending } = fields.of;
  if (typeof pending !== 'boolean') {
    throw malformed(fields.place, 'pending is neither true nor false');
  }
  return {
    series: seriesFromJson(fieldsOf(fields.of['series'], fields.place, 'series')),
    run: runIn(fields),
    at: timeField(fields, 'at'),
    ...(commit !== undefined && { commit }),
    ...(subject !== undefined && { subject }),
    before: numberField(fields, 'before'),
    after: numberField(fields, 'after'),
    shift: numberField(fields, 'shift'),
    p: numberField(fields, 'p'),
    runsAfter: countField(fields, 'runsAfter'),
    pending,
  };
}
