import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder with those that lead to it; one that is there is left as it is. Rejects with the system's error where that cannot be.
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
