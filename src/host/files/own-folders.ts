import { constants, lstatSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, open, readdir, rmdir, unlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pidNamespace } from '../machine/proc.ts';
import { onDisk } from './output.ts';

/** Temporary folders of this program, each with what gives the path that goes with it: what of them is there at the exit is removed. */
const made = new Map<string, (folder: string) => string | undefined>();

/**
 * Makes a temporary folder whose name tells its owner; `beside` gives a path elsewhere that is removed with it if this program exits before.
 * Throws EnvironmentError if the disk does not take it.
 */
export async function ownedFolder(
  owner: string,
  beside: (folder: string) => string | undefined = () => undefined,
): Promise<string> {
  const prefix = join(tmpdir(), `wiregauge-${pidNamespace('self') ?? 0}-${owner.replace(':', '-')}-`);
  const folder = await onDisk(prefix, () => mkdtemp(prefix));
  if (made.size === 0) {
    process.once('exit', removeMade);
  }
  made.set(folder, beside);
  return folder;
}

/** Programs that are just ending may still write there. */
const TRIES = { recursive: true, force: true, maxRetries: 5, retryDelay: 20 } as const;

function removeMade(): void {
  for (const [folder, beside] of made) {
    try {
      const path = beside(folder);
      rmSync(folder, TRIES);
      rmSync(path ?? folder, TRIES);
    } catch {
      // The next start can remove more, such as what a build made read-only.
    }
  }
}

/** The owner that a folder's name tells; undefined for other folders and for owners whose pids mean nothing here. */
export function folderOwner(name: string): string | undefined {
  const [, namespace, pid, started] = /^wiregauge-(\d+)-(\d+)-(\d+)-\w+$/.exec(name) ?? [];
  return namespace === (pidNamespace('self') ?? '0') ? `${pid}:${started}` : undefined;
}

/** Whether a path is a folder of this user, or nothing any more: anybody may give a folder a name like those of ours. */
export function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined || (found.isDirectory() && found.uid === process.getuid?.());
}

/** Of open(2): a descriptor of a folder whatever its permissions. Node.js has no name for it; it is the same on x64 and arm64. */
const O_PATH = 0o10_000_000;

/**
 * Removes a folder and all in it, also what may not be written to, such as Go's module cache; a no-op if it is gone. It goes by
 * descriptors and follows no symbolic link: if somebody swaps a folder for one meanwhile, nothing behind the link is removed or changed.
 */
export async function removeTree(path: string): Promise<void> {
  const handle = await ifThere(open(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW));
  if (handle === undefined) {
    return;
  }
  try {
    const folder = `/proc/self/fd/${handle.fd}`;
    await chmod(folder, 0o700);
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.filter((one) => one.isDirectory())) {
      await removeTree(join(folder, entry.name));
    }
    const others = entries.filter((one) => !one.isDirectory());
    await Promise.all(others.map(({ name }) => ifThere(unlink(join(folder, name)))));
  } finally {
    await handle.close();
  }
  await ifThere(rmdir(path));
}

/** What an action gives; undefined if another start has removed the file meanwhile. */
async function ifThere<T>(action: Promise<T>): Promise<T | undefined> {
  try {
    return await action;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') {
      return undefined;
    }
    throw thrown;
  }
}

/** Where what was downloaded, built or copied for later starts is kept. */
export function cacheFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return join(environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache'), 'wiregauge');
}
