import { constants, lstatSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, open, readdir, rmdir, unlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pidNamespace } from '../machine/proc.ts';
import { ifThere, onDisk } from './output.ts';

/** Temporary folders of this program, each with a function that returns a related path. Both are removed at exit. */
const made = new Map<string, (folder: string) => string | undefined>();

/** Creates a temporary folder with its owner in the name; the path of `relatedPath` is removed with it at exit. */
export async function ownedFolder(
  owner: string,
  relatedPath: (folder: string) => string | undefined = () => undefined,
): Promise<string> {
  const prefix = join(tmpdir(), `wiregauge-${pidNamespace('self') ?? 0}-${owner.replace(':', '-')}-`);
  const folder = await onDisk(prefix, () => mkdtemp(prefix));
  if (made.size === 0) {
    process.once('exit', removeMade);
  }
  made.set(folder, relatedPath);
  return folder;
}

/** Ending programs may still write there. */
const TRIES = { recursive: true, force: true, maxRetries: 5, retryDelay: 20 } as const;

function removeMade(): void {
  for (const [folder, relatedPath] of made) {
    try {
      const path = relatedPath(folder);
      rmSync(folder, TRIES);
      rmSync(path ?? folder, TRIES);
    } catch {
      // The next start removes more, such as read-only files of a build.
    }
  }
}

export function folderOwner(name: string): string | undefined {
  const [, namespace, pid, started] = /^wiregauge-(\d+)-(\d+)-(\d+)-\w+$/.exec(name) ?? [];
  return namespace === (pidNamespace('self') ?? '0') ? `${pid}:${started}` : undefined;
}

export function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined || (found.isDirectory() && found.uid === process.getuid?.());
}

/** Flag of open(2) for a descriptor regardless of permissions. Node.js has no constant for it; it is the same on x64 and arm64. */
const O_PATH = 0o10_000_000;

/** Removes a folder, also read-only ones. By descriptors: if a link replaces a folder meanwhile, its target is not changed. */
export async function removeTree(path: string): Promise<void> {
  await using handle = await ifThere(open(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW));
  if (handle === undefined) {
    return;
  }
  const folder = `/proc/self/fd/${handle.fd}`;
  await chmod(folder, 0o700);
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.filter((one) => one.isDirectory())) {
    await removeTree(join(folder, entry.name));
  }
  const others = entries.filter((one) => !one.isDirectory());
  await Promise.all(others.map(({ name }) => ifThere(unlink(join(folder, name)))));
  await ifThere(rmdir(path));
}

/** Folder of downloads, builds and copies that later runs use again. */
export function cacheFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return join(environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache'), 'wiregauge');
}
