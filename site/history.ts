import { messageOf } from '../src/core/errors.ts';
import { type HistoryChange, readChanges } from '../src/core/history-store/changes.ts';
import { type HistoryIndex, readIndex, type SegmentRow } from '../src/core/history-store/index-file.ts';
import { readSegment } from '../src/core/history-store/segment.ts';
import { CHANGES_PATH, INDEX_PATH, pathOf } from '../src/core/history-store/segments.ts';
import { FIRST_RUNS, firstSegments, newestFirst } from './model/segments.ts';
import { EMPTY_STORE, type Store, withSegment } from './model/store.ts';
import { MissingFile, type Source } from './source.ts';

/** What was read of a history so far. */
export interface History {
  readonly index: HistoryIndex;
  readonly store: Store;
  readonly changes: readonly HistoryChange[];
  /** Segments that were not asked for yet, the newest first. */
  readonly unread: readonly SegmentRow[];
  readonly problems: readonly Problem[];
}

/** A file that could not be read; the rest is shown all the same. */
export interface Problem {
  readonly file: string;
  readonly why: string;
}

/** The index, the change points and the newest segments; throws MissingFile where there is no index. */
export async function openHistory(source: Source): Promise<History> {
  const [indexText, changes] = await Promise.all([source.text(INDEX_PATH), readOwn(source)]);
  const index = readIndex(indexText, INDEX_PATH);
  const unread = newestFirst(index);
  return withFirst({ index, store: EMPTY_STORE, unread, ...changes }, source);
}

/** Where the newest segments cannot be read, those before them are what there is to see. */
async function withFirst(history: History, source: Source): Promise<History> {
  let read = history;
  let next = firstSegments(read.unread);
  while (next.length > 0) {
    read = await withSegments(read, source, next);
    next = firstSegments(read.unread, FIRST_RUNS - read.store.runs.length);
  }
  return read;
}

/** The history with so many more segments, the newest of the unread ones first. */
export async function withOlder(history: History, source: Source, count: number): Promise<History> {
  return withSegments(history, source, history.unread.slice(0, count));
}

async function withSegments(history: History, source: Source, rows: readonly SegmentRow[]): Promise<History> {
  const texts = await Promise.all(rows.map((row) => settled(source, pathOf(row.file))));
  const read = rows.reduce((before, { file }, index) => withText(before, file, texts[index]), history);
  return { ...read, unread: history.unread.filter((row) => !rows.includes(row)) };
}

type Settled = { readonly text: string } | { readonly why: string };

async function settled(source: Source, path: string): Promise<Settled> {
  try {
    return { text: await source.text(path) };
  } catch (thrown) {
    return { why: messageOf(thrown) };
  }
}

/** A segment that cannot be read leaves a gap, which is said; the others are read. */
function withText(history: History, file: string, found: Settled | undefined): History {
  const why = found === undefined || 'text' in found ? undefined : found.why;
  try {
    return found !== undefined && 'text' in found
      ? { ...history, store: withSegment(history.store, file, readSegment(found.text, pathOf(file))) }
      : withProblem(history, file, why ?? 'it was not read');
  } catch (thrown) {
    return withProblem(history, file, messageOf(thrown));
  }
}

function withProblem(history: History, file: string, why: string): History {
  return { ...history, problems: [...history.problems, { file: pathOf(file), why }] };
}

/** Change points are derived: without them the page still shows the figures. */
async function readOwn(source: Source): Promise<Pick<History, 'changes' | 'problems'>> {
  try {
    return { changes: readChanges(await source.text(CHANGES_PATH), CHANGES_PATH), problems: [] };
  } catch (thrown) {
    const problems = thrown instanceof MissingFile ? [] : [{ file: CHANGES_PATH, why: messageOf(thrown) }];
    return { changes: [], problems };
  }
}
