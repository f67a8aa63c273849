import { ADVISORY_RUNS } from '../judge/stored/bound.ts';
import { ordered, type StoredRun, stratumOf, toolsText } from '../judge/stored/stored-run.ts';
import { cellPlace, isCounted, isMetric, type MetricName } from '../model/metric.ts';
import {
  type FileChange,
  type HistoryChange,
  isOfDefaultBranch,
  type ReadHistory,
  readChanges,
  TAIL_RUNS,
} from './store/changes.ts';
import { type HistoryEntry, hasOwnFigures, oldestFirst, type Series, seriesKey } from './store/entry.ts';
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
  segmentText,
} from './store/segments.ts';

/**
 * Index of a history; undefined without one. Throws HistoryError if it cannot be read, or if it is missing although other files are
 * there.
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

/** Throws HistoryError if there are segments but no index: a new one would list none of their runs. */
export async function requireIndex({ read, list }: HistoryFiles): Promise<void> {
  if ((await historyIndex(read)) === undefined) {
    const [segment] = (await list(SEGMENTS_FOLDER)).filter(isSegmentFile);
    if (segment !== undefined) {
      throw malformed({ file: INDEX_PATH, line: 1 }, `is missing, though ${pathOf(segment)} is there`);
    }
  }
}

/**
 * All runs of the segments, in the order of the index and, within a segment, of publication. Throws HistoryError, also if a segment has
 * fewer runs than its row states.
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

/** Runs of segments of an index under the present names of services and operations. Throws HistoryError. */
export async function presentEntries(
  read: ReadHistory,
  index: HistoryIndex,
  segments: readonly SegmentRow[] = index.segments,
): Promise<readonly HistoryEntry[]> {
  return underPresentNames(await historyEntries(read, segments), index);
}

/** Runs of the default branch in the newest segments, at least `runs`. Throws HistoryError. */
export async function branchEntries(read: ReadHistory, index: HistoryIndex, runs = TAIL_RUNS) {
  const entries = await presentEntries(read, index, newestSegments(index, runs));
  return entries.filter((entry) => isOfDefaultBranch(entry, index.branch));
}

/** Newest runs of a suite on the default branch, the newest first; empty if there is no history. Throws HistoryError. */
export async function suiteEntries(read: ReadHistory, suite: string): Promise<readonly HistoryEntry[]> {
  const index = await historyIndex(read);
  const entries = index === undefined ? [] : await branchEntries(read, index);
  return entries.filter((entry) => entry.suite === suite).toSorted((left, right) => oldestFirst(right, left));
}

/** Throws HistoryError if the distributions of these runs cannot be read, or are fewer than the index states. */
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

/** Change points of a history; empty without their file. Throws HistoryError if it cannot be read. */
export async function storedChanges(read: ReadHistory): Promise<readonly HistoryChange[]> {
  const text = await read(CHANGES_PATH);
  return text === undefined ? [] : readChanges(text, CHANGES_PATH);
}

/** Newest segments that together have at least `runs` runs, oldest first. */
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

export interface HistoryFiles {
  readonly read: ReadHistory;
  /** Lists the files in a folder of the history, for example "history"; empty if it is missing. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  /** State that Wiregauge last wrote, if another program has changed it since. */
  readonly last?: () => Promise<PublishedState | undefined>;
}

export interface PublishedState {
  readonly commit: string;
  readonly read: ReadHistory;
}

/** History on a branch of a repository or in a folder. */
export interface HistoryStore extends HistoryFiles {
  /** Name in messages, for example "gh-pages:performance". */
  readonly name: string;
  /**
   * Writes all changes that `apply` returns, or none. `apply` gets the newest files, and is called again if another writer was faster. Its
   * errors are passed on, and nothing is written then.
   */
  change(apply: (files: HistoryFiles) => Promise<readonly FileChange[]>, message: string): Promise<PublishResult>;
}

export interface PublishResult {
  readonly outcome: 'written' | 'unchanged';
  /** Number of calls of `apply`. */
  readonly attempts: number;
}

/**
 * Newest runs of a suite on the default branch as a baseline, each series since its last change point. Empty if there is no history. Throws
 * HistoryError if it cannot be read.
 */
export async function historyBaseline(read: ReadHistory, suite: string): Promise<readonly StoredRun[]> {
  const index = await historyIndex(read);
  if (index === undefined) {
    return [];
  }
  const changes = await storedChanges(read);
  const entries = await presentEntries(read, index, newestSegments(index, TAIL_RUNS));
  return ordered(storedRunsOf(entries, { suite, branch: index.branch, changes }));
}

/**
 * Stored runs that a new run of a suite is judged by: measured on the default branch, never imported or of a pull request. Each series
 * starts at its last change point that is not pending. `branch` is the default one, if it is known.
 */
export function storedRunsOf(
  entries: readonly HistoryEntry[],
  { suite, branch, changes }: { suite: string; branch: string | undefined; changes: readonly HistoryChange[] },
): readonly StoredRun[] {
  const own = entries.filter((entry) => entry.suite === suite && isOfDefaultBranch(entry, branch));
  const windows = windowsOf(own, changes);
  return own.flatMap((entry) => storedRun(entry, windows));
}

/** Windows by series. Suspicions before `flagsFrom` are ignored: they refer to the old level, since the new one had too few runs. */
type Windows = ReadonlyMap<string, { readonly from: string; readonly flagsFrom: string }>;

function windowsOf(entries: readonly HistoryEntry[], changes: readonly HistoryChange[]): Windows {
  const settled = changes.filter(({ pending }) => !pending).toSorted(oldestFirst);
  const starts = new Map(settled.map(({ series, at }) => [seriesKey(series), at]));
  return new Map(
    [...starts].map(([key, from]) => {
      const since = entries.filter(({ at, series }) => at >= from && series.some((one) => seriesKey(one) === key));
      return [key, { from, flagsFrom: since.map(({ at }) => at).sort()[ADVISORY_RUNS] ?? NEVER }];
    }),
  );
}

/** Sorts after every time. */
const NEVER = '~';

function storedRun(entry: HistoryEntry, windows: Windows): readonly StoredRun[] {
  const { runner, settings, commit, controlMs, outcome, counts } = entry;
  if (!hasOwnFigures(entry) || runner === undefined || settings === undefined || outcome === 'incomplete') {
    return [];
  }
  const isCurrent = (series: Series) => entry.at >= (windows.get(seriesKey(series))?.from ?? '');
  return [
    {
      startedAt: entry.at,
      ...(commit !== undefined && { commit: commit.sha }),
      dirty: commit?.dirty === true,
      stratum: stratumOf(runner),
      configuration: { ...settings, tools: toolsText(entry.tools) },
      ...(controlMs !== undefined && controlMs > 0 && { controlMs }),
      rounds: Math.max(1, entry.rounds),
      note: entry.links.run ?? 'from the history',
      suspicious: suspiciousOf(entry, windows),
      cells: cellsOf(entry, isCurrent),
      ...(counts !== undefined && { counts }),
    },
  ];
}

function cellsOf(entry: HistoryEntry, isCurrent: (series: Series) => boolean): StoredRun['cells'] {
  const cells = new Map<string, [MetricName, number][]>();
  for (const [place, series] of entry.series.entries()) {
    const value = entry.values[place] ?? null;
    const { metric } = series;
    // Counts are only compared with those of a single commit.
    if (value !== null && isMetric(metric) && !isCounted(metric) && isCurrent(series)) {
      const name = cellPlace(series);
      cells.set(name, [...(cells.get(name) ?? []), [metric, value]]);
    }
  }
  return Object.fromEntries([...cells].map(([name, values]) => [name, Object.fromEntries(values)]));
}

function suspiciousOf(entry: HistoryEntry, windows: Windows): StoredRun['suspicious'] {
  const flags = entry.verdicts.filter(
    ({ verdict, accepted }) => verdict === 'suspicious' || (verdict === 'regressed' && accepted === undefined),
  );
  return flags.flatMap(({ series: place }) => {
    const series = entry.series[place];
    const isOld = series === undefined || entry.at < (windows.get(seriesKey(series))?.flagsFrom ?? '');
    return isOld ? [] : [`${cellPlace(series)} ${series.metric}`];
  });
}
