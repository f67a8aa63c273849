import { rm } from 'node:fs/promises';
import { ConfigError, EnvironmentError } from '../../foundation/errors.ts';
import { once } from '../../foundation/once.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import { gitError, quoted, runGit } from '../../host/git/git.ts';
import type { HistoryFiles, HistoryStore, PublishResult } from '../reader.ts';
import type { FileChange } from '../store/changes.ts';
import { type BranchPatience, BranchRefusal, persistently } from './refusal.ts';
import { type ScratchRepository, scratchRepository } from './repository.ts';
import { type BranchPlace, type FolderFlag, isPlainPath, refuseInvalidNames } from './settings.ts';
import { type BranchSnapshot, fetchBranch, namesInSnapshot, noteCommit, pushCommit, readerOf } from './snapshot.ts';

export interface HistoryBranchOptions extends BranchPlace {
  /** Folder in a clone, which is only read. */
  readonly checkout: string;
  /** Flag of the folder in messages; `--folder` by default. */
  readonly folderFlag?: FolderFlag;
  /** True if a missing branch is created, without other files. */
  readonly createBranch: boolean;
  /** Marks temporary files, which are cleaned up if this program is killed. */
  readonly owner: string;
  readonly log: (line: string) => void;
  /** Environment with GITHUB_TOKEN, GITHUB_SERVER_URL, and git's variables for the author. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly patience?: BranchPatience;
}

export interface HistoryBranch extends HistoryStore, AsyncDisposable {
  /** Address of the remote, without credentials. */
  readonly address: string;
}

/**
 * Opens a history without fetching it. Disposing of it removes its temporary folder. Throws ConfigError for invalid names, without a
 * repository, and for an unknown remote. Its methods throw BranchRefusal.
 */
export async function openHistoryBranch(options: HistoryBranchOptions): Promise<HistoryBranch> {
  const { checkout, remote, environment = process.env, folderFlag = '--folder' } = options;
  refuseInvalidNames(options, folderFlag);
  const top = await topOf(checkout);
  const scratch = await ownedFolder(options.owner);
  try {
    const repository = await scratchRepository(top, { folder: scratch, environment, remote });
    requireRemote(repository, options);
    return storeOf({ ...options, repository, scratch, environment });
  } catch (thrown) {
    await rm(scratch, { recursive: true, force: true });
    throw thrown;
  }
}

/** Folder that paths in the settings of a repository are relative to. */
async function topOf(checkout: string): Promise<string> {
  const argv = ['rev-parse', '--absolute-git-dir'];
  const { ok, complaint } = await runGit(checkout, argv);
  if (ok) {
    const top = await runGit(checkout, ['rev-parse', '--show-toplevel']);
    return top.ok ? top.output : checkout;
  }
  throw /not a git repository|cannot change to/.test(complaint)
    ? new ConfigError(`${checkout} is not in a git repository`, {
        code: 'WG-211',
        next: 'Change to a clone of the repository of the history.',
      })
    : gitError(checkout, argv, complaint);
}

function requireRemote({ remotes }: ScratchRepository, { remote, checkout }: HistoryBranchOptions): void {
  if (!remotes.includes(remote)) {
    const known = [...new Set(remotes)].map(quoted).join(', ');
    throw new ConfigError(`there is no remote ${quoted(remote)} in ${checkout}`, {
      code: 'WG-211',
      next:
        known === '' ? 'Add one: `git remote add origin <address>`.' : `It has ${known}: name one with \`--remote\`.`,
    });
  }
}

interface Opened extends HistoryBranchOptions {
  readonly repository: ScratchRepository;
  readonly scratch: string;
  readonly environment: NodeJS.ProcessEnv;
}

function storeOf(opened: Opened): HistoryBranch {
  const { branch, folder, repository, scratch, createBranch } = opened;
  const open = async () => filesAt(opened, await fetchBranch(repository, opened, createBranch));
  const opening = once(() => persistently(opened, open));
  return {
    name: `${branch}:${folder}`,
    address: repository.address,
    read: async (path) => await (await opening()).read(path),
    list: async (inner) => await (await opening()).list(inner),
    last: async () => await (await opening()).last?.(),
    change: async (apply, message) => await change(opened, apply, message),
    [Symbol.asyncDispose]: () => rm(scratch, { recursive: true, force: true }),
  };
}

function filesAt(opened: Opened, snapshot: BranchSnapshot): HistoryFiles {
  const { repository } = opened;
  return {
    read: readerOf(repository, snapshot, opened),
    list: async (inner) => namesInSnapshot(snapshot, opened, inner),
    last: async () =>
      snapshot.last?.commit === undefined
        ? undefined
        : { commit: snapshot.last.commit, read: readerOf(repository, snapshot.last, opened) },
  };
}

async function change(opened: Opened, apply: Parameters<HistoryStore['change']>[0], message: string) {
  const { folder, repository, environment, createBranch } = opened;
  let attempts = 0;
  let lost: string | undefined;
  return await persistently(opened, async (): Promise<PublishResult> => {
    const snapshot = await fetchBranch(repository, opened, createBranch);
    if (lost !== undefined && snapshot.commit === lost) {
      return { outcome: 'written', attempts };
    }
    attempts += 1;
    const changes = (await apply(filesAt(opened, snapshot))).map(({ path, text }) => {
      if (!isPlainPath(path)) {
        throw new Error(`${quoted(path)} cannot be a path of the history`);
      }
      return { path: `${folder}/${path}`, text };
    });
    const commit = await commitChange(repository, { snapshot, changes, message, environment });
    if (commit === undefined) {
      return { outcome: 'unchanged', attempts };
    }
    await pushCommit(repository, opened, commit).catch((thrown: unknown) => {
      // If the network failed, the push may have succeeded, and only the response was lost.
      lost = thrown instanceof BranchRefusal && thrown.kind === 'network' ? commit : undefined;
      throw thrown;
    });
    await noteCommit(repository, opened, commit);
    return { outcome: 'written', attempts };
  });
}

const FILE = '100644';

interface BranchChange {
  readonly snapshot: BranchSnapshot;
  /** Paths are relative to the root of the branch. */
  readonly changes: readonly FileChange[];
  readonly message: string;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Creates a commit of the changes on top of the snapshot; undefined if nothing differs. Throws EnvironmentError if a folder or link is
 * where a file must go, or the reverse.
 */
async function commitChange(repository: ScratchRepository, change: BranchChange): Promise<string | undefined> {
  for (const { path } of change.changes) {
    requireRoom(change.snapshot, path);
  }
  const lines = await differences(repository, change);
  if (lines.length === 0) {
    return undefined;
  }
  const { commit: parent } = change.snapshot;
  await repository.text(['read-tree', ...(parent === undefined ? ['--empty'] : [parent])]);
  await repository.text(['update-index', '--add', '--index-info'], { input: lines.join('') });
  // Other files of the branch were never fetched.
  const tree = await repository.text(['write-tree', '--missing-ok']);
  const parents = parent === undefined ? [] : ['-p', parent];
  return await repository.text(['commit-tree', tree, ...parents, '-m', change.message], {
    variables: identity(change.environment),
  });
}

/** git's index would silently replace a folder with a file, or the reverse. */
function requireRoom({ files }: BranchSnapshot, path: string): void {
  const parts = path.split('/');
  const folders = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
  const mode = files.get(path)?.mode ?? FILE;
  const inTheWay =
    folders.find((folder) => files.has(folder)) ??
    (!mode.startsWith('100') || [...files.keys()].some((known) => known.startsWith(`${path}/`)) ? path : undefined);
  if (inTheWay !== undefined) {
    throw new EnvironmentError(`${quoted(inTheWay)} on the branch is in the way of ${quoted(path)}`, {
      code: 'WG-601',
      next: 'Nothing was written. Remove or rename it on the branch, or use another folder.',
    });
  }
}

/** Lines for git's index of files that are new, changed or deleted. */
async function differences(repository: ScratchRepository, { snapshot, changes }: BranchChange) {
  const written = changes.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]));
  const objects = await repository.write(written.map(({ text }) => text));
  const gone = changes.filter(({ path, text }) => text === undefined && snapshot.files.has(path));
  const nothing = '0'.repeat(snapshot.commit?.length ?? 40);
  return [
    ...written
      .map(({ path }, index) => ({ path, object: objects[index] ?? '' }))
      .filter(({ path, object }) => snapshot.files.get(path)?.object !== object)
      .map(({ path, object }) => `${FILE} ${object}\t${path}\n`),
    ...gone.map(({ path }) => `0 ${nothing}\t${path}\n`),
  ];
}

/** Author from git's variables; its settings are ignored, since a program publishes. */
function identity(environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const of = (who: 'AUTHOR' | 'COMMITTER') => ({
    [`GIT_${who}_NAME`]: environment[`GIT_${who}_NAME`] || 'wiregauge',
    [`GIT_${who}_EMAIL`]: environment[`GIT_${who}_EMAIL`] || 'noreply@wiregauge.invalid',
  });
  return { ...of('AUTHOR'), ...of('COMMITTER') };
}
