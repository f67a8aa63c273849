import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The root of the checkout that a folder belongs to, as an absolute path; undefined if it is in none. Asks no git. */
export function checkoutRoot(folder: string): string | undefined {
  const path = resolve(folder);
  if (existsSync(join(path, '.git'))) {
    return path;
  }
  return dirname(path) === path ? undefined : checkoutRoot(dirname(path));
}
