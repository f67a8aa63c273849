import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, EnvironmentError } from '../../foundation/errors.ts';

export async function outputFolder(path: string): Promise<OutputFolder> {
  await onDisk(path, () => makeFolder(path));
  return {
    async write(name, text) {
      const target = join(path, name);
      await onDisk(target, () => writeWhole(path, name, text));
      return target;
    },
  };
}

/** Writes one file into a folder, which is created if it is missing, and returns the path of the file. */
export async function writeInto(folder: string, name: string, text: string): Promise<string> {
  return await (await outputFolder(folder)).write(name, text);
}

export async function onDisk<Result>(path: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (thrown) {
    throw diskError(thrown, path) ?? thrown;
  }
}

/** Result of an action on a file; undefined if there is no such file. */
export async function ifThere<Result>(action: Promise<Result>): Promise<Result | undefined> {
  try {
    return await action;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') {
      return undefined;
    }
    throw thrown;
  }
}

const CAUSES: Readonly<Record<string, readonly [reason: string, next: string]>> = {
  ENOSPC: ['the disk is full', 'Free some space, or choose a folder on another disk.'],
  EDQUOT: ['the disk quota is used up', 'Free some space, or choose a folder on another disk.'],
  EACCES: ['permission denied', 'Choose a folder that you can write to, or fix its permissions.'],
  EPERM: ['operation not permitted', 'Choose a folder that you can write to, or fix its permissions.'],
  EROFS: ['the file system is read-only', 'Choose a folder on a writable file system.'],
  ENOENT: ['the folder does not exist', 'Choose another folder.'],
  ENAMETOOLONG: ['its name is too long', 'Choose a shorter one.'],
  ELOOP: ['too many symbolic links', 'Choose another folder.'],
  ENOTDIR: ['part of the path is a file', 'Choose another folder, or move that file away.'],
  EEXIST: ['a file with that name already exists', 'Choose another folder, or move that file.'],
  EISDIR: ['a folder with that name already exists', 'Choose another folder, or move that folder.'],
};

export function diskError(thrown: unknown, path: string): EnvironmentError | undefined {
  const code = codeOf(thrown);
  const found = CAUSES[code];
  if (found === undefined) {
    return undefined;
  }
  const [reason, next] = found;
  return new EnvironmentError(`${lastingPath(path)} cannot be written: ${reason} (${code})`, {
    code: 'WG-207',
    cause: thrown,
    next,
  });
}

export function fullDisk(thrown: unknown): EnvironmentError | undefined {
  const isFull = codeOf(thrown) === 'ENOSPC' || codeOf(thrown) === 'EDQUOT';
  const path = isFull && thrown instanceof Error && 'path' in thrown ? String(thrown.path) : 'a file';
  return isFull ? diskError(thrown, path) : undefined;
}

/** Path for a message: for a file in an owned folder, or in a new folder of the load tools, the parent of that folder. */
export function lastingPath(path: string): string {
  return path.replace(/\/(?:wiregauge-\d+-\d+-\d+-|\.new-).*$/s, '') || '/';
}

/** Writes a file atomically, and creates its folder; writes to special files such as /dev/stdout directly. */
export async function writeWholeFile(path: string, text: string): Promise<void> {
  await onDisk(path, async () => {
    await makeFolder(dirname(path));
    const known = await realpath(path).catch(() => path);
    const isThing = (await stat(known).catch(() => undefined))?.isFile() === false;
    await (isThing ? writeFile(known, text) : writeWhole(dirname(known), basename(known), text));
  });
}

const STALE_PART_MS = 60_000;

/** Removes parts of a file that killed programs have left. A running one that this program does not see may still write a newer part. */
async function removeStaleParts(folder: string, name: string): Promise<void> {
  for (const part of await readdir(folder)) {
    const [, pid = ''] = /\.(\d+)\.part$/.exec(part) ?? [];
    if (pid !== '' && part === `.${name}.${pid}.part` && !existsSync(`/proc/${pid}`)) {
      const found = await stat(join(folder, part)).catch(() => undefined);
      if (found !== undefined && Date.now() - found.mtimeMs > STALE_PART_MS) {
        await rm(join(folder, part), { force: true });
      }
    }
  }
}

// The flush before the rename ensures that a reader sees the old or the new text, even after a crash or a power failure.
async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const part = join(folder, `.${name}.${process.pid}.part`);
  await removeStaleParts(folder, name);
  try {
    await writeFile(part, text, { flush: true });
    await rename(part, join(folder, name));
  } catch (thrown) {
    await rm(part, { force: true });
    throw thrown;
  }
}

/** Creates a folder with its parents. Node's recursive mkdir never returns below /proc. */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  let folder = path;
  while ((await ifThere(stat(folder))) === undefined && dirname(folder) !== folder) {
    missing.unshift(folder);
    folder = dirname(folder);
  }
  for (const folder of missing) {
    await madeByAnyone(folder);
  }
  if (missing.length === 0 && !(await stat(path)).isDirectory()) {
    // Rejects with the system's error.
    await mkdir(path);
  }
}

async function madeByAnyone(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (thrown) {
    const isMade = codeOf(thrown) === 'EEXIST' && (await stat(folder).catch(() => undefined))?.isDirectory() === true;
    if (!isMade) {
      throw thrown;
    }
  }
}

export interface OutputFolder {
  write(name: string, text: string): Promise<string>;
}
