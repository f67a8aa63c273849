import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { EnvironmentError, messageOf } from '../../foundation/index.ts';
import { readBytes, runChild } from '../../host/index.ts';
import type { PinnedProgram } from './places.ts';

const MANIFEST = 'manifest.json';

const NEW = '.new-';

const ABANDONED_MS = 24 * 3600 * 1000;

/** SHA-256 of each program, by its name. */
const manifestSchema = z.record(z.string(), z.string());

/** What a folder of the cache holds; `damaged` says in words what is wrong with it. */
export type CacheState = { readonly kind: 'good' | 'missing' } | { readonly kind: 'damaged'; readonly why: string };

/** A folder of the cache, and the programs that belong there. */
export interface CachedPrograms {
  readonly folder: string;
  readonly programs: readonly PinnedProgram[];
}

/**
 * Compares the programs in a folder with the checksums that are pinned, and with the pinned versions. A build whose bytes nobody can know
 * beforehand is compared with what was noted when it was installed, if nobody but this user and root may change both.
 */
export async function cacheState({ folder, programs }: CachedPrograms, signal: AbortSignal): Promise<CacheState> {
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
    const change = await changeIn({ folder, programs }, manifest);
    if (change !== undefined) {
      return { kind: 'damaged', why: change };
    }
    await checkPrograms(folder, programs, signal);
    return { kind: 'good' };
  } catch (thrown) {
    signal.throwIfAborted();
    return { kind: 'damaged', why: messageOf(thrown) };
  }
}

/** What is wrong with the programs in a folder, by the checksums; undefined if nothing is. */
async function changeIn(
  { folder, programs }: CachedPrograms,
  noted: z.infer<typeof manifestSchema>,
): Promise<string | undefined> {
  for (const { name, sha256 } of programs) {
    const found = await checksum(folder, name);
    if (found !== noted[name]) {
      return `${name} was changed after it was installed`;
    }
    const other = sha256.includes(found) ? undefined : await writableByOthers(folder, name);
    if (other !== undefined) {
      return `another user may have changed ${name}: ${other} is writable by others`;
    }
  }
  return undefined;
}

/** The first of what decides over a program that somebody else owns, or anybody may write to. */
async function writableByOthers(folder: string, name: string): Promise<string | undefined> {
  for (const path of [folder, join(folder, MANIFEST), join(folder, name)]) {
    const { uid, mode } = await lstat(path);
    if ((uid !== 0 && uid !== process.getuid?.()) || (mode & 0o002) !== 0) {
      return path;
    }
  }
  return undefined;
}

/** An empty folder beside the given one, in which it is made ready; leftovers of runs that were killed are removed. */
export async function newFolderBeside(folder: string): Promise<string> {
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

/**
 * Notes the checksums of the programs in the new folder and gives it its final name. If another run was faster and
 * left good ones there, those stay: two runs that install at once end with one whole folder.
 */
export async function install(newFolder: string, cached: CachedPrograms, signal: AbortSignal): Promise<void> {
  const { folder, programs } = cached;
  const checksums: Record<string, string> = {};
  for (const { name } of programs) {
    await chmod(join(newFolder, name), 0o755);
    checksums[name] = await checksum(newFolder, name);
  }
  await writeFile(join(newFolder, MANIFEST), `${JSON.stringify(checksums)}\n`);
  // A new folder is its owner's alone; the engine's user must read it too.
  await chmod(newFolder, 0o755);
  if (await isRenamed(newFolder, folder)) {
    return;
  }
  if ((await cacheState(cached, signal)).kind === 'good') {
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
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(thrown) ?? '')) {
      return false;
    }
    throw unusable(to, thrown);
  }
}

async function checksum(folder: string, name: string): Promise<string> {
  return createHash('sha256').update(contentOf(folder, name)).digest('hex');
}

/** Content of a file in the cache. Throws an error that names it. */
function contentOf(folder: string, name: string): Buffer {
  try {
    return readBytes(join(folder, name));
  } catch (thrown) {
    throw new Error(`${name}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

function unusable(folder: string, cause: unknown): EnvironmentError {
  return new EnvironmentError(`the cache folder of the load tools cannot be used: ${messageOf(cause)}`, {
    code: 'WG-203',
    cause,
    next: `Make ${folder} readable and writable, free some disk space, or set XDG_CACHE_HOME to another folder.`,
  });
}

function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
}

/**
 * Asks the programs in a folder for their versions. Throws EnvironmentError if one cannot be run or has another
 * version than the pinned one, and says which.
 */
export async function checkPrograms(
  folder: string,
  programs: readonly PinnedProgram[],
  signal: AbortSignal,
): Promise<void> {
  for (const program of programs) {
    const printed = await printedVersion(folder, program, signal);
    const { name, version: wanted, versionPattern } = program;
    // The first line only: vegeta prints the version of Go below its own.
    const [line = ''] = printed.split('\n');
    const [found] = versionPattern.exec(line) ?? [];
    if (found !== wanted) {
      throw new EnvironmentError(
        `the load tool ${name} in ${folder} has version ${found ?? `"${line.slice(0, 80)}"`}, but ${wanted} is needed`,
        { code: 'WG-204', next: `Remove ${folder}; the next start downloads the pinned version.` },
      );
    }
  }
}

async function printedVersion(folder: string, program: PinnedProgram, signal: AbortSignal): Promise<string> {
  const argv = [join(folder, program.name), ...program.versionArguments];
  try {
    const { lastLines } = await runChild({ argv, cwd: '/', environment: {} }, { signal, limitSeconds: 10 });
    return lastLines;
  } catch (cause) {
    signal.throwIfAborted();
    throw new EnvironmentError(`the load tool ${program.name} is missing, or cannot be run: ${messageOf(cause)}`, {
      code: 'WG-203',
      cause,
      next: 'Run `wiregauge tools` to install it.',
    });
  }
}
