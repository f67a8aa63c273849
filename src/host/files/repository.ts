import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { ConfigError, messageOf } from '../../foundation/errors.ts';
import { checkoutRoot } from '../git/checkout.ts';
import { readInside } from './reader.ts';

/** Names of the entries of a folder that hold a file of that name ("service.yml"), or that end so ("*.yml"). */
export function namesIn(folder: string, pattern: string): string[] {
  const entries = existsSync(folder) ? readdirSync(folder) : [];
  const isSuffix = pattern.startsWith('*');
  const names = isSuffix
    ? entries.filter((entry) => entry.endsWith(pattern.slice(1))).map((entry) => entry.slice(0, 1 - pattern.length))
    : entries.filter((entry) => existsSync(join(folder, entry, pattern)));
  return names.sort();
}

/** Folders of packages: thousands of files that nobody imports, where a root is that of the repository. */
const FOREIGN = /^(?:node_modules|\.git|\.venv)$/;

/**
 * The text of every `.proto` file below a folder of a repository, by its path relative to that folder; those of packages, and what is
 * no file of the repository, are left out. Of a folder above the root, the repository is the whole checkout. Throws ConfigError if the
 * folder is outside of the repository.
 */
export function readProtos(service: string, path: string): Record<string, string> {
  const root = path.startsWith('../') ? (checkoutRoot(service) ?? service) : service;
  const folder = join(service, path);
  if (!existsSync(folder)) {
    return {};
  }
  insideRepository(root, relative(root, folder) || '.', 'proto.root');
  const files = filesBelow(folder, (name) => !FOREIGN.test(name)).filter((file) => file.endsWith('.proto'));
  return Object.fromEntries(
    files.flatMap((file) => {
      const found = readInside(root, relative(root, join(folder, file)));
      return 'refusal' in found ? [] : [[file, found.text]];
    }),
  );
}

/**
 * Paths, relative to a folder, of everything in it and in the folders below whose name `isEntered` accepts, other than folders. Links
 * are listed and not followed, which a recursive `readdir` of some versions of Node.js does without an end.
 */
export function filesBelow(folder: string, isEntered = (_name: string): boolean => true): readonly string[] {
  const files: string[] = [];
  // Grows while it is walked.
  const folders = [''];
  for (const below of folders) {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = join(below, entry.name);
      if (!entry.isDirectory()) {
        files.push(path);
      } else if (isEntered(entry.name)) {
        folders.push(path);
      }
    }
  }
  return files.sort();
}

/** SHA-256 of texts, in hexadecimal; equal for equal texts in equal order. */
export function hashOf(texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) {
    hash.update(`${text.length}:`).update(text);
  }
  return hash.digest('hex');
}

/**
 * Where a path of the repository leads, symbolic links followed. Throws ConfigError, which begins with `what`, if nothing is
 * there, and if it leads out of the repository.
 */
export function insideRepository(root: string, path: string, what: string): string {
  const own = realpathSync(root);
  const found = realPath(join(own, path));
  if (found === undefined) {
    throw new ConfigError(`${what}: there is no ${path}`, {
      code: 'WG-107',
      next: 'Use a path relative to the root of the repository.',
    });
  }
  if (found !== own && !found.startsWith(`${own}${sep}`)) {
    throw new ConfigError(`${what}: ${path} is a link to ${found}, outside the repository`, {
      code: 'WG-108',
      next: 'Copy its target into the repository.',
    });
  }
  return found;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** More folders than a comparison has shards are something else. */
const MOST_FOLDERS = 1000;

/**
 * The files of that name in a folder and in its folders, by path; symbolic links are not followed, since what a job leaves may lead
 * anywhere. Throws ConfigError if the folder cannot be read, or holds far too much.
 */
export function filesNamed(name: string, folder: string): readonly string[] {
  const folders = foldersIn(folder);
  if (folders.length > MOST_FOLDERS) {
    throw new ConfigError(`${folder} has ${folders.length} folders; at most ${MOST_FOLDERS} are searched`, {
      code: 'WG-107',
      next: 'Use a folder that contains only the results of the shards.',
    });
  }
  return [folder, ...folders].map((one) => join(one, name)).filter(isFile);
}

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name))
      .sort();
  } catch (cause) {
    throw new ConfigError(`${folder}: cannot be read: ${messageOf(cause)}`, {
      code: 'WG-107',
      cause,
      next: 'Use the folder with the downloaded run.json of the shards; if no run.json exists, all shards were lost.',
    });
  }
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
