import { rm } from 'node:fs/promises';
import { ConfigError } from '../../foundation/errors.ts';
import { ownedFolder } from '../../host/files/processes-folder.ts';
import { gitError, quoted, runGit } from '../../host/git/git.ts';
import type { HistoryFiles, HistoryStore, PublishResult } from '../ports.ts';
import type { FileChange } from '../store/file-change.ts';
import { commitChange } from './history-branch-commit.ts';
import { type BranchPatience, persistently } from './history-branch-patience.ts';
import { type BranchPlace, checkedPlace, type FolderFlag, isPlainPath } from './history-branch-place.ts';
import { BranchRefusal } from './history-branch-refusal.ts';
import { fetchBranch, pushCommit } from './history-branch-remote.ts';
import { type ScratchRepository, scratchRepository } from './history-branch-repository.ts';
import { type BranchSnapshot, namesInSnapshot, readerOf } from './history-branch-snapshot.ts';

/** What a history on a branch is opened with. */
export interface HistoryBranchOptions extends BranchPlace {
  /** A folder in a clone, which is only read. */
  readonly checkout: string;
  /** What messages call the flag of the folder; `--folder` where nothing is said. */
  readonly folderFlag?: FolderFlag;
  /** Whether a branch that is missing is begun, with nothing else in it. */
  readonly createBranch: boolean;
  /** Marks what is left where this program is killed. */
  readonly owner: string;
  /** One line for the log. */
  readonly log: (line: string) => void;
  /** Has GITHUB_TOKEN and GITHUB_SERVER_URL, and git's variables for the author. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly patience?: BranchPatience;
}

/** A history on a branch of a remote. */
export interface HistoryBranch extends HistoryStore, AsyncDisposable {
  /** The address of the remote, without anybody's password. */
  readonly address: string;
}

/**
 * Opens a history; nothing is fetched yet. Disposing of it removes the folder that it works in. Names are checked: ConfigError for
 * odd ones, where there is no repository, and for a remote that it does not have. What it does later throws BranchRefusal.
 */
export async function openHistoryBranch(options: HistoryBranchOptions): Promise<HistoryBranch> {
  const { checkout, environment = process.env } = options;
  const { remote, branch, folder: branchFolder, folderFlag = '--folder' } = options;
  const place = checkedPlace({ remote, branch, folder: branchFolder }, folderFlag);
  const top = await topOf(checkout);
  const folder = await ownedFolder(options.owner);
  try {
    const repository = await scratchRepository({ checkout: top, folder, environment, remote: place.remote });
    requireRemote(repository, place, checkout);
    return storeOf({ ...options, place, repository, scratch: folder, environment });
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    throw thrown;
  }
}

/** The folder that paths in a repository's settings are relative to. */
async function topOf(checkout: string): Promise<string> {
  const argv = ['rev-parse', '--absolute-git-dir'];
  const { ok, complaint } = await runGit(checkout, argv);
  if (ok) {
    const top = await runGit(checkout, ['rev-parse', '--show-toplevel']);
    return top.ok ? top.output : checkout;
  }
  throw /not a git repository|cannot change to/.test(complaint)
    ? new ConfigError(`${checkout} is in no git repository`, {
        next: 'Change to a clone of the repository whose history it is.',
      })
    : gitError(checkout, argv, complaint);
}

function requireRemote({ remotes }: ScratchRepository, { remote }: BranchPlace, checkout: string): void {
  if (!remotes.includes(remote)) {
    const known = [...new Set(remotes)].map(quoted).join(', ');
    throw new ConfigError(`there is no remote ${quoted(remote)} in ${checkout}`, {
      next:
        known === ''
          ? 'It has none: `git remote add origin <address>`.'
          : `It has ${known}: name one with \`--remote\`.`,
    });
  }
}

interface Opened extends HistoryBranchOptions {
  readonly place: BranchPlace;
  readonly repository: ScratchRepository;
  readonly scratch: string;
  readonly environment: NodeJS.ProcessEnv;
}

function storeOf(opened: Opened): HistoryBranch {
  const { place, repository, scratch, createBranch } = opened;
  let first: Promise<HistoryFiles> | undefined;
  const open = async () => filesAt(opened, await fetchBranch(repository, place, createBranch));
  const opening = () => {
    first ??= persistently(opened, open);
    return first;
  };
  return {
    name: `${place.branch}:${place.folder}`,
    address: repository.address,
    read: async (path) => await (await opening()).read(path),
    list: async (folder) => await (await opening()).list(folder),
    change: async (apply, message) => await change(opened, apply, message),
    [Symbol.asyncDispose]: () => rm(scratch, { recursive: true, force: true }),
  };
}

function filesAt({ repository, place }: Opened, snapshot: BranchSnapshot): HistoryFiles {
  return {
    read: readerOf(repository, snapshot, place),
    list: async (folder) => namesInSnapshot(snapshot, place, folder),
  };
}

async function change(opened: Opened, apply: Parameters<HistoryStore['change']>[0], message: string) {
  const { place, repository, environment, createBranch } = opened;
  let attempts = 0;
  let lost: string | undefined;
  return await persistently(opened, async (): Promise<PublishResult> => {
    const snapshot = await fetchBranch(repository, place, createBranch);
    if (lost !== undefined && snapshot.commit === lost) {
      return { outcome: 'written', attempts, commit: lost };
    }
    attempts += 1;
    const { read, list } = filesAt(opened, snapshot);
    const changes = withFolder(await apply(read, list), place);
    const commit = await commitChange(repository, { snapshot, changes, message, environment });
    if (commit === undefined) {
      return { outcome: 'unchanged', attempts, ...commitIn(snapshot) };
    }
    await pushCommit(repository, place, commit).catch((thrown: unknown) => {
      // Where the network failed, only the answer may have been lost, and not the push.
      lost = thrown instanceof BranchRefusal && thrown.kind === 'network' ? commit : undefined;
      throw thrown;
    });
    return { outcome: 'written', attempts, commit };
  });
}

function commitIn({ commit }: BranchSnapshot): Pick<PublishResult, 'commit'> {
  return commit === undefined ? {} : { commit };
}

function withFolder(changes: readonly FileChange[], { folder }: BranchPlace): readonly FileChange[] {
  return changes.map(({ path, text }) => {
    if (!isPlainPath(path)) {
      throw new Error(`${quoted(path)} cannot be a path of the history`);
    }
    return { path: `${folder}/${path}`, text };
  });
}
