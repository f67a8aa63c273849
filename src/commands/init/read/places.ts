import { posix } from 'node:path';
import type { RepositoryFile } from '../../../host/files/scan.ts';

/** A folder of a repository, and all of its files. */
export interface RepositoryFolder {
  readonly folder: string;
  readonly files: readonly RepositoryFile[];
}

/** The folder of a path; empty for the root. */
export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A path below a folder, without `.` and `..`; empty for the root, undefined if it leads out of the repository. */
export function pathBelow(folder: string, path: string): string | undefined {
  const whole = posix.join(folder, path, '.');
  return path.startsWith('/') || /^\.\.(?:\/|$)/.test(whole) ? undefined : whole.replace(/^\.$/, '');
}

/** Files below a folder; `ending` limits their names. */
export function filesBelow({ folder, files }: RepositoryFolder, ending = /$/): readonly RepositoryFile[] {
  return files.filter(({ path }) => isBelow(path, folder) && ending.test(path));
}

export function textsBelow(place: RepositoryFolder, ending?: RegExp): readonly string[] {
  return filesBelow(place, ending).map(({ text }) => text);
}

/** Beginning of the paths in a folder. */
export function prefixOf(folder: string): string {
  return folder === '' ? '' : `${folder}/`;
}

/** True if a shell takes a path unchanged, and no program takes it for an option. */
export function isPlainPath(path: string): boolean {
  return /^[\w./-]*$/.test(path) && !path.startsWith('-');
}

/** Beginning of a shell line that runs in a folder. */
export function entering(folder: string): string {
  return folder === '' ? '' : `cd ${folder} && `;
}

export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(prefixOf(folder));
}

export function fileIn(files: readonly RepositoryFile[], folder: string, name: string): RepositoryFile | undefined {
  return files.find(({ path }) => path === `${prefixOf(folder)}${name}`);
}

/** Files below the folder, or all if there are none; those nearest to the root first. */
export function nearest(files: readonly RepositoryFile[], folder: string): readonly RepositoryFile[] {
  const own = files.filter(({ path }) => isBelow(path, folder));
  return (own.length > 0 ? own : files).toSorted(byDepth);
}

export function byDepth(a: RepositoryFile, b: RepositoryFile): number {
  return depthOf(a.path) - depthOf(b.path) || (a.path < b.path ? -1 : 1);
}

/** Number of leading folders that a path and a folder share. */
export function sharedDepth(path: string, folder: string): number {
  const [own, other] = [path.split('/').slice(0, -1), folder.split('/')];
  const parting = own.findIndex((part, place) => part !== other[place]);
  return parting === -1 ? own.length : parting;
}

export function depthOf(path: string): number {
  return path.split('/').length;
}

/** Host name derived from an untrusted text. */
export function hostNameFrom(text: string): string | undefined {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 63)
    .replace(/(?<!-)-+$/, '');
  return name === '' ? undefined : name;
}

/** The port in an untrusted text like "8080/tcp"; undefined if it is not a port. */
export function portFrom(text: string | undefined): number | undefined {
  const digits = /^(\d{1,5})(?:-\d{1,5})?(?:\/(?:tcp|TCP))?$/.exec(text?.trim() ?? '')?.[1];
  const port = Number(digits ?? 0);
  return port >= 1 && port <= 65_535 ? port : undefined;
}

const MADE: Readonly<Record<string, readonly string[]>> = {
  'package.json': ['node_modules/'],
  'pom.xml': ['target/'],
  'composer.json': ['vendor/'],
  'pyproject.toml': ['.venv/', '__pycache__/'],
  'requirements.txt': ['.venv/', '__pycache__/'],
};

/** Missing lines of a `.gitignore`: for the results of runs, and for build output that would otherwise be part of the measured working tree. */
export function missingIgnores(gitignore: string, files: readonly RepositoryFile[]): readonly string[] {
  const known = new Set(gitignore.split('\n').map(plainPattern));
  const made = files.flatMap(({ path }) => MADE[baseName(path)] ?? []);
  return [...new Set(['out/', ...made])].filter((line) => !known.has(plainPattern(line)));
}

export function withIgnores(gitignore: string, lines: readonly string[]): string {
  const before = gitignore === '' || gitignore.endsWith('\n') ? gitignore : `${gitignore}\n`;
  return `${before}${lines.map((line) => `${line}\n`).join('')}`;
}

// "out" also matches "/out", "out/" and "out/*".
function plainPattern(line: string): string {
  return line
    .trim()
    .replace(/^(?:\*\*)?\//, '')
    .replace(/\/(?:\*{1,2})?$/, '');
}
