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

const MAX_SEGMENTS = 20_000;

const MAX_SUITES = 1000;

/** Accepted names of segment files. */
const SEGMENT = /^\d{4}-(0[1-9]|1[0-2])(-[2-9]|-[1-9]\d{1,3})?\.jsonl$/;

export function isSegmentFile(name: string): boolean {
  return SEGMENT.test(name);
}

const segmentSchema = z.object({
  /** Name within the folder `history`, for example "2026-11.jsonl". */
  file: text().check(z.regex(SEGMENT, 'is not named like 2026-11.jsonl or 2026-11-2.jsonl')),
  runs: count,
  /** Size in UTF-8. */
  bytes: count,
  /** Number of its runs with distributions; absent if none has, or if they were not counted. */
  distributions: z.exactOptional(count),
  /** Earliest and latest time of its runs. */
  from: time,
  to: time,
});

export type SegmentRow = Stored<z.output<typeof segmentSchema>>;

const indexSchema = z.object({
  /** Version of Wiregauge that wrote it last. */
  wiregauge: text(),
  /** Address of the repository, for links to commits and pull requests; absent if unknown. */
  repository: z.exactOptional(text()),
  /** Default branch: later runs are only judged by its runs. */
  branch: z.exactOptional(text()),
  /** Former names by suite, from its newest run on the default branch, with the time of that run; absent if nothing was renamed. */
  names: z.exactOptional(list(z.extend(formerNames, { suite: name, at: time }), MAX_SUITES)),
  /**
   * Lost runs, with the earliest and latest time, and the last commit of the branch that had them; absent without any. `noticed` is the
   * time of the run that was published next, absent until then.
   */
  lost: z.exactOptional(
    z.object({ runs: count, from: time, to: time, commit: name, noticed: z.exactOptional(time) }, 'is not an object'),
  ),
  segments: list(segmentSchema, MAX_SEGMENTS),
});

export type HistoryIndex = Stored<z.output<typeof indexSchema>>;

export type LostRuns = NonNullable<HistoryIndex['lost']>;

export type NamesRow = NonNullable<HistoryIndex['names']>[number];

/** Index in the text of a file; throws HistoryError. */
export function readIndex(content: string, file: string): HistoryIndex {
  const { names = [], ...index } = documentOf(indexSchema, content, file);
  if (new Set(index.segments.map((row) => row.file)).size < index.segments.length) {
    throw malformed({ file, line: 1 }, 'a segment is listed twice');
  }
  const renaming = names.filter((row) => !renamesNothing(row));
  return renaming.length === 0 ? index : { ...index, names: renaming };
}

/** Index in the first line of a file, without its segments: the rest may be damaged. Throws HistoryError. */
export function readIndexHead(text: string, file: string): HistoryIndex {
  const [line = ''] = text.split('\n', 1);
  return readIndex(line.replace(/,"segments":\[.*$/, ',"segments":[]}'), file);
}

/** Text of an index file, one segment per line. */
export function formatIndex({ wiregauge, repository, branch, names, lost, segments }: HistoryIndex): string {
  return documentText({ wiregauge, repository, branch, names, lost }, 'segments', segments);
}

/** Text of a file that is one JSON document: fields, and a list with one item per line. */
export function documentText(fields: object, name: string, items: readonly object[]): string {
  const head = JSON.stringify({ schema: HISTORY_SCHEMA, ...fields }).slice(0, -1);
  const lines = items.map((item) => `\n${JSON.stringify(item)}`).join(',');
  return `${head},"${name}":[${lines}${items.length === 0 ? '' : '\n'}]}\n`;
}

/** Content of a file that is one JSON document; throws HistoryError, `truncated` if its end is missing. */
export function documentOf<Schema extends z.ZodMiniType>(schema: Schema, content: string, file: string) {
  const place = { file, line: 1 };
  return fitting(schema, schemaFields(parseJson(content, place), place), place);
}
