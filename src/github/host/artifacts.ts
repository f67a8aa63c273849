import { constants, type Dirent } from 'node:fs';
import { access, lstat, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** Temporary file of outputFolder, which a killed program leaves behind. */
const TEMPORARY = /^\..*\.part$/;

/** Files of results below a folder, without those that an artifact cannot contain, and without links, which may point anywhere. */
export async function resultFiles(folder: string): Promise<readonly ResultFile[]> {
  return await filesBelow(folder, folder, 8);
}

async function filesBelow(root: string, folder: string, depth: number): Promise<readonly ResultFile[]> {
  const found: ResultFile[] = [];
  for (const entry of depth > 0 ? await entriesOf(folder) : []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      found.push(...(await filesBelow(root, path, depth - 1)));
    } else if (entry.isFile() && !TEMPORARY.test(entry.name)) {
      found.push(...(await fileAt(root, path)));
    }
  }
  return found;
}

async function fileAt(root: string, path: string): Promise<readonly ResultFile[]> {
  const name = relative(root, path).split(sep).join('/');
  if (!isArtifactPath(name)) {
    return [];
  }
  try {
    // Checked in advance, since the library throws an uncatchable error for unreadable files.
    await access(path, constants.R_OK);
    return [{ path: name, bytes: (await lstat(path)).size }];
  } catch {
    return [];
  }
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // Missing or unreadable: there is nothing to upload.
    return [];
  }
}

/** Files that readers, and the second stage, require. */
const FIRST = ['run.json', 'report.md', 'report.html'];

/**
 * Files within the limits: the run and its reports first, then small files before large ones, so that one huge file only excludes itself.
 */
export function fittingFiles(files: readonly ResultFile[]): {
  readonly kept: readonly ResultFile[];
  readonly leftOut: readonly ResultFile[];
} {
  const kept: ResultFile[] = [];
  const leftOut: ResultFile[] = [];
  let bytes = 0;
  const sorted = files.toSorted(
    (left, right) => rankOf(left) - rankOf(right) || left.bytes - right.bytes || (left.path < right.path ? -1 : 1),
  );
  for (const file of sorted) {
    const fits = kept.length < MAX_ARTIFACT_FILES && bytes + file.bytes <= MAX_ARTIFACT_BYTES;
    bytes += fits ? file.bytes : 0;
    (fits ? kept : leftOut).push(file);
  }
  return { kept, leftOut };
}

function rankOf({ path }: ResultFile): number {
  const place = FIRST.indexOf(path);
  return place === -1 ? FIRST.length : place;
}

/** Regular file below a folder. */
export interface ResultFile {
  /** Path relative to the folder, with slashes. */
  readonly path: string;
  readonly bytes: number;
}

/** Maximum uncompressed size of an artifact in bytes, which readers rely on. */
export const MAX_ARTIFACT_BYTES = 100e6;

/** Maximum number of files in an artifact. */
export const MAX_ARTIFACT_FILES = 500;

/** Characters that names of artifacts and their paths must not contain, since some file systems reject them. */
const FORBIDDEN = /["<>:|*?\p{Cc}]/u;

/** True if a name is valid for an artifact, whose name becomes a file name. */
export function isArtifactName(name: string): boolean {
  return name.length <= 200 && isArtifactPath(name) && !/[\\/]/.test(name);
}

/** True if a path is valid for a file of an artifact. */
export function isArtifactPath(path: string): boolean {
  return path !== '' && !FORBIDDEN.test(path);
}
