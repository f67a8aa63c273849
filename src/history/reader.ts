import type { HistoryResult } from '../judge/stored/comparison.ts';
import { judgeByStored } from '../judge/stored/judge.ts';
import { type Baseline, ordered } from '../judge/stored/stored-run.ts';
import type { Policy } from '../model/policy.ts';
import type { Run } from '../model/run/run.ts';
import { type FileChange, readChanges, TAIL_RUNS } from './store/changes.ts';
import type { HistoryEntry } from './store/entry.ts';
import { malformed } from './store/fields.ts';
import { type HistoryIndex, isSegmentFile, readIndex, type SegmentRow } from './store/index-file.ts';
import { underPresentNames } from './store/names.ts';
import {
  CHANGES_PATH,
  histogramsPath,
  INDEX_PATH,
  pathOf,
  readNamedHistograms,
  readNamedSegment,
  SEGMENTS_FOLDER,
} from './store/segments.ts';
import { storedRunsOf } from './store/stored-runs.ts';

/**
 * The index of a history; undefined if there is none. Throws HistoryError if it cannot be read, and if the rest is
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

/** Throws HistoryError if there are segments and no index: a new one would name none of their runs. */
export async function requireIndex({ read, list }: HistoryFiles): Promise<void> {
  if ((await historyIndex(read)) === undefined) {
    const [segment] = (await list(SEGMENTS_FOLDER)).filter(isSegmentFile);
    if (segment !== undefined) {
      throw malformed({ file: INDEX_PATH, line: 1 }, `is missing, though ${pathOf(segment)} is there`);
    }
  }
}

/**
 * All runs of the segments, in the order of the index and in each as published. Throws HistoryError, also if one has fewer than
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

/** The same of some segments of an index, under the names that services and operations have today. */
export async function presentEntries(
  read: ReadHistory,
  index: HistoryIndex,
  segments: readonly SegmentRow[] = index.segments,
): Promise<readonly HistoryEntry[]> {
  return underPresentNames(await historyEntries(read, segments), index);
}

/**
 * Throws HistoryError if distributions beside the segments that some runs may be in cannot be read, or are of fewer runs than their
 * rows say: a reader of figures alone would not notice.
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

/** The text of a segment that the index names; throws HistoryError if it is missing. */
export async function segmentText(read: ReadHistory, file: string): Promise<string> {
  const text = await read(pathOf(file));
  if (text === undefined) {
    throw malformed({ file: INDEX_PATH, line: 1 }, `names ${file}, which is missing`);
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

/** The text of a file of the history by its path, for example "history/index.json"; undefined if there is none. */
export type ReadHistory = (path: string) => Promise<string | undefined>;

/** The names of the files in a folder of the history, for example "history"; none if there is no such folder. */
export type ListHistory = (folder: string) => Promise<readonly string[]>;

/** The files of a history at one moment. */
export interface HistoryFiles {
  readonly read: ReadHistory;
  readonly list: ListHistory;
  /** What Wiregauge last wrote there, if that is another state: somebody else has written since. */
  readonly last?: () => Promise<PublishedState | undefined>;
}

/** A history as it was once. */
export interface PublishedState {
  readonly commit: string;
  readonly read: ReadHistory;
}

/** Where a history lies: a branch of a repository, or a folder. */
export interface HistoryStore extends HistoryFiles {
  /** What messages call it, for example "gh-pages:performance". */
  readonly name: string;
  /**
   * Writes what `apply` says, all or nothing. `apply` gets the newest files, and is asked again if somebody else wrote
   * meanwhile; no changes write nothing. Errors of `apply` go on to the caller, and nothing is written.
   */
  change(
    apply: (read: ReadHistory, list: ListHistory, last?: PublishedState) => Promise<readonly FileChange[]>,
    message: string,
  ): Promise<PublishResult>;
}

/** What became of a change. */
export interface PublishResult {
  readonly outcome: 'written' | 'unchanged';
  /** How often `apply` was asked. */
  readonly attempts: number;
  /** Of the new state, if the history has commits. */
  readonly commit?: string;
}

/** How a single run stands against the published ones before it. Throws HistoryError if the history cannot be read. */
export async function judgeInHistory(read: ReadHistory, run: Run, policy: Policy): Promise<HistoryResult> {
  return judgeByStored(run, await historyBaseline(read, run.suite.name), policy);
}

/** A baseline has at most 60 runs, and a history may have other suites, branches and imports among them: as many as for change points. */
const RUNS_READ = TAIL_RUNS;

/**
 * The newest runs of a suite in a history as a baseline: of the default branch, since each series' last change point. Empty if
 * the history has none. Throws HistoryError if it cannot be read.
 */
export async function historyBaseline(read: ReadHistory, suite: string): Promise<Baseline> {
  const index = await historyIndex(read);
  if (index === undefined) {
    return { suite, runs: [] };
  }
  const known = await read(CHANGES_PATH);
  const changes = known === undefined ? [] : readChanges(known, CHANGES_PATH);
  const entries = await presentEntries(read, index, newestSegments(index, RUNS_READ));
  return ordered({ suite, runs: storedRunsOf(entries, { suite, branch: index.branch, changes }) });
}
