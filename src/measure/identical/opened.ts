import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError } from '../../foundation/errors.ts';
import { startChild } from '../../host/child.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import { readBytes } from '../../host/files/reader.ts';
import { OWNER_VARIABLE } from '../../host/machine/proc.ts';
import { DRIVER } from '../../load/driver/source.ts';

/** Folder of the load driver, and the owner of its process. */
export interface Watcher {
  readonly folder: string;
  readonly owner: string;
}

/** Files that are watched until this is disposed of. */
export interface OpensWatch extends AsyncDisposable {
  /** Settles once one of them was opened, and with the abort. */
  someOpened(signal: AbortSignal): Promise<void>;
  /** Indexes of the files that any process of this machine has opened so far. Throws EnvironmentError if the kernel did not report them. */
  opened(): Promise<readonly number[]>;
}

const READY = 'watching';

const POLL_MS = 10;

/** Limit for a loaded machine; usually it takes some milliseconds. */
const ANSWER_MS = 10_000;

/** Watches opens of files by inotify, which needs no privileges. Throws EnvironmentError if that fails. */
export async function watchOpens({ folder, owner }: Watcher, paths: readonly string[]): Promise<OpensWatch> {
  const scratch = await ownedFolder(owner);
  // The kernel keeps the order, so the open of this file comes after all others.
  const last = join(scratch, 'last');
  const list = join(scratch, 'list');
  await writeFile(last, '');
  await writeFile(list, [...paths, last].map((path) => `${path}\0`).join(''));
  const environment = { PATH: process.env['PATH'], [OWNER_VARIABLE]: owner };
  const child = await startChild({ argv: [join(folder, DRIVER), 'watch', list], cwd: '/', environment });
  let isOver = false;
  void child.ended.then(() => (isOver = true));
  const lines = (): readonly string[] => child.lastLines(paths.length + 2).split('\n');
  const until = async (line: string): Promise<void> => {
    for (let waitedMs = 0; !lines().includes(line); waitedMs += POLL_MS) {
      if (isOver || waitedMs > ANSWER_MS) {
        throw new EnvironmentError(`opened files cannot be watched: ${lines().at(-1) ?? ''}`, { code: 'WG-203' });
      }
      await sleep(POLL_MS);
    }
  };
  const places = (): readonly number[] =>
    lines()
      .filter((line) => /^\d+$/.test(line))
      .map(Number)
      .filter((place) => place < paths.length);
  const watch: OpensWatch = {
    async someOpened(signal) {
      while (!signal.aborted && places().length === 0) {
        await sleep(POLL_MS);
      }
    },
    async opened() {
      readBytes(last);
      await until(String(paths.length));
      return places();
    },
    async [Symbol.asyncDispose]() {
      await child.stop(0);
      await rm(scratch, { recursive: true, force: true });
    },
  };
  try {
    await until(READY);
    return watch;
  } catch (thrown) {
    await watch[Symbol.asyncDispose]();
    throw thrown;
  }
}
