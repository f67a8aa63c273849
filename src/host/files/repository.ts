import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { ConfigError, ifPossible, messageOf } from '../../foundation/errors.ts';
import { checkoutRoot } from '../git/repository.ts';
import { readInside } from './reader.ts';

/** Names of the folders that contain a file ("service.yml"), or of the files with an extension ("*.yml"), in a folder. */
export function namesIn(folder: string, pattern: string): string[] {
  const entries = existsSync(folder) ? readdirSync(folder) : [];
  const isSuffix = pattern.startsWith('*');
  const names = isSuffix
    ? entries.filter((entry) => entry.endsWith(pattern.slice(1))).map((entry) => entry.slice(0, 1 - pattern.length))
    : entries.filter((entry) => existsSync(join(folder, entry, pattern)));
  return names.sort();
}

/** Folders with thousands of files of packages. */
const FOREIGN = /^(?:node_modules|\.git|\.venv)$/;

/** Contents of all `.proto` files below a folder of a repository, except packages and links that lead out of it. Throws ConfigError. */
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

/** Relative paths of entries other than folders. Links are not followed, as a recursive `readdir` of some Node.js does. */
export function filesBelow(folder: string, isEntered = (_name: string): boolean => true): readonly string[] {
  const files: string[] = [];
  // Grows during the iteration.
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

export function hashOf(texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) {
    hash.update(`${text.length}:`).update(text);
  }
  return hash.digest('hex');
}

/** Real path of a path in the repository. Throws ConfigError that begins with `what` if it is missing, or outside the repository. */
export function insideRepository(root: string, path: string, what: string): string {
  const own = realpathSync(root);
  const found = ifPossible(() => realpathSync(join(own, path)));
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

const MAX_FOLDERS = 1000;

/** Files with a name in a folder and its direct subfolders, without links. Throws ConfigError for too many subfolders. */
export function filesNamed(name: string, folder: string): readonly string[] {
  const folders = foldersIn(folder);
  if (folders.length > MAX_FOLDERS) {
    throw new ConfigError(`${folder} has ${folders.length} folders; at most ${MAX_FOLDERS} are searched`, {
      code: 'WG-107',
      next: 'Use a folder that contains only the results of the shards.',
    });
  }
  return [folder, ...folders]
    .map((one) => join(one, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile());
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
