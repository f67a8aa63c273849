import { type FormerNames, renamesNothing } from '../../model/index.ts';
import type { HistoryPlace } from './fields.ts';
import {
  countField,
  type Fields,
  fieldsOf,
  formerNamesField,
  HISTORY_SCHEMA,
  innerFields,
  LONGEST_NAME,
  listField,
  malformed,
  optionalText,
  parseJson,
  schemaFields,
  textField,
  timeField,
} from './fields.ts';

/** What segments there are. */
export interface HistoryIndex {
  /** The version of Wiregauge that wrote it last. */
  readonly wiregauge: string;
  /** Where links to commits and pull requests go; absent if nobody knows. */
  readonly repository?: string;
  /** The default branch: only its runs are what later runs are judged by. */
  readonly branch?: string;
  /** What was renamed, by suite; absent if nothing was. */
  readonly names?: readonly NamesRow[];
  /** Runs that it had once; absent if none was missed. */
  readonly lost?: LostRuns;
  readonly segments: readonly SegmentRow[];
}

/** Runs that a history had once, and has no more. */
export interface LostRuns {
  readonly runs: number;
  /** The earliest and the latest time of them. */
  readonly from: string;
  readonly to: string;
  /** The last commit of the branch that had them. */
  readonly commit: string;
  /** When the run was measured that was published next, which missed them; absent until then. */
  readonly noticed?: string;
}

/** Former names in a suite, as its newest run on the default branch says them. */
export interface NamesRow extends FormerNames {
  readonly suite: string;
  /** When that run was measured. */
  readonly at: string;
}

export interface SegmentRow {
  /** Within the folder `history`, for example "2026-11.jsonl". */
  readonly file: string;
  readonly runs: number;
  /** In UTF-8. */
  readonly bytes: number;
  /** How many of its runs have distributions beside it; absent if none has, and if nobody counted them. */
  readonly distributions?: number;
  /** The earliest and the latest time of its runs. */
  readonly from: string;
  readonly to: string;
}

const MOST_SEGMENTS = 20_000;

const MOST_SUITES = 1000;

/** Nothing but this is ever taken for the name of a file. */
const SEGMENT = /^\d{4}-(0[1-9]|1[0-2])(-[2-9]|-[1-9]\d{1,3})?\.jsonl$/;

/** Whether a file is named as a segment is. */
export function isSegmentFile(name: string): boolean {
  return SEGMENT.test(name);
}

/** The index in a file's text; throws HistoryError. */
export function readIndex(text: string, file: string): HistoryIndex {
  const fields = documentOf(text, file);
  const repository = optionalText(fields, 'repository');
  const branch = optionalText(fields, 'branch');
  const segments = listField(fields, 'segments', MOST_SEGMENTS).map((one) =>
    rowOf(fieldsOf(one, fields.place, 'a segment')),
  );
  if (new Set(segments.map((row) => row.file)).size < segments.length) {
    throw malformed(fields.place, 'a segment is listed twice');
  }
  return {
    wiregauge: textField(fields, 'wiregauge'),
    ...(repository !== undefined && { repository }),
    ...(branch !== undefined && { branch }),
    ...namesIn(fields),
    ...lostIn(fields),
    segments,
  };
}

function namesIn(fields: Fields): Pick<HistoryIndex, 'names'> {
  const rows = fields.of['names'] === undefined ? [] : listField(fields, 'names', MOST_SUITES);
  const names = rows.map((one): NamesRow => {
    const row = fieldsOf(one, fields.place, 'an item of names');
    return { suite: textField(row, 'suite', LONGEST_NAME), at: timeField(row, 'at'), ...formerNamesField(row) };
  });
  const some = names.filter((row) => !renamesNothing(row));
  return some.length === 0 ? {} : { names: some };
}

function lostIn(fields: Fields): Pick<HistoryIndex, 'lost'> {
  const lost = innerFields(fields, 'lost');
  if (lost === undefined) {
    return {};
  }
  const noticed = lost.of['noticed'] === undefined ? {} : { noticed: timeField(lost, 'noticed') };
  const [from, to] = [timeField(lost, 'from'), timeField(lost, 'to')];
  return {
    lost: { runs: countField(lost, 'runs'), from, to, commit: textField(lost, 'commit', LONGEST_NAME), ...noticed },
  };
}

/** What the first line of an index says, without its segments: the rest may be damaged. Throws HistoryError. */
export function readIndexHead(text: string, file: string): HistoryIndex {
  const [line = ''] = text.split('\n', 1);
  return readIndex(line.replace(/,"segments":\[.*$/, ',"segments":[]}'), file);
}

/** The text of an index file: one segment a line. */
export function formatIndex({ wiregauge, repository, branch, names, lost, segments }: HistoryIndex): string {
  const head = JSON.stringify({ schema: HISTORY_SCHEMA, wiregauge, repository, branch, names, lost }).slice(0, -1);
  const rows = segments.map(({ file, runs, bytes, distributions, from, to }) =>
    JSON.stringify({ file, runs, bytes, distributions, from, to }),
  );
  return `${head},"segments":[${rows.length === 0 ? '' : `\n${rows.join(',\n')}\n`}]}\n`;
}

/** The object of a file that is one document; throws HistoryError, `truncated` if its end is missing. */
export function documentOf(text: string, file: string): Fields {
  const place: HistoryPlace = { file, line: 1 };
  return schemaFields(parseJson(text, place), place);
}

function rowOf(fields: Fields): SegmentRow {
  const file = textField(fields, 'file');
  if (!isSegmentFile(file)) {
    throw malformed(fields.place, 'a segment file is not named like 2026-11.jsonl or 2026-11-2.jsonl');
  }
  return {
    file,
    runs: countField(fields, 'runs'),
    bytes: countField(fields, 'bytes'),
    ...(fields.of['distributions'] !== undefined && { distributions: countField(fields, 'distributions') }),
    from: timeField(fields, 'from'),
    to: timeField(fields, 'to'),
  };
}
