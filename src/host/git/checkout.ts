import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Root of the checkout of a folder, as an absolute path; undefined outside a checkout. Does not run git. */
export function checkoutRoot(folder: string): string | undefined {
  const path = resolve(folder);
  if (existsSync(join(path, '.git'))) {
    return path;
  }
  return dirname(path) === path ? undefined : checkoutRoot(dirname(path));
}
