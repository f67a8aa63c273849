import type { HistoryFiles, ReadHistory } from './ports.ts';
import type { HistoryEntry } from './store/entry.ts';
import { malformed } from './store/fields.ts';
import { type HistoryIndex, isSegmentFile, readIndex, type SegmentRow } from './store/index-file.ts';
import {
  CHANGES_PATH,
  histogramsPath,
  INDEX_PATH,
  pathOf,
  readNamedHistograms,
  readNamedSegment,
  SEGMENTS_FOLDER,
} from './store/segments.ts';

/**
 * The index of a history; undefined where there is none. Throws HistoryError where it cannot be read, and where the rest is
 * there without it: a new one would name none of the runs.
 */
export async function historyIndex(read: ReadHistory): Promise<HistoryIndex | undefined> {
  const text = await read(INDEX_PATH);
  if (text !== undefined) {
    return readIndex(text, INDEX_PATH);
  }
  if ((await read(CHANGES_PATH)) !== undefined) {
    throw malformed({ file: INDEX_PATH, line: 1 }, `is missing, though ${CHANGES_PATH} is there`);
  }
  return undefined;
}

/** Throws HistoryError where there are segments and no index: a new one would name none of their runs. */
export async function requireIndex({ read, list }: HistoryFiles): Promise<void> {
  if ((await historyIndex(read)) === undefined) {
    const [segment] = (await list(SEGMENTS_FOLDER)).filter(isSegmentFile);
    if (segment !== undefined) {
      throw malformed({ file: INDEX_PATH, line: 1 }, `is missing, though ${pathOf(segment)} is there`);
    }
  }
}

/**
 * All runs of the segments, in the order of the index and in each as published. Throws HistoryError, also where one has fewer than
 * its row says.
 */
export async function historyEntries(
  read: ReadHistory,
  segments: readonly SegmentRow[],
): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for (const row of segments) {
    entries.push(...readNamedSegment(await segmentText(read, row.file), row));
  }
  return entries;
}

/**
 * Throws HistoryError where distributions beside the segments that some runs may be in cannot be read, or are of fewer runs than their
 * rows say: whoever reads only figures would not notice.
 */
export async function requireDistributions(
  read: ReadHistory,
  segments: readonly SegmentRow[],
  runs: readonly HistoryEntry[],
): Promise<void> {
  const rows = segments.filter(
    ({ distributions = 0, from, to }) => distributions > 0 && runs.some(({ at }) => from <= at && at <= to),
  );
  const texts = await Promise.all(rows.map(({ file }) => read(histogramsPath(file))));
  for (const [place, row] of rows.entries()) {
    readNamedHistograms(texts[place], row);
  }
}

/** The text of a segment that the index names; throws HistoryError where it is missing. */
export async function segmentText(read: ReadHistory, file: string): Promise<string> {
  const text = await read(pathOf(file));
  if (text === undefined) {
    throw malformed({ file: INDEX_PATH, line: 1 }, `names ${file}, which is not there`);
  }
  return text;
}

/** The newest segments that have so many runs together, oldest first. */
export function newestSegments({ segments }: HistoryIndex, runs: number): readonly SegmentRow[] {
  let found = 0;
  return [...segments]
    .sort((left, right) => (left.to === right.to ? 0 : left.to < right.to ? 1 : -1))
    .filter((row) => {
      const isNeeded = found < runs;
      found += row.runs;
      return isNeeded;
    })
    .reverse();
}
