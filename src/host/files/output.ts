import { mkdir, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EnvironmentError } from '../../foundation/errors.ts';

/** Creates the folder if it is missing. Throws EnvironmentError, as `write` does, if files cannot be written there. */
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

/** What `write` gives; throws EnvironmentError that names the path if the disk or its rights are the cause. */
export async function onDisk<Result>(path: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (thrown) {
    throw diskError(thrown, path) ?? thrown;
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

/** The known error for a failed write below `path`; undefined if the cause is another. */
export function diskError(thrown: unknown, path: string): EnvironmentError | undefined {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
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

/** The known error for a full disk; undefined for any other cause. */
export function fullDisk(thrown: unknown): EnvironmentError | undefined {
  const isFull = isOf(thrown, 'ENOSPC') || isOf(thrown, 'EDQUOT');
  const path = isFull && thrown instanceof Error && 'path' in thrown ? String(thrown.path) : 'a file';
  return isFull ? diskError(thrown, path) : undefined;
}

/** The path as a message may name it: of what is in an owned folder, or a new one of the load tools, the folder that it was made in. */
export function lastingPath(path: string): string {
  return path.replace(/\/(?:wiregauge-\d+-\d+-\d+-|\.new-).*$/s, '') || '/';
}

/**
 * Writes a file that appears whole or stays as it was, with the folders that lead to it; what is there and no file, such as
 * /dev/stdout, is written to as it is. Throws EnvironmentError as `onDisk` does.
 */
export async function writeWholeFile(path: string, text: string): Promise<void> {
  await onDisk(path, async () => {
    await makeFolder(dirname(path));
    const known = await realpath(path).catch(() => path);
    const isThing = (await stat(known).catch(() => undefined))?.isFile() === false;
    await (isThing ? writeFile(known, text) : writeWhole(dirname(known), basename(known), text));
  });
}

// A reader sees the old text or the new one, also after a crash or a power cut: hence the flush before the rename.
async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const part = join(folder, `.${name}.${process.pid}.part`);
  try {
    const file = await open(part, 'w');
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, join(folder, name));
  } catch (thrown) {
    await rm(part, { force: true });
    throw thrown;
  }
}

/**
 * Makes a folder with those that lead to it; one that is there is left as it is. Rejects with the system's error if that cannot be.
 * Node's own way asks again for ever below /proc: nothing can be made there, and each try says that the folder above is missing.
 */
export async function makeFolder(path: string): Promise<void> {
  const missing: string[] = [];
  for (let folder = path; !(await isThere(folder)); folder = dirname(folder)) {
    missing.unshift(folder);
  }
  for (const folder of missing) {
    await madeByAnyone(folder);
  }
  if (missing.length === 0 && !(await stat(path)).isDirectory()) {
    // Rejects, in the system's words.
    await mkdir(path);
  }
}

/** The root and the current folder always are. */
async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (thrown) {
    if (isOf(thrown, 'ENOENT') && dirname(path) !== path) {
      return false;
    }
    throw thrown;
  }
}

async function madeByAnyone(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (thrown) {
    const isMade = isOf(thrown, 'EEXIST') && (await stat(folder).catch(() => undefined))?.isDirectory() === true;
    if (!isMade) {
      throw thrown;
    }
  }
}

function isOf(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}

/** Files of the run's output folder; a write appears whole or not at all. */
export interface OutputFolder {
  write(name: string, text: string): Promise<string>;
}
