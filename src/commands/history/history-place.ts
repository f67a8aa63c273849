import { ConfigError } from '../../foundation/errors.ts';
import { openHistoryBranch } from '../../history/branch/history-branch.ts';
import { historyFolder } from '../../history/history-folder.ts';
import type { HistoryStore } from '../../history/ports.ts';
import { historyIndex } from '../../history/read.ts';
import type { HistoryIndex } from '../../history/store/index-file.ts';
import { machineOwner } from '../../measure/session/runtime.ts';

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
