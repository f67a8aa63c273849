import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ConfigError, EnvironmentError, messageOf } from '../core/errors.ts';

/** The text of a file; throws ConfigError where there is none and EnvironmentError where it cannot be read. */
export function readText(path: string, next: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (!existsSync(path)) {
      throw new ConfigError(`${path}: there is no such file`, { cause, next });
    }
    throw new EnvironmentError(`${path}: cannot be read: ${messageOf(cause)}`, { cause, next });
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

/** The text of every `.proto` file below a folder, by its path relative to the folder. */
export function readProtos(folder: string): Record<string, string> {
  if (!existsSync(folder)) {
    return {};
  }
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.name.endsWith('.proto'),
  );
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path), readFileSync(path, 'utf8')];
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
