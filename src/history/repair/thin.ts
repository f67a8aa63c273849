import type { ReadHistory } from '../reader.ts';
import { historyEntries, historyIndex, segmentText } from '../reader.ts';
import type { FileChange } from '../store/changes.ts';
import { readChanges } from '../store/changes.ts';
import { formatIndex, type HistoryIndex, type SegmentRow } from '../store/index-file.ts';
import { readSegment } from '../store/segment.ts';
import {
  CHANGES_PATH,
  histogramsPath,
  INDEX_PATH,
  pathOf,
  readNamedHistograms,
  withSegment,
} from '../store/segments.ts';
import { type KeepRule, keptRuns, withoutRuns } from './thinned.ts';

/** What thinning a history does to its files. */
export interface Thinning {
  /** None if every run stays. */
  readonly changes: readonly FileChange[];
  readonly segments: readonly ThinnedSegment[];
}

/** A segment before and after; only those that lose runs. */
export interface ThinnedSegment {
  readonly file: string;
  readonly runs: number;
  readonly gone: number;
}

/**
 * The history without the runs that a rule lets go. All of it is read first: HistoryError if any of it cannot be, and nothing is
 * to be written then. Change points stay as they were found in the whole history.
 */
export async function thinnedHistory(read: ReadHistory, rule: Omit<KeepRule, 'changes'>): Promise<Thinning> {
  const index = await historyIndex(read);
  if (index === undefined) {
    return { changes: [], segments: [] };
  }
  const known = await read(CHANGES_PATH);
  const changes = known === undefined ? [] : readChanges(known, CHANGES_PATH);
  const kept = keptRuns(await historyEntries(read, index.segments), { ...rule, changes });
  const files: FileChange[] = [];
  const segments: ThinnedSegment[] = [];
  let thinner: HistoryIndex = index;
  for (const row of index.segments) {
    const { file } = row;
    const text = await segmentText(read, file);
    const runs = readSegment(text, pathOf(file));
    const gone = runs.filter(({ run }) => !kept.has(run)).length;
    if (gone > 0) {
      const shorter = withoutRuns(text, kept);
      segments.push({ file, runs: runs.length, gone });
      const distributions = await thinnedDistributions(read, row, kept);
      files.push(fileOf(pathOf(file), shorter));
      if (distributions !== undefined) {
        files.push(fileOf(histogramsPath(file), distributions));
      }
      thinner = withSegment(thinner, file, { text: shorter, distributions });
    }
  }
  // If writing a folder ends early, a segment may have more than the index says, and never less.
  return { changes: files.length === 0 ? [] : [fileOf(INDEX_PATH, formatIndex(thinner)), ...files], segments };
}

/** Undefined if the segment has none. */
async function thinnedDistributions(
  read: ReadHistory,
  row: SegmentRow,
  kept: ReadonlySet<string>,
): Promise<string | undefined> {
  const text = await read(histogramsPath(row.file));
  readNamedHistograms(text, row);
  return text === undefined ? undefined : withoutRuns(text, kept);
}

/** A file without any line goes. */
function fileOf(path: string, text: string): FileChange {
  return { path, text: text === '' ? undefined : text };
}
