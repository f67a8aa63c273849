import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { ConfigError, EnvironmentError, messageOf } from '../../foundation/index.ts';

/** The text of a file; throws ConfigError if there is none and EnvironmentError if it cannot be read. */
export function readText(path: string, next: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (!existsSync(path)) {
      throw new ConfigError(`${path}: there is no such file`, { code: 'WG-107', cause, next });
    }
    throw new EnvironmentError(`${path}: cannot be read: ${messageOf(cause)}`, { code: 'WG-107', cause, next });
  }
}

/** Names of the entries of a folder that hold a file of that name ("service.yml"), or that end so ("*.yml"). */
export function namesIn(folder: string, pattern: string): string[] {
  const entries = existsSync(folder) ? readdirSync(folder) : [];
  const isSuffix = pattern.startsWith('*');
  const names = isSuffix
    ? entries.filter((entry) => entry.endsWith(pattern.slice(1))).map((entry) => entry.slice(0, 1 - pattern.length))
    : entries.filter((entry) => existsSync(join(folder, entry, pattern)));
  return names.sort();
}

/** Larger files are no request's body and no feed, and would be sent to the load tool again and again. */
const MOST_BYTES = 10 * 2 ** 20;

/** A file inside of a folder, or why there is none: links that lead out of the folder are not followed. */
export function readInside(
  root: string,
  path: string,
): { readonly text: string; readonly base64: string } | { readonly refusal: string } {
  const whole = join(root, path);
  if (!existsSync(whole)) {
    return { refusal: 'there is no such file' };
  }
  const real = realpathSync(whole);
  if (!real.startsWith(`${realpathSync(root)}${sep}`)) {
    return { refusal: 'points outside the repository' };
  }
  const { size, isFile } = kindOf(real);
  if (!isFile || size > MOST_BYTES) {
    return { refusal: isFile ? `has ${size} bytes; the limit is ${MOST_BYTES}` : 'is not a file' };
  }
  try {
    const bytes = readFileSync(real);
    return { text: bytes.toString('utf8'), base64: bytes.toString('base64') };
  } catch (cause) {
    return { refusal: `cannot be read: ${messageOf(cause)}` };
  }
}

function kindOf(path: string): { readonly size: number; readonly isFile: boolean } {
  const found = statSync(path);
  return { size: found.size, isFile: found.isFile() };
}

/** Folders of packages: thousands of files that nobody imports, where a root is that of the repository. */
const FOREIGN = /\/(node_modules|\.git|\.venv)\//;

/**
 * The text of every `.proto` file below a folder of a repository, by its path relative to that folder; those of packages, and what is
 * no file of the repository, are left out. Throws ConfigError if the folder is a link that leads out of the repository.
 */
export function readProtos(root: string, path: string): Record<string, string> {
  const folder = join(root, path);
  if (!existsSync(folder)) {
    return {};
  }
  insideRepository(root, path, 'proto.root');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.name.endsWith('.proto') && !FOREIGN.test(`/${relative(folder, entry.parentPath)}/`),
  );
  return Object.fromEntries(
    files.flatMap((entry) => {
      const file = join(entry.parentPath, entry.name);
      const found = readInside(root, relative(root, file));
      return 'refusal' in found ? [] : [[relative(folder, file), found.text]];
    }),
  );
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
