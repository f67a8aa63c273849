import { messageOf } from '../src/foundation/errors.ts';
import { type HistoryChange, readChanges } from '../src/history/store/changes.ts';
import { type HistoryIndex, readIndex, type SegmentRow } from '../src/history/store/index-file.ts';
import { underPresentNames } from '../src/history/store/names.ts';
import { readSegment } from '../src/history/store/segment.ts';
import { CHANGES_PATH, INDEX_PATH, pathOf, segmentLoss } from '../src/history/store/segments.ts';
import { withNewestLoads } from './model/changes.ts';
import type { Loss } from './model/gaps.ts';
import { FIRST_RUNS, firstSegments, newestFirst } from './model/segments.ts';
import { EMPTY_STORE, type Store, withSegment } from './model/store.ts';
import { type Source, textIfAny } from './source.ts';

/** Parts of a history read so far. */
export interface History {
  readonly index: HistoryIndex;
  readonly store: Store;
  readonly changes: readonly HistoryChange[];
  /** Segments that were not requested yet, newest first. */
  readonly unread: readonly SegmentRow[];
  readonly problems: readonly Problem[];
}

/** Reason that a file could not be read completely; the rest is still shown. */
export interface Problem extends Loss {
  readonly why: string;
}

/** Index, change points and newest segments; throws MissingFile without an index. */
export async function openHistory(source: Source): Promise<History> {
  const [indexText, changes] = await Promise.all([source.text(INDEX_PATH), readOwn(source)]);
  const index = readIndex(indexText, INDEX_PATH);
  const unread = newestFirst(index);
  const history = await withFirst({ index, store: EMPTY_STORE, unread, ...changes }, source);
  return { ...history, changes: withNewestLoads(history.changes, history.store.series) };
}

/** History with the newest readable segments. */
async function withFirst(history: History, source: Source): Promise<History> {
  let read = history;
  let next = firstSegments(read.unread);
  while (next.length > 0) {
    read = await withSegments(read, source, next);
    next = firstSegments(read.unread, FIRST_RUNS - read.store.runs.length);
  }
  return read;
}

/** History with a number of further segments, the newest unread ones first. */
export async function withOlder(history: History, source: Source, count: number): Promise<History> {
  return withSegments(history, source, history.unread.slice(0, count));
}

async function withSegments(history: History, source: Source, rows: readonly SegmentRow[]): Promise<History> {
  const texts = await Promise.allSettled(rows.map((row) => source.text(pathOf(row.file))));
  const read = rows.reduce((before, row, index) => withText(before, row, texts[index]), history);
  return { ...read, unread: history.unread.filter((row) => !rows.includes(row)) };
}

/** An unreadable segment, or runs lost at its end, leave a visible gap; the others are read. */
function withText(history: History, row: SegmentRow, found: PromiseSettledResult<string> | undefined): History {
  const file = pathOf(row.file);
  if (found?.status !== 'fulfilled') {
    return withProblem(history, { file, why: messageOf(found?.reason) });
  }
  try {
    const entries = underPresentNames(readSegment(found.value, file), history.index);
    const read = { ...history, store: withSegment(history.store, row.file, entries) };
    const loss = segmentLoss(found.value, entries.length, row);
    const lacking = Math.max(0, row.runs - entries.length);
    return loss === undefined ? read : withProblem(read, { file, why: messageOf(loss), lacking });
  } catch (thrown) {
    return withProblem(history, { file, why: messageOf(thrown) });
  }
}

function withProblem(history: History, problem: Problem): History {
  return { ...history, problems: [...history.problems, problem] };
}

/** Change points are derived data: without them the page still shows the figures. */
async function readOwn(source: Source): Promise<Pick<History, 'changes' | 'problems'>> {
  try {
    const text = await textIfAny(source, CHANGES_PATH);
    return { changes: text === undefined ? [] : readChanges(text, CHANGES_PATH), problems: [] };
  } catch (thrown) {
    return { changes: [], problems: [{ file: CHANGES_PATH, why: messageOf(thrown) }] };
  }
}
