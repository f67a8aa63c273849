import { constants, type Dirent } from 'node:fs';
import { access, lstat, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isArtifactPath } from './artifact.ts';
import type { ResultFile, ResultFolder } from './ports.ts';

/** Deeper than anything that is left here. */
const MOST_DEPTH = 8;

/** The folder at that path; what an artifact cannot hold is not listed. Links are not followed: they may lead anywhere. */
export function resultFolder(path: string): ResultFolder {
  return { files: async () => await filesBelow(path, path, MOST_DEPTH) };
}

async function filesBelow(root: string, folder: string, depth: number): Promise<readonly ResultFile[]> {
  const found: ResultFile[] = [];
  for (const entry of depth > 0 ? await entriesOf(folder) : []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      found.push(...(await filesBelow(root, path, depth - 1)));
    } else if (entry.isFile() && !isHalfWritten(entry.name)) {
      found.push(...(await fileAt(root, path)));
    }
  }
  return found;
}

async function fileAt(root: string, path: string): Promise<readonly ResultFile[]> {
  const name = relative(root, path).split(sep).join('/');
  return isArtifactPath(name) && (await isReadable(path)) ? [{ path: name, bytes: (await lstat(path)).size }] : [];
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // Not there, or not for us to read: either way there is nothing to upload.
    return [];
  }
}

/** What outputFolder writes into before it renames, and a kill leaves behind. */
function isHalfWritten(name: string): boolean {
  return /^\..*\.part$/.test(name);
}

/** The library throws where nobody can catch it when a file cannot be opened. */
async function isReadable(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
