import * as z from 'zod/mini';
import { renamesNothing } from '../../model/suite/former-names.ts';
import {
  count,
  fitting,
  formerNames,
  HISTORY_SCHEMA,
  list,
  malformed,
  name,
  parseJson,
  type Stored,
  schemaFields,
  text,
  time,
} from './fields.ts';

const MOST_SEGMENTS = 20_000;

const MOST_SUITES = 1000;

/** Nothing but this is ever taken for the name of a file. */
const SEGMENT = /^\d{4}-(0[1-9]|1[0-2])(-[2-9]|-[1-9]\d{1,3})?\.jsonl$/;

/** Whether a file is named as a segment is. */
export function isSegmentFile(name: string): boolean {
  return SEGMENT.test(name);
}

const segmentSchema = z.object({
  /** Within the folder `history`, for example "2026-11.jsonl". */
  file: text().check(z.regex(SEGMENT, 'is not named like 2026-11.jsonl or 2026-11-2.jsonl')),
  runs: count,
  /** In UTF-8. */
  bytes: count,
  /** How many of its runs have distributions beside it; absent if none has, and if nobody counted them. */
  distributions: z.exactOptional(count),
  /** The earliest and the latest time of its runs. */
  from: time,
  to: time,
});

export type SegmentRow = Stored<z.output<typeof segmentSchema>>;

const indexSchema = z.object({
  /** The version of Wiregauge that wrote it last. */
  wiregauge: text(),
  /** Where links to commits and pull requests go; absent if nobody knows. */
  repository: z.exactOptional(text()),
  /** The default branch: only its runs are what later runs are judged by. */
  branch: z.exactOptional(text()),
  /** Former names by suite, as its newest run on the default branch says them, and when it was measured; absent if nothing was renamed. */
  names: z.exactOptional(list(z.extend(formerNames, { suite: name, at: time }), MOST_SUITES)),
  /**
   * Runs that it had once, with the earliest and the latest time and the last commit of the branch that had them; absent if none was missed.
   * `noticed` is when the run was measured that was published next, absent until then.
   */
  lost: z.exactOptional(
    z.object({ runs: count, from: time, to: time, commit: name, noticed: z.exactOptional(time) }, 'is not an object'),
  ),
  segments: list(segmentSchema, MOST_SEGMENTS),
});

/** What segments there are. */
export type HistoryIndex = Stored<z.output<typeof indexSchema>>;

export type LostRuns = NonNullable<HistoryIndex['lost']>;

export type NamesRow = NonNullable<HistoryIndex['names']>[number];

/** The index in a file's text; throws HistoryError. */
export function readIndex(content: string, file: string): HistoryIndex {
  const { names = [], ...index } = documentOf(indexSchema, content, file);
  if (new Set(index.segments.map((row) => row.file)).size < index.segments.length) {
    throw malformed({ file, line: 1 }, 'a segment is listed twice');
  }
  const renaming = names.filter((row) => !renamesNothing(row));
  return renaming.length === 0 ? index : { ...index, names: renaming };
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

/** The content of a file that is one document; throws HistoryError, `truncated` if its end is missing. */
export function documentOf<Schema extends z.ZodMiniType>(schema: Schema, content: string, file: string) {
  const place = { file, line: 1 };
  return fitting(schema, schemaFields(parseJson(content, place), place), place);
}
