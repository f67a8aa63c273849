import type { RepositoryFile } from '../../../host/files/repository-file.ts';

/** A folder of a repository, and all of its files. */
export interface RepositoryFolder {
  readonly folder: string;
  readonly files: readonly RepositoryFile[];
}

/** The folder of a path; empty for the root. */
export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A path below a folder, without `.` and `..`; empty for the root, undefined where it leads out of the repository. */
export function pathBelow(folder: string, path: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..' && parts.pop() === undefined) {
      return undefined;
    }
    if (part !== '..' && part !== '.' && part !== '') {
      parts.push(part);
    }
  }
  return path.startsWith('/') ? undefined : parts.join('/');
}

/** Whether a path lies in a folder or below it. */
export function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

/** The file of a folder with that name. */
export function fileIn(files: readonly RepositoryFile[], folder: string, name: string): RepositoryFile | undefined {
  const path = folder === '' ? name : `${folder}/${name}`;
  return files.find((file) => file.path === path);
}

/** Those below the folder where there are any, else all; those nearest to the root first. */
export function nearest(files: readonly RepositoryFile[], folder: string): readonly RepositoryFile[] {
  const own = files.filter(({ path }) => isBelow(path, folder));
  return (own.length > 0 ? own : files).toSorted(
    (a, b) => depthOf(a.path) - depthOf(b.path) || (a.path < b.path ? -1 : 1),
  );
}

/** How many folders a path goes down. */
export function depthOf(path: string): number {
  return path.split('/').length;
}
