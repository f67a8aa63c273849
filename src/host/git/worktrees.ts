import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError } from '../../foundation/errors.ts';
import { onDisk } from '../files/output.ts';
import { folderOwner, isOwnFolder, ownedFolder, removeTree } from '../files/own-folders.ts';
import { readText } from '../files/reader.ts';
import { isOwnerAlive } from '../machine/proc.ts';
import { git, quoted } from './git.ts';
import { formerFolder } from './moved.ts';
import { type Checkout, findRepository, resolveCommit } from './repository.ts';
import { commitOfWorkingTree, layOutSubmodules } from './submodules.ts';

/** A version of a repository, laid out in a folder of its own; disposing of it removes the folder. */
export interface VersionFiles extends AsyncDisposable {
  /** The measured folder in this version, as an absolute path; for every version of equal length. */
  readonly root: string;
  /** The full sha of the commit that it shows; for a working tree that of HEAD. */
  readonly commit: string;
  /** Whether it shows changes that are in no commit of the user's. */
  readonly dirty: boolean;
  /** What was asked for, as a title: `main`, `working tree`. */
  readonly ref: string;
  /** The first line of the commit's message, at most 200 characters. */
  readonly subject: string;
}

const SUBJECT_LENGTH = 200;

/**
 * Lays out the commit that a ref names, or without a ref the working tree as it is: with changed and untracked files that are not
 * ignored. `repository` is a checkout or a folder in one, and `root` the same folder in the version. Nothing of the checkout is
 * touched. Throws ConfigError if there is no such version and EnvironmentError if git, the clone or the disk is in the way.
 */
export async function versionOf(repository: string, ref: string | undefined, owner: string): Promise<VersionFiles> {
  const found = await findRepository(repository);
  return await laidOut(found, { ref, owner }, (tree) => requireFolder(resolve(tree, found.prefix), ref, found));
}

/**
 * Lays out the version that another one is compared with. The folder may have been moved since: then the root is where it was. It is empty
 * if that version has no such folder. Throws what versionOf throws.
 */
export async function baseVersionOf(
  repository: string,
  { base, head }: { readonly base: string; readonly head: string | undefined },
  owner: string,
): Promise<VersionFiles> {
  const found = await findRepository(repository);
  return await laidOut(found, { ref: base, owner }, async (tree) => {
    const root = resolve(tree, found.prefix);
    if (isFolder(root)) {
      return root;
    }
    const former = await formerFolder(found, { base, head });
    const moved = former === undefined ? undefined : resolve(tree, former);
    if (moved !== undefined && isFolder(moved)) {
      return moved;
    }
    await onDisk(root, () => mkdir(root, { recursive: true }));
    return root;
  });
}

interface WantedVersion {
  readonly ref: string | undefined;
  readonly owner: string;
}

/** Lays a version out; `rootIn` gives the measured folder in the tree of it. */
async function laidOut(
  found: Checkout,
  { ref, owner }: WantedVersion,
  rootIn: (tree: string) => string | Promise<string>,
): Promise<VersionFiles> {
  const commit = await resolveCommit(found, ref ?? 'HEAD');
  await removeAbandoned(found);
  const folder = await ownedFolder(owner, recordOf);
  try {
    const dirty = await layOut({ repository: found, ref, commit, folder });
    const root = await rootIn(treeOf(folder));
    // Taken now, since whatever runs in the folder may change what leads to it.
    const record = recordOf(folder);
    return {
      root,
      commit,
      dirty,
      ref: titleOf(ref),
      subject: await subjectOf(found, commit),
      [Symbol.asyncDispose]: () => removeWorktree(folder, record),
    };
  } catch (thrown) {
    await removeWorktree(folder);
    throw thrown;
  }
}

interface Layout {
  readonly repository: Checkout;
  readonly ref: string | undefined;
  readonly commit: string;
  readonly folder: string;
}

/** Gives whether what is shown has changes that are in no commit. */
async function layOut({ repository, ref, commit, folder }: Layout): Promise<boolean> {
  const { checkout } = repository;
  const asTheyAre = ref === undefined;
  const tree = treeOf(folder);
  const scratch = join(folder, 'index');
  const shown = asTheyAre ? await commitOfWorkingTree(checkout, scratch) : commit;
  await git(checkout, ['worktree', 'add', '--quiet', '--detach', tree, shown]);
  const gitFolder = await git(checkout, ['rev-parse', '--absolute-git-dir']);
  const isDirty = await layOutSubmodules({ gitFolder, checkout, commit: shown, tree, asTheyAre, scratch });
  // Else it would tell the sides apart.
  await rm(scratch, { force: true });
  return isDirty || shown !== commit;
}

function requireFolder(root: string, ref: string | undefined, { prefix }: Checkout): string {
  if (!isFolder(root)) {
    throw new ConfigError(`${titleOf(ref)} has no folder ${quoted(prefix)}`, {
      code: 'WG-211',
      next: 'Run the comparison in a folder that this version has, such as the root of the repository.',
    });
  }
  return root;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function titleOf(ref: string | undefined): string {
  return ref ?? 'working tree';
}

async function subjectOf({ checkout }: Checkout, commit: string): Promise<string> {
  const argv = ['log', '-1', '--encoding=UTF-8', '--format=%s', commit];
  const line = (await git(checkout, argv)).replace(/\p{Cc}+/gu, ' ');
  return [...line].slice(0, SUBJECT_LENGTH).join('');
}

// Folders are found by their names too, but not if the temporary folder has been emptied, or was another one.
async function removeAbandoned({ gitFolder }: Checkout): Promise<void> {
  for (const [record, folder] of foldersOfRecords(gitFolder)) {
    const owner = folderOwner(basename(folder));
    if (owner !== undefined && !isOwnerAlive(owner)) {
      await removeWorktree(folder, record);
    }
  }
}

/**
 * Where the worktree of an owned folder is. Its name tells nothing, is as long as any other, and is unique: git names
 * its record of the worktree after it, and would else number them.
 */
export function treeOf(folder: string): string {
  return join(folder, basename(folder).slice(-6));
}

/** git's record (`.git/worktrees/<name>`) of the worktree in an owned folder; undefined if there is none. */
export function recordOf(folder: string): string | undefined {
  try {
    const tree = realpathSync(treeOf(folder));
    const [, path = ''] = /^gitdir: (.+?)\n?$/s.exec(readText(join(tree, '.git'), '')) ?? [];
    const record = resolve(tree, path);
    // Another user's folder could name any path. And what ran in ours may have changed it: git's record names the folder in turn.
    const isRecord = basename(dirname(record)) === 'worktrees' && treeInRecord(record) === tree;
    return isOwnFolder(folder) && isRecord ? record : undefined;
  } catch {
    return undefined;
  }
}

/** The owned folders that the worktrees of a repository are in, by their records; also those that are gone. */
export function foldersOfRecords(gitFolder: string): ReadonlyMap<string, string> {
  const records = namesIn(join(gitFolder, 'worktrees')).map((name) => join(gitFolder, 'worktrees', name));
  const found = records.map((record) => [record, dirname(treeInRecord(record) ?? '')] as const);
  return new Map(found.filter(([, folder]) => folderOwner(basename(folder)) !== undefined));
}

/**
 * Removes an owned folder, and git's record of the worktree that was in it; not a folder of another user, whatever its name says. Throws
 * EnvironmentError if it may not.
 */
export async function removeWorktree(folder: string, record = recordOf(folder)): Promise<void> {
  if (!isOwnFolder(folder)) {
    return;
  }
  if (existsSync(folder)) {
    await onDisk(folder, () => removeTree(folder));
  }
  if (record !== undefined) {
    await rm(record, { recursive: true, force: true });
    await removeEmpty(dirname(record));
  }
}

function treeInRecord(record: string): string | undefined {
  try {
    return dirname(resolve(record, readText(join(record, 'gitdir'), '').replace(/\n$/, '')));
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

// As git does, when the last worktree is gone.
async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch {
    // Other worktrees have their records there.
  }
}
