import { existsSync, lstatSync, readdirSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { readBytes } from '../../host/files/reader.ts';
import { checkoutRoot } from '../../host/git/repository.ts';
import { type BuiltEntries, type BuiltEntry, type BuiltProgram, contentHash, isElf } from '../built-program.ts';

/** Reading more would take longer than it can save. */
const MAX_FILES = 200_000;

const MAX_BYTES = 2 ** 30;

/** Whole checkout after its builds, any part of which plain processes can run, read once for all services. */
export function builtFiles(root: string): BuiltProgram {
  const folder = checkoutRoot(root) ?? root;
  let entries: Promise<BuiltEntries> | undefined;
  return {
    name: 'checkout',
    folder,
    entries: (signal) => (entries ??= entriesBelow(folder, signal)),
    watchable: async (paths) => ({ paths: paths.map((path) => join(folder, path)) }),
  };
}

/** Size of a binary in the repository that a command starts; undefined for any other command. */
export function binaryBytes(root: string, command: string): number | undefined {
  const path = join(root, command);
  const isFile = command.includes('/') && !command.startsWith('/') && existsSync(path) && statSync(path).isFile();
  return isFile && isElf(path) ? statSync(path).size : undefined;
}

export async function entriesAt(path: string, signal: AbortSignal): Promise<BuiltEntries> {
  const stat = statSync(path);
  return stat.isDirectory() ? await entriesBelow(path, signal) : new Map([['', entryOf(path, '', stat)]]);
}

/** Entries below a folder, except git's. Throws RangeError if there are too many, and the signal's reason. */
async function entriesBelow(folder: string, signal: AbortSignal): Promise<BuiltEntries> {
  const found = new Map<string, BuiltEntry>();
  // Grows during the iteration.
  const folders = [''];
  let bytes = 0;
  for (const below of folders) {
    await turn();
    signal.throwIfAborted();
    for (const name of readdirSync(join(folder, below)).filter((one) => one !== '.git')) {
      const path = `${below}/${name}`;
      const stat = lstatSync(join(folder, path));
      bytes += stat.size;
      if (found.size >= MAX_FILES || bytes > MAX_BYTES) {
        throw new RangeError('there are too many files to compare');
      }
      found.set(path, entryOf(folder, path, stat));
      folders.push(...(stat.isDirectory() ? [path] : []));
    }
  }
  return found;
}

function entryOf(folder: string, path: string, stat: Stats): BuiltEntry {
  const full = join(folder, path);
  const { mode } = stat;
  const rights = (mode & 0o7777).toString(8);
  if (stat.isFile()) {
    return { kind: 'file', text: `${rights} ${contentHash(path, readBytes(full), folder)}` };
  }
  if (stat.isDirectory()) {
    return { kind: 'folder', text: rights };
  }
  const target = stat.isSymbolicLink() ? readlinkSync(full).replaceAll(folder, '') : '';
  return { kind: 'other', text: `${(mode & 0o170000).toString(8)} ${target}` };
}
