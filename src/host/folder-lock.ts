import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError } from '../foundation/errors.ts';
import { takeName } from './name-lock.ts';

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;

/** How long somebody else may write: an import of ten thousand runs takes some seconds. */
const MOST_MS = 120_000;

/** Whose turn it is, and what is told while it is not. */
export interface FolderTurn {
  readonly folder: string;
  readonly log: (line: string) => void;
  readonly mostMs?: number;
}

/**
 * The turn of this program to write to a folder, by whatever path it is reached, until it is disposed of or the program ends.
 * Programs of this machine wait for each other; throws EnvironmentError where that takes over two minutes. On systems without
 * abstract sockets nobody waits.
 */
export async function lockFolder({ folder, log, mostMs = MOST_MS }: FolderTurn): Promise<AsyncDisposable> {
  if (process.platform !== 'linux') {
    return { [Symbol.asyncDispose]: async () => undefined };
  }
  const path = createHash('sha256')
    .update(await realPath(resolve(folder)))
    .digest('hex');
  const name = `wiregauge-folder-${path}`;
  const until = performance.now() + mostMs;
  let hasTold = false;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const lock = await takeName(name, '');
    if (lock !== undefined) {
      return lock;
    }
    if (performance.now() > until) {
      throw new EnvironmentError(`${folder} is being written by somebody else`, {
        next: 'Try again when they are done. Nothing was written.',
      });
    }
    if (pauseMs === LONGEST_PAUSE_MS && !hasTold) {
      hasTold = true;
      log(`${folder} is being written by somebody else: waiting`);
    }
    await sleep(pauseMs * (0.5 + Math.random()));
  }
}

/** The path without links; of a folder that is not there yet that of the first one above it that is. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    const isMissing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
    return isMissing && dirname(path) !== path ? join(await realPath(dirname(path)), basename(path)) : path;
  }
}
