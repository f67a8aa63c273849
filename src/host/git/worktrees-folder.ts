import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { chmod, readdir, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { onDisk } from '../files/output-folder.ts';
import { folderOwner } from '../files/processes-folder.ts';

/**
 * Where the worktree of an owned folder is. Its name tells nothing, is as long as any other, and is unique: git names
 * its record of the worktree after it, and would else number them.
 */
export function treeOf(folder: string): string {
  return join(folder, basename(folder).slice(-6));
}

/** git's record (`.git/worktrees/<name>`) of the worktree in an owned folder; undefined where there is none. */
export function recordOf(folder: string): string | undefined {
  try {
    const tree = realpathSync(treeOf(folder));
    const [, path = ''] = /^gitdir: (.+?)\n?$/s.exec(readFileSync(join(tree, '.git'), 'utf8')) ?? [];
    const record = resolve(tree, path);
    // Another user's folder could name any path. And what ran in ours may have changed it: git's record names the folder in turn.
    const isOurs = lstatSync(folder).uid === process.getuid?.();
    const isRecord = basename(dirname(record)) === 'worktrees' && treeInRecord(record) === tree;
    return isOurs && isRecord ? record : undefined;
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

/** Removes an owned folder, and git's record of the worktree that was in it. Throws EnvironmentError where it may not. */
export async function removeWorktree(folder: string, record = recordOf(folder)): Promise<void> {
  await onDisk(folder, () => removeFolder(folder));
  if (record !== undefined) {
    await rm(record, { recursive: true, force: true });
    await removeEmpty(dirname(record));
  }
}

async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    // Some builds leave folders that may not be written to, such as Go's module cache.
    await allowWriting(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

async function allowWriting(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) {
      await allowWriting(join(folder, entry.name));
    }
  }
}

function treeInRecord(record: string): string | undefined {
  try {
    return dirname(resolve(record, readFileSync(join(record, 'gitdir'), 'utf8').replace(/\n$/, '')));
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
