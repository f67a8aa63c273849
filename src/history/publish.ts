import { badgeFiles, feedOf } from './feed.ts';
import {
  branchEntries,
  type HistoryStore,
  historyEntries,
  historyIndex,
  newestSegments,
  type PublishResult,
  requireIndex,
} from './reader.ts';
import { lostRuns, togetherLost } from './repair/lost.ts';
import { allAddedTo, filesNeededFor, type HistoryAddition } from './store/addition.ts';
import {
  ALIVE_RUNS,
  changesOf,
  type FileChange,
  formatChanges,
  type HistoryChange,
  isOfDefaultBranch,
  type ReadHistory,
  readChanges,
  TAIL_RUNS,
  updatedChanges,
} from './store/changes.ts';
import { type HistoryEntry, hasOwnFigures, oldestFirst } from './store/entry.ts';
import { type HistoryIndex, type LostRuns, readIndex } from './store/index-file.ts';
import { changesUnderNames, keepsNames } from './store/names.ts';
import { bytesIn, CHANGES_PATH, INDEX_PATH, newestTime, pathOf } from './store/segments.ts';

/** Facts about a history in its index; undefined ones keep their value. */
export interface HistoryAbout {
  readonly wiregauge: string;
  readonly repository?: string | undefined;
  readonly branch?: string | undefined;
  /** Runs that are missing now. */
  readonly lost?: LostRuns | undefined;
}

const FEED_PATH = 'feed.xml';

/**
 * Files that change when runs are added to a history: segments, distributions, the index, the change points and their feed. Empty if the
 * history has all of the runs. Throws HistoryError if a file cannot be read.
 */
export async function runsAdded(
  read: ReadHistory,
  additions: readonly HistoryAddition[],
  about: HistoryAbout,
): Promise<readonly FileChange[]> {
  const changes = await allAddedTo(described(await historyIndex(read), about), read, additions);
  return changes.length === 0 ? [] : [...changes, ...(await changePointFiles(read, changes, additions))];
}

/** Files that are derived from the change points and the index: `changes.json` and the feed. */
export function changeFiles(index: HistoryIndex, changes: readonly HistoryChange[]): readonly FileChange[] {
  const { repository } = index;
  return [
    { path: CHANGES_PATH, text: formatChanges(changes) },
    { path: FEED_PATH, text: feedOf(changes, repository, newestTime(index)) },
  ];
}

function described(index: HistoryIndex | undefined, about: HistoryAbout): HistoryIndex {
  const { wiregauge, repository, branch } = about;
  const lost = togetherLost(index?.lost, about.lost);
  return {
    ...(index ?? { segments: [] }),
    wiregauge,
    ...(repository !== undefined && { repository }),
    ...(branch !== undefined && { branch }),
    ...(lost !== undefined && { lost }),
  };
}

/** Change points after an addition. They are computed from the whole history if their file is missing or a former name was dropped. */
async function changePointFiles(
  read: ReadHistory,
  changes: readonly FileChange[],
  additions: readonly HistoryAddition[],
): Promise<readonly FileChange[]> {
  const readChanged = withChanges(read, changes);
  const known = await read(CHANGES_PATH);
  const index = readIndex((await readChanged(INDEX_PATH)) ?? '', INDEX_PATH);
  const [first] = additions;
  const isKept = keepsNames(await historyIndex(read), index);
  const isAddition = known !== undefined && first !== undefined && additions.length === 1 && isKept;
  if (!isAddition) {
    return changeFiles(index, changesOf(await branchEntries(readChanged, index, Number.POSITIVE_INFINITY)));
  }
  const points = changesUnderNames(readChanges(known, CHANGES_PATH), index);
  const isOwn = isOfDefaultBranch(first.entry, index.branch);
  return changeFiles(
    index,
    isOwn ? updatedChanges(points, await branchEntries(readChanged, index), first.entry) : points,
  );
}

function withChanges(read: ReadHistory, changes: readonly FileChange[]): ReadHistory {
  const texts = new Map(changes.map(({ path, text }) => [path, text]));
  return async (path) => texts.get(path) ?? (await read(path));
}

/** Run to publish, with everything that is written with it. */
export interface Publication {
  readonly addition: HistoryAddition;
  readonly about: HistoryAbout;
  readonly page: readonly FileChange[];
}

interface Planned {
  readonly changes: readonly FileChange[];
  /** Growth of the history in bytes, without the page, the feed and the badges. */
  readonly bytes: number;
}

/** Result of publishing a run; without changes if the history already has it. */
export interface PublishedRun extends PublishResult, Planned {
  /** Files just before the run was added, and after. */
  readonly before: ReadHistory;
  readonly after: ReadHistory;
  /** Runs that disappeared from the history since it was last written. */
  readonly lost: LostRuns | undefined;
}

/** Adds a run to a history, once. Throws HistoryError, without writing anything, if the history cannot be read. */
export async function publishRun(
  store: HistoryStore,
  publication: Publication,
  message: string,
): Promise<PublishedRun> {
  let last: Planned = { changes: [], bytes: 0 };
  let before = store.read;
  let lost: LostRuns | undefined;
  const result = await store.change(async (files) => {
    await requireIndex(files);
    lost = await lostRuns(files);
    before = files.read;
    last = await planned(before, publication, lost);
    return last.changes;
  }, message);
  return { ...result, ...last, lost, before, after: withChanges(before, last.changes) };
}

/** Changes that `publishRun` would write now; `lost` is recorded in the index. */
export async function planned(read: ReadHistory, publication: Publication, lost?: LostRuns): Promise<Planned> {
  const { addition, page } = publication;
  const about = { ...publication.about, lost: lost && { ...lost, noticed: addition.entry.at } };
  const known = await historyIndex(read);
  if (known !== undefined) {
    // In one request, so that later reads are served locally.
    const tail = newestSegments(known, TAIL_RUNS).map(({ file }) => pathOf(file));
    await Promise.all([...filesNeededFor(known, addition.entry), ...tail, CHANGES_PATH].map(read));
  }
  const added = await runsAdded(read, [addition], about);
  if (added.length === 0) {
    return { changes: [], bytes: 0 };
  }
  const readAdded = withChanges(read, added);
  const index = readIndex((await readAdded(INDEX_PATH)) ?? '', INDEX_PATH);
  const badges = (await isNewest(readAdded, index, addition.entry))
    ? [...badgeFiles(addition.entry), ...(await endedBadges(readAdded, index, addition.entry))]
    : [];
  const growth = added
    .filter(({ path }) => path !== FEED_PATH)
    .map(async ({ path, text }) => bytesIn(text ?? '') - bytesIn((await read(path)) ?? ''));
  const bytes = (await Promise.all(growth)).reduce((sum, size) => sum + size, 0);
  return { changes: [...added, ...badges, ...page], bytes };
}

/** True if badges show this run: not if it is late, of another branch, imported, or a ratio to an anchor. */
async function isNewest(read: ReadHistory, index: HistoryIndex, entry: HistoryEntry): Promise<boolean> {
  const counts = (one: HistoryEntry) => hasOwnFigures(one) && isOfDefaultBranch(one, index.branch);
  const later = await historyEntries(
    read,
    index.segments.filter(({ to }) => to > entry.at),
  );
  const isOvertaken = later.some((one) => one.suite === entry.suite && one.at > entry.at && counts(one));
  return counts(entry) && !isOvertaken;
}

/** Deletes badges of a suite's earlier runs that none of its newest runs has, for example of removed services. */
async function endedBadges(
  read: ReadHistory,
  index: HistoryIndex,
  { suite }: HistoryEntry,
): Promise<readonly FileChange[]> {
  const own = (await branchEntries(read, index))
    .filter((entry) => entry.suite === suite && hasOwnFigures(entry))
    .toSorted((left, right) => oldestFirst(right, left));
  const paths = (entries: readonly HistoryEntry[]) => new Set(entries.flatMap(badgeFiles).map(({ path }) => path));
  const alive = paths(own.slice(0, ALIVE_RUNS));
  const ended = [...paths(own.slice(ALIVE_RUNS))].filter((path) => !alive.has(path));
  const there = await Promise.all(ended.map(read));
  return ended.flatMap((path, place) => (there[place] === undefined ? [] : [{ path, text: undefined }]));
}
