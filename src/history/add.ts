import { feedOf } from './feed.ts';
import type { ReadHistory } from './ports.ts';
import { historyEntries, historyIndex, newestSegments } from './read.ts';
import { allAddedTo, type ExistingFiles, filesNeededFor, type HistoryAddition } from './store/addition.ts';
import { changesOf, TAIL_RUNS, updatedChanges } from './store/change-updates.ts';
import { formatChanges, type HistoryChange, readChanges } from './store/changes.ts';
import { isOfDefaultBranch } from './store/default-branch.ts';
import type { FileChange } from './store/file-change.ts';
import { type HistoryIndex, readIndex } from './store/index-file.ts';
import { CHANGES_PATH, INDEX_PATH, newestTime } from './store/segments.ts';

/** What the index says of a history besides its segments; what is undefined stays as it was. */
export interface HistoryAbout {
  readonly wiregauge: string;
  readonly repository?: string | undefined;
  /** The default branch. */
  readonly branch?: string | undefined;
}

/** The path of the feed of change points. */
export const FEED_PATH = 'feed.xml';

/**
 * The files that change when runs are added to a history: segments, distributions, the index, the change points and their feed.
 * None where the history has all of them. Throws HistoryError where a file cannot be read.
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

function described(index: HistoryIndex | undefined, { wiregauge, repository, branch }: HistoryAbout): HistoryIndex {
  return {
    ...(index ?? { segments: [] }),
    wiregauge,
    ...(repository !== undefined && { repository }),
    ...(branch !== undefined && { branch }),
  };
}

/** What a pure function makes of files; it is asked again where it wants one that nobody foresaw. */
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

/** Change points can be made again: where there is no file of them, out of the whole history. */
async function changePointFiles(
  read: ReadHistory,
  changes: readonly FileChange[],
  additions: readonly HistoryAddition[],
): Promise<readonly FileChange[]> {
  const texts = new Map(changes.map(({ path, text }) => [path, text]));
  const readChanged: ReadHistory = async (path) => texts.get(path) ?? (await read(path));
  const known = await read(CHANGES_PATH);
  const index = readIndex(texts.get(INDEX_PATH) ?? '', INDEX_PATH);
  const [first] = additions;
  const isAddition = known !== undefined && first !== undefined && additions.length === 1;
  const points = isAddition
    ? await afterOne(readChanged, index, { previous: readChanges(known, CHANGES_PATH), added: first })
    : changesOf(await ofDefaultBranch(readChanged, index, Number.POSITIVE_INFINITY));
  return changeFiles(index, points);
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
  const entries = await historyEntries(read, newestSegments(index, runs));
  return entries.filter((entry) => isOfDefaultBranch(entry, index.branch));
}
