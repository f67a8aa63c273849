import { ConfigError, cleanText } from '../../foundation/index.ts';
import {
  type HistoryEntry,
  type HistoryIndex,
  type HistoryStore,
  historyEntries,
  historyFolder,
  historyIndex,
  newestSegments,
  openHistoryBranch,
  requireDistributions,
} from '../../history/index.ts';
import type { Telling } from '../../host/index.ts';
import { machineOwner } from '../../measure/index.ts';
import { historyList, historyRun } from '../../report/index.ts';
import { entryData, tellResult } from '../program/result.ts';

export interface HistoryListFlags extends HistoryPlaceFlags {
  readonly suite?: string;
  readonly last: number;
  readonly json?: boolean;
}

/** `wiregauge history list`: the newest runs, the newest first. Exit code 0; throws HistoryError where the history cannot be read. */
export async function historyListCommand(flags: HistoryListFlags): Promise<number> {
  const newest = await withHistory(flags, async (store) => {
    const index = await requiredIndex(store);
    const segments = flags.suite === undefined ? newestSegments(index, flags.last) : index.segments;
    const entries = await historyEntries(store.read, segments);
    const own = entries.filter(({ suite }) => flags.suite === undefined || suite === flags.suite);
    const listed = own.sort(newestFirst).slice(0, flags.last);
    await requireDistributions(store.read, segments, listed);
    return listed;
  });
  tellResult(
    { command: 'history list', json: flags.json },
    {
      text: () => (newest.length === 0 ? 'no runs\n' : historyList(newest)),
      data: () => ({ runs: newest.map(entryData) }),
    },
  );
  return 0;
}

/** `wiregauge history show`: one run, named by its id or the beginning of it. Exit code 0; throws ConfigError where none or several fit. */
export async function historyShowCommand(
  run: string,
  flags: HistoryPlaceFlags & Pick<Telling, 'json'>,
): Promise<number> {
  const entry = await withHistory(flags, async (store) => {
    const index = await requiredIndex(store);
    const named = namedRun(await historyEntries(store.read, index.segments), run, store.name);
    await requireDistributions(store.read, index.segments, [named]);
    return named;
  });
  tellResult(
    { command: 'history show', json: flags.json },
    { text: () => historyRun(entry), data: () => ({ run: entryData(entry) }) },
  );
  return 0;
}

function namedRun(entries: readonly HistoryEntry[], name: string, place: string): HistoryEntry {
  const fitting = entries.filter(({ run }) => run.startsWith(name));
  const exact = fitting.find(({ run }) => run === name);
  const [first] = fitting;
  if (exact !== undefined || (first !== undefined && fitting.length === 1)) {
    return exact ?? (first as HistoryEntry);
  }
  const found = fitting.length === 0 ? 'no run' : `${fitting.length} runs`;
  throw new ConfigError(`${place} has ${found} whose id begins with "${cleanText(name, 80)}"`, {
    next: '`wiregauge history list` shows the ids.',
  });
}

function newestFirst(left: HistoryEntry, right: HistoryEntry): number {
  return left.at === right.at ? 0 : left.at < right.at ? 1 : -1;
}

/** Where a history lies: in a folder, or on a branch of a remote. */
export interface HistoryPlaceFlags {
  /** A checkout or a copy of the branch's folder. */
  readonly folder?: string | undefined;
  readonly remote: string;
  readonly branch: string;
  /** The folder on the branch. */
  readonly branchFolder: string;
  readonly createBranch?: boolean | undefined;
}

/** The branch and the folder that `wiregauge publish` writes to when nothing else is said. */
export const USUAL_PLACE: HistoryPlaceFlags = { remote: 'origin', branch: 'gh-pages', branchFolder: 'performance' };

/** A history, and the address of the remote that it is on. */
export type PlacedHistory = HistoryStore & { readonly address?: string };

/** Does something with the history of a place, which is closed afterwards. */
export async function withHistory<Result>(
  flags: HistoryPlaceFlags,
  use: (store: PlacedHistory) => Promise<Result>,
): Promise<Result> {
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  if (flags.folder !== undefined) {
    return await use(historyFolder(flags.folder, log));
  }
  const { remote, branch, branchFolder, createBranch } = flags;
  await using store = await openHistoryBranch({
    checkout: process.cwd(),
    remote,
    branch,
    folder: branchFolder,
    folderFlag: '--branch-folder',
    createBranch: createBranch === true,
    owner: machineOwner(),
    log,
  });
  return await use(store);
}

/** The index of a history that has to be there; throws ConfigError where it is not. */
export async function requiredIndex(store: HistoryStore): Promise<HistoryIndex> {
  const index = await historyIndex(store.read);
  if (index === undefined) {
    throw new ConfigError(`there is no history in ${store.name}`, {
      next: '`wiregauge publish out/run.json` begins one; `--folder` and `--branch-folder` name another place.',
    });
  }
  return index;
}
