import { badgeFiles, badgePaths, feedOf } from './feed.ts';
import {
  type HistoryStore,
  historyEntries,
  historyIndex,
  newestSegments,
  type PublishResult,
  presentEntries,
  type ReadHistory,
  requireIndex,
} from './reader.ts';
import { lostRuns, togetherLost } from './repair/lost.ts';
import { allAddedTo, type ExistingFiles, filesNeededFor, type HistoryAddition } from './store/addition.ts';
import {
  changesOf,
  type FileChange,
  formatChanges,
  type HistoryChange,
  isOfDefaultBranch,
  readChanges,
  TAIL_RUNS,
  updatedChanges,
} from './store/changes.ts';
import { type HistoryEntry, hasOwnFigures } from './store/entry.ts';
import { type HistoryIndex, type LostRuns, readIndex } from './store/index-file.ts';
import { changesUnderNames, keepsNames } from './store/names.ts';
import { CHANGES_PATH, INDEX_PATH, newestTime, pathOf } from './store/segments.ts';

/** What the index says of a history besides its segments; what is undefined stays as it was. */
export interface HistoryAbout {
  readonly wiregauge: string;
  readonly repository?: string | undefined;
  /** The default branch. */
  readonly branch?: string | undefined;
  /** Runs that are missed now. */
  readonly lost?: LostRuns | undefined;
}

/** The path of the feed of change points. */
export const FEED_PATH = 'feed.xml';

/**
 * The files that change when runs are added to a history: segments, distributions, the index, the change points and their feed.
 * None if the history has all of them. Throws HistoryError if a file cannot be read.
 */
export async function runsAdded(
  read: ReadHistory,
  additions: readonly HistoryAddition[],
  about: HistoryAbout,
): Promise<readonly FileChange[]> {
  const index = described(await historyIndex(read), about);
  const needed = additions.flatMap(({ entry }) => filesNeededFor(index, entry));
  const changes = await withFiles(read, needed, (existing) => allAddedTo(index, existing, additions));
  return changes.length === 0 ? [] : [...changes, ...(await changePointFiles(read, changes, additions))];
}

/** The files that say what changed: all that is in them follows from the change points and the index. */
export function changeFiles(index: HistoryIndex, changes: readonly HistoryChange[]): readonly FileChange[] {
  const { repository } = index;
  return [
    { path: CHANGES_PATH, text: formatChanges(changes) },
    { path: FEED_PATH, text: feedOf({ changes, repository, at: newestTime(index) }) },
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

/** What a pure function makes of files; it is asked again if it wants one that nobody foresaw. */
async function withFiles<Result>(
  read: ReadHistory,
  paths: readonly string[],
  make: (existing: ExistingFiles) => Result,
): Promise<Result> {
  const texts = new Map<string, string | undefined>();
  let wanted = new Set(paths);
  for (;;) {
    for (const path of wanted) {
      texts.set(path, await read(path));
    }
    wanted = new Set();
    const missed = wanted;
    const result = make({
      read: (path) => {
        if (!texts.has(path)) {
          missed.add(path);
        }
        return texts.get(path);
      },
    });
    if (missed.size === 0) {
      return result;
    }
  }
}

/** Change points can be made again: out of the whole history if there is no file of them, and if something has lost a former name. */
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
  const previous = (text: string) => changesUnderNames(readChanges(text, CHANGES_PATH), index);
  const points = isAddition
    ? await afterOne(readChanged, index, { previous: previous(known), added: first })
    : changesOf(await ofDefaultBranch(readChanged, index, Number.POSITIVE_INFINITY));
  return changeFiles(index, points);
}

/** The files as they are once the changes are written. */
function withChanges(read: ReadHistory, changes: readonly FileChange[]): ReadHistory {
  const texts = new Map(changes.map(({ path, text }) => [path, text]));
  return async (path) => texts.get(path) ?? (await read(path));
}

async function afterOne(
  read: ReadHistory,
  index: HistoryIndex,
  { previous, added }: { readonly previous: readonly HistoryChange[]; readonly added: HistoryAddition },
): Promise<readonly HistoryChange[]> {
  if (!isOfDefaultBranch(added.entry, index.branch)) {
    return previous;
  }
  return updatedChanges(previous, await ofDefaultBranch(read, index, TAIL_RUNS), added.entry);
}

async function ofDefaultBranch(read: ReadHistory, index: HistoryIndex, runs: number) {
  const entries = await presentEntries(read, index, newestSegments(index, runs));
  return entries.filter((entry) => isOfDefaultBranch(entry, index.branch));
}

/** A run, and all that is written with it. */
export interface Publication {
  readonly addition: HistoryAddition;
  readonly about: HistoryAbout;
  /** The files of the page. */
  readonly page: readonly FileChange[];
}

/** What came of it; no changes if the history has the run. */
export interface PublishedRun extends PublishResult {
  readonly changes: readonly FileChange[];
  /** By so many bytes the history has grown; the page, the feed and the badges are not counted. */
  readonly bytes: number;
  /** The files just before the run entered, and with it. */
  readonly before: ReadHistory;
  readonly after: ReadHistory;
  /** Runs that the history had when it was last written to, and that were missed now. */
  readonly lost: LostRuns | undefined;
}

/** Adds a run to a history, once. Throws HistoryError if the history cannot be read; nothing is written then. */
export async function publishRun(
  store: HistoryStore,
  publication: Publication,
  message: string,
): Promise<PublishedRun> {
  let last: Planned = { changes: [], bytes: 0 };
  let before = store.read;
  let lost: LostRuns | undefined;
  const result = await store.change(async (read, list, state) => {
    await requireIndex({ read, list });
    lost = await lostRuns(read, state);
    last = await planned(read, publication, lost);
    before = read;
    return last.changes;
  }, message);
  return { ...result, ...last, lost, before, after: withChanges(before, last.changes) };
}

interface Planned {
  readonly changes: readonly FileChange[];
  readonly bytes: number;
}

/** What `publishRun` would write now, with a note of runs that are missed. */
export async function planned(read: ReadHistory, publication: Publication, lost?: LostRuns): Promise<Planned> {
  const { addition, page } = publication;
  const about = { ...publication.about, lost: lost && { ...lost, noticed: addition.entry.at } };
  await readTogether(read, addition);
  const added = await runsAdded(read, [addition], about);
  if (added.length === 0) {
    return { changes: [], bytes: 0 };
  }
  const readAdded = withChanges(read, added);
  const index = readIndex((await readAdded(INDEX_PATH)) ?? '', INDEX_PATH);
  const badges = (await isNewest(readAdded, index, addition.entry))
    ? [...badgeFiles(addition.entry), ...(await endedBadges(readAdded, index, addition.entry))]
    : [];
  const counted = added.filter(({ path }) => path !== FEED_PATH);
  return { changes: [...added, ...badges, ...page], bytes: await growth(read, counted) };
}

/** One request for all that is needed, if files are far away: later readers get them from here. */
async function readTogether(read: ReadHistory, { entry }: HistoryAddition): Promise<void> {
  const index = await historyIndex(read);
  if (index !== undefined) {
    const tail = newestSegments(index, TAIL_RUNS).map(({ file }) => pathOf(file));
    await Promise.all([...filesNeededFor(index, entry), ...tail, CHANGES_PATH].map(read));
  }
}

/** A run that is published late, or of another branch, is not what badges speak of, nor is a ratio to an anchor; an import may be of anything. */
async function isNewest(read: ReadHistory, index: HistoryIndex, entry: HistoryEntry): Promise<boolean> {
  const counts = (one: HistoryEntry) => hasOwnFigures(one) && isOfDefaultBranch(one, index.branch);
  const later = await historyEntries(
    read,
    index.segments.filter(({ to }) => to > entry.at),
  );
  const isOvertaken = later.some((one) => one.suite === entry.suite && one.at > entry.at && counts(one));
  return counts(entry) && !isOvertaken;
}

/** A series that none of so many newest runs of its suite has is ended, as the page and alerts have it. */
const ALIVE_RUNS = 30;

/** The badges of a suite's earlier runs that none of its newest ones would have: what they say is of a service that is gone. */
async function endedBadges(
  read: ReadHistory,
  index: HistoryIndex,
  { suite }: HistoryEntry,
): Promise<readonly FileChange[]> {
  const own = (await ofDefaultBranch(read, index, TAIL_RUNS))
    .filter((entry) => entry.suite === suite && hasOwnFigures(entry))
    .toSorted((left, right) => (left.at < right.at ? 1 : -1));
  const alive = new Set(own.slice(0, ALIVE_RUNS).flatMap(badgePaths));
  const ended = [...new Set(own.slice(ALIVE_RUNS).flatMap(badgePaths))].filter((path) => !alive.has(path));
  const there = await Promise.all(ended.map(read));
  return ended.flatMap((path, place) => (there[place] === undefined ? [] : [{ path, text: undefined }]));
}

async function growth(read: ReadHistory, changes: readonly FileChange[]): Promise<number> {
  const sizes = changes.map(async ({ path, text }) => bytesIn(text) - bytesIn(await read(path)));
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function bytesIn(text: string | undefined): number {
  return new TextEncoder().encode(text ?? '').length;
}
