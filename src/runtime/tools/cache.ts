import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { codeOf, EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { runChild } from '../../host/child.ts';
import { readBytes } from '../../host/files/reader.ts';
import { DRIVER } from '../driver/source.ts';
import type { PinnedDriver } from './places.ts';

const MANIFEST = 'manifest.json';

const NEW = '.new-';

const ABANDONED_MS = 24 * 3600 * 1000;

const manifestSchema = z.object({ [DRIVER]: z.string() });

export type CacheState = { readonly kind: 'good' | 'missing' } | { readonly kind: 'damaged'; readonly why: string };

/** Compares a driver with the pinned checksums; a build without any with its note, if only this user and root may change both. */
export async function cacheState(folder: string, driver: PinnedDriver, signal: AbortSignal): Promise<CacheState> {
  try {
    await stat(folder);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') {
      return { kind: 'missing' };
    }
    return { kind: 'damaged', why: messageOf(thrown) };
  }
  try {
    const manifest = manifestSchema.parse(JSON.parse(contentOf(folder, MANIFEST).toString()));
    const change = await changeIn(folder, driver, manifest);
    if (change !== undefined) {
      return { kind: 'damaged', why: change };
    }
    await checkDriver(folder, driver, signal);
    return { kind: 'good' };
  } catch (thrown) {
    signal.throwIfAborted();
    return { kind: 'damaged', why: messageOf(thrown) };
  }
}

async function changeIn(
  folder: string,
  { sha256 }: PinnedDriver,
  noted: z.infer<typeof manifestSchema>,
): Promise<string | undefined> {
  const found = checksum(folder);
  if (found !== noted[DRIVER]) {
    return `${DRIVER} was changed after it was installed`;
  }
  const other = sha256.includes(found) ? undefined : await writableByOthers(folder);
  return other && `another user may have changed ${DRIVER}: ${other} is writable by others`;
}

/** The first file or folder of the driver that another user owns, or that every user may write to. */
async function writableByOthers(folder: string): Promise<string | undefined> {
  for (const path of [folder, join(folder, MANIFEST), join(folder, DRIVER)]) {
    const { uid, mode } = await lstat(path);
    if ((uid !== 0 && uid !== process.getuid?.()) || (mode & 0o002) !== 0) {
      return path;
    }
  }
  return undefined;
}

/** An empty folder next to the given one, in which it is prepared; leftovers of killed runs are removed. */
export async function newFolderNextTo(folder: string): Promise<string> {
  const parent = dirname(folder);
  try {
    await mkdir(parent, { recursive: true });
    for (const name of await readdir(parent)) {
      const path = join(parent, name);
      if (name.startsWith(NEW) && (await ageMs(path)) > ABANDONED_MS) {
        await rm(path, { recursive: true, force: true });
      }
    }
    return await mkdtemp(join(parent, NEW));
  } catch (thrown) {
    throw unusable(parent, thrown);
  }
}

/** 0 if it is gone: another run has just given its own new folder the final name. */
async function ageMs(path: string): Promise<number> {
  try {
    return Date.now() - (await stat(path)).mtimeMs;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') {
      return 0;
    }
    throw thrown;
  }
}

/** Renames the new folder to its final name, and notes the driver's checksum. If another run was faster, that one's folder stays. */
export async function install(
  newFolder: string,
  folder: string,
  driver: PinnedDriver,
  signal: AbortSignal,
): Promise<void> {
  await chmod(join(newFolder, DRIVER), 0o755);
  const noted = { [DRIVER]: checksum(newFolder) };
  await writeFile(join(newFolder, MANIFEST), `${JSON.stringify(noted)}\n`);
  // A new folder is its owner's alone; the engine's user must read it too.
  await chmod(newFolder, 0o755);
  if (await isRenamed(newFolder, folder)) {
    return;
  }
  if ((await cacheState(folder, driver, signal)).kind === 'good') {
    return;
  }
  const old = join(dirname(folder), `${NEW}old-${process.pid}-${basename(newFolder)}`);
  await isRenamed(folder, old);
  await isRenamed(newFolder, folder);
  await rm(old, { recursive: true, force: true });
}

/** False if the new name is taken by a folder that is not empty, or the old one is gone. */
async function isRenamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (thrown) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(thrown))) {
      return false;
    }
    throw unusable(to, thrown);
  }
}

function checksum(folder: string): string {
  return createHash('sha256').update(contentOf(folder, DRIVER)).digest('hex');
}

function contentOf(folder: string, name: string): Buffer {
  try {
    return readBytes(join(folder, name));
  } catch (thrown) {
    throw new Error(`${name}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

function unusable(folder: string, cause: unknown): EnvironmentError {
  return new EnvironmentError(`the cache folder of the load driver cannot be used: ${messageOf(cause)}`, {
    code: 'WG-203',
    cause,
    next: `Make ${folder} readable and writable, free some disk space, or set XDG_CACHE_HOME to another folder.`,
  });
}

/** Throws EnvironmentError if the driver in a folder does not run, or has another version than the pinned one. */
export async function checkDriver(folder: string, { version }: PinnedDriver, signal: AbortSignal): Promise<void> {
  const printed = await printedVersion(folder, signal);
  if (printed !== version) {
    throw new EnvironmentError(
      `the load driver ${DRIVER} in ${folder} has version "${printed.slice(0, 80)}", but ${version} is needed`,
      { code: 'WG-204', next: `Remove ${folder}; the next start installs the pinned version.` },
    );
  }
}

async function printedVersion(folder: string, signal: AbortSignal): Promise<string> {
  const argv = [join(folder, DRIVER), 'version'];
  try {
    const { lastLines } = await runChild({ argv, cwd: '/', environment: {} }, { signal, limitSeconds: 10 });
    return lastLines.trim();
  } catch (cause) {
    signal.throwIfAborted();
    throw new EnvironmentError(`the load driver ${DRIVER} is missing, or cannot be run: ${messageOf(cause)}`, {
      code: 'WG-203',
      cause,
      next: 'Run `wiregauge cache fetch` to install it.',
    });
  }
}
