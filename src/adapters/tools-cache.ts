import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { EnvironmentError, messageOf } from '../core/errors.ts';
import { checkLoadTools } from './tools-check.ts';
import { LOAD_TOOLS } from './tools-pins.ts';

const MANIFEST = 'manifest.json';
const NEW = '.new-';
const ABANDONED_MS = 24 * 3600 * 1000;

const manifestSchema = z.object({ ghz: z.string(), vegeta: z.string() });

/** What a folder of the cache holds; `damaged` says in words what is wrong with it. */
export type CacheState = { readonly kind: 'good' | 'missing' } | { readonly kind: 'damaged'; readonly why: string };

/** Compares the tools in a folder with the checksums noted when they were installed, and with the pinned versions. */
export async function cacheState(folder: string, signal: AbortSignal): Promise<CacheState> {
  try {
    await stat(folder);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') {
      return { kind: 'missing' };
    }
    throw unusable(folder, thrown);
  }
  try {
    const manifest = manifestSchema.parse(JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')));
    for (const tool of LOAD_TOOLS) {
      if ((await checksum(join(folder, tool))) !== manifest[tool]) {
        return { kind: 'damaged', why: `${tool} was changed after it was installed` };
      }
    }
    await checkLoadTools(folder, signal);
    return { kind: 'good' };
  } catch (thrown) {
    signal.throwIfAborted();
    return { kind: 'damaged', why: messageOf(thrown) };
  }
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

/** 0 where it is gone: another run has just given its own new folder the final name. */
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
 * Notes the checksums of the tools in the new folder and gives it its final name. Where another run was faster and
 * left good tools there, those stay: two runs that install at once end with one whole folder.
 */
export async function install(newFolder: string, folder: string, signal: AbortSignal): Promise<void> {
  const checksums: Record<string, string> = {};
  for (const tool of LOAD_TOOLS) {
    await chmod(join(newFolder, tool), 0o755);
    checksums[tool] = await checksum(join(newFolder, tool));
  }
  await writeFile(join(newFolder, MANIFEST), `${JSON.stringify(checksums)}\n`);
  // A new folder is its owner's alone; the engine's user must read it too.
  await chmod(newFolder, 0o755);
  if (await isRenamed(newFolder, folder)) {
    return;
  }
  if ((await cacheState(folder, signal)).kind === 'good') {
    return;
  }
  const old = join(dirname(folder), `${NEW}old-${process.pid}-${basename(newFolder)}`);
  await isRenamed(folder, old);
  await isRenamed(newFolder, folder);
  await rm(old, { recursive: true, force: true });
}

/** False where the new name is taken by a folder that is not empty, or the old one is gone. */
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

async function checksum(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

function unusable(folder: string, cause: unknown): EnvironmentError {
  return new EnvironmentError(`The cache folder of the load tools cannot be used: ${messageOf(cause)}`, {
    cause,
    next: `Make ${folder} readable and writable, free some disk space, or set XDG_CACHE_HOME to another folder.`,
  });
}

function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
}
