import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError, ifPossible } from '../../foundation/errors.ts';
import { onDisk } from '../files/output.ts';
import { folderOwner, isOwnFolder, ownedFolder, removeTree } from '../files/own-folders.ts';
import { readText } from '../files/reader.ts';
import { isOwnerAlive } from '../machine/proc.ts';
import { git, quoted, runGit } from './git.ts';
import { type Checkout, findRepository, resolveCommit } from './repository.ts';
import { commitOfWorkingTree, layOutSubmodules } from './submodules.ts';

/** Version of a repository, checked out to a folder of its own; disposing of it removes the folder. */
export interface VersionFiles extends AsyncDisposable {
  /** Measured folder in this version, as an absolute path; of equal length for every version. */
  readonly root: string;
  /** Full SHA of the commit; for a working tree that of HEAD. */
  readonly commit: string;
  /** True if it includes uncommitted changes. */
  readonly dirty: boolean;
  /** Title of the requested version: `main`, `working tree`. */
  readonly ref: string;
  /** First line of the commit message, at most 200 characters. */
  readonly subject: string;
}

const SUBJECT_LENGTH = 200;

/** Checks out a commit, or without a ref the working tree with untracked files; the user's checkout does not change. */
export async function versionOf(repository: string, ref: string | undefined, owner: string): Promise<VersionFiles> {
  const found = await findRepository(repository);
  return await laidOut(found, { ref, owner }, (tree) => requireFolder(resolve(tree, found.prefix), ref, found));
}

/** Checks out the base of a comparison. The root of a folder that was moved since is its former path, else an empty folder. */
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

/** Former path of a folder in the base, relative to the checkout: where most of its renamed files were. Undefined if there are none. */
async function formerFolder(
  { checkout, prefix }: Checkout,
  { base, head }: { readonly base: string; readonly head: string | undefined },
) {
  const range = [base, ...(head === undefined ? [] : [head])];
  const argv = ['diff', '--name-status', '-z', '--find-renames', '--diff-filter=R', '--end-of-options', ...range, '--'];
  const { output } = await runGit(checkout, argv);
  return mostFrequent(renamesIn(output).flatMap(([from, to]) => folderBefore(prefix, from, to) ?? []));
}

/** Pairs of paths in "R100 NUL from NUL to NUL". */
function renamesIn(output: string): readonly (readonly [string, string])[] {
  const fields = output.split('\0');
  const count = Math.floor(fields.length / 3);
  return Array.from(
    { length: count },
    (_, place) => [fields[3 * place + 1] ?? '', fields[3 * place + 2] ?? ''] as const,
  );
}

/** Former folder of a renamed file: "api" if "api/src/a.ts" is now "services/api/src/a.ts". */
function folderBefore(prefix: string, from: string, to: string): string | undefined {
  const own = to.startsWith(`${prefix}/`) ? to.slice(prefix.length) : undefined;
  return own !== undefined && `/${from}`.endsWith(own)
    ? from.slice(0, Math.max(0, from.length - own.length))
    : undefined;
}

function mostFrequent(names: readonly string[]): string | undefined {
  const groups = [...Map.groupBy(names, (name) => name)];
  return groups.toSorted(([, left], [, right]) => right.length - left.length)[0]?.[0];
}

async function laidOut(
  found: Checkout,
  { ref, owner }: { readonly ref: string | undefined; readonly owner: string },
  rootIn: (tree: string) => string | Promise<string>,
): Promise<VersionFiles> {
  const commit = await resolveCommit(found, ref ?? 'HEAD');
  await removeAbandoned(found);
  const folder = await ownedFolder(owner, recordOf);
  try {
    const dirty = await layOut(found.checkout, ref, commit, folder);
    const root = await rootIn(treeOf(folder));
    // Read now, since programs that run in the folder may change the link to it.
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

/** Returns whether there are uncommitted changes. */
async function layOut(checkout: string, ref: string | undefined, commit: string, folder: string): Promise<boolean> {
  const asTheyAre = ref === undefined;
  const tree = treeOf(folder);
  const scratch = join(folder, 'index');
  const shown = asTheyAre ? await commitOfWorkingTree(checkout, scratch) : commit;
  await git(checkout, ['worktree', 'add', '--quiet', '--detach', tree, shown]);
  const gitFolder = await git(checkout, ['rev-parse', '--absolute-git-dir']);
  const isDirty = await layOutSubmodules({ gitFolder, checkout, commit: shown, tree, asTheyAre, scratch });
  // Would otherwise distinguish the two sides.
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

// Also finds folders that a search by name misses, because the temporary folder was emptied or changed.
async function removeAbandoned({ gitFolder }: Checkout): Promise<void> {
  for (const [record, folder] of foldersOfRecords(gitFolder)) {
    const owner = folderOwner(basename(folder));
    if (owner !== undefined && !isOwnerAlive(owner)) {
      await removeWorktree(folder, record);
    }
  }
}

/** Path of the worktree in an owned folder. git names its record after it, so the name is unique and of constant length. */
export function treeOf(folder: string): string {
  return join(folder, basename(folder).slice(-6));
}

export function recordOf(folder: string): string | undefined {
  try {
    const tree = realpathSync(treeOf(folder));
    const [, path = ''] = /^gitdir: (.+?)\n?$/s.exec(readText(join(tree, '.git'), '')) ?? [];
    const record = resolve(tree, path);
    // Another user's folder, or a program that ran in ours, could refer to any path, so the record must refer back to the folder.
    const isRecord = basename(dirname(record)) === 'worktrees' && treeInRecord(record) === tree;
    return isOwnFolder(folder) && isRecord ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Owned folders of the worktrees of a repository by their records, including deleted folders. */
export function foldersOfRecords(gitFolder: string): ReadonlyMap<string, string> {
  const records = namesIn(join(gitFolder, 'worktrees')).map((name) => join(gitFolder, 'worktrees', name));
  const found = records.map((record) => [record, dirname(treeInRecord(record) ?? '')] as const);
  return new Map(found.filter(([, folder]) => folderOwner(basename(folder)) !== undefined));
}

/** Removes an owned folder and git's record of its worktree, but no folder of another user. Throws EnvironmentError without permission. */
export async function removeWorktree(folder: string, record = recordOf(folder)): Promise<void> {
  if (!isOwnFolder(folder)) {
    return;
  }
  if (existsSync(folder)) {
    await onDisk(folder, () => removeTree(folder));
  }
  if (record !== undefined) {
    await rm(record, { recursive: true, force: true });
    // As git does after the last worktree; fails if there are others.
    await rmdir(dirname(record)).catch(() => undefined);
  }
}

function treeInRecord(record: string): string | undefined {
  return ifPossible(() => dirname(resolve(record, readText(join(record, 'gitdir'), '').replace(/\n$/, ''))));
}

function namesIn(folder: string): readonly string[] {
  return ifPossible(() => readdirSync(folder)) ?? [];
}
