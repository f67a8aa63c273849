import { FEED_PATH, type HistoryAbout, runsAdded } from './add.ts';
import { badgeFiles } from './badge.ts';
import type { HistoryStore, PublishResult, ReadHistory } from './ports.ts';
import { historyEntries, historyIndex, newestSegments, requireIndex } from './read.ts';
import { filesNeededFor, type HistoryAddition } from './store/addition.ts';
import { TAIL_RUNS } from './store/change-updates.ts';
import { isOfDefaultBranch } from './store/default-branch.ts';
import type { HistoryEntry } from './store/entry.ts';
import type { FileChange } from './store/file-change.ts';
import { type HistoryIndex, readIndex } from './store/index-file.ts';
import { CHANGES_PATH, INDEX_PATH, pathOf } from './store/segments.ts';

/** A run, and all that is written with it. */
export interface Publication {
  readonly addition: HistoryAddition;
  readonly about: HistoryAbout;
  /** The files of the page. */
  readonly page: readonly FileChange[];
}

/** What came of it; no changes where the history has the run. */
export interface PublishedRun extends PublishResult {
  readonly changes: readonly FileChange[];
  /** By so many bytes the history has grown; the page, the feed and the badges are not counted. */
  readonly bytes: number;
}

/** Adds a run to a history, once. Throws HistoryError where the history cannot be read; nothing is written then. */
export async function publishRun(
  store: HistoryStore,
  publication: Publication,
  message: string,
): Promise<PublishedRun> {
  let last: Planned = { changes: [], bytes: 0 };
  const result = await store.change(async (read, list) => {
    await requireIndex({ read, list });
    last = await planned(read, publication);
    return last.changes;
  }, message);
  return { ...result, ...last };
}

interface Planned {
  readonly changes: readonly FileChange[];
  readonly bytes: number;
}

/** What `publishRun` would write now. */
export async function planned(read: ReadHistory, publication: Publication): Promise<Planned> {
  const { addition, about, page } = publication;
  await readTogether(read, addition);
  const added = await runsAdded(read, [addition], about);
  if (added.length === 0) {
    return { changes: [], bytes: 0 };
  }
  const texts = new Map(added.map(({ path, text }) => [path, text]));
  const readAdded: ReadHistory = async (path) => texts.get(path) ?? (await read(path));
  const index = readIndex(texts.get(INDEX_PATH) ?? '', INDEX_PATH);
  const badges = (await isNewest(readAdded, index, addition.entry)) ? badgeFiles(addition.entry) : [];
  const counted = added.filter(({ path }) => path !== FEED_PATH);
  return { changes: [...added, ...badges, ...page], bytes: await growth(read, counted) };
}

/** One request for all that is needed, where files are far away: whoever reads them later gets them from here. */
async function readTogether(read: ReadHistory, { entry }: HistoryAddition): Promise<void> {
  const index = await historyIndex(read);
  if (index !== undefined) {
    const tail = newestSegments(index, TAIL_RUNS).map(({ file }) => pathOf(file));
    await Promise.all([...filesNeededFor(index, entry), ...tail, CHANGES_PATH].map(read));
  }
}

/** A run that is published late, or of another branch, is not what badges speak of; an import may be of anything. */
async function isNewest(read: ReadHistory, index: HistoryIndex, entry: HistoryEntry): Promise<boolean> {
  const counts = (one: HistoryEntry) => one.kind !== 'import' && isOfDefaultBranch(one, index.branch);
  const later = await historyEntries(
    read,
    index.segments.filter(({ to }) => to > entry.at),
  );
  const isOvertaken = later.some((one) => one.suite === entry.suite && one.at > entry.at && counts(one));
  return counts(entry) && !isOvertaken;
}

async function growth(read: ReadHistory, changes: readonly FileChange[]): Promise<number> {
  const sizes = changes.map(async ({ path, text }) => bytesIn(text) - bytesIn(await read(path)));
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function bytesIn(text: string | undefined): number {
  return new TextEncoder().encode(text ?? '').length;
}
