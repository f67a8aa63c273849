import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { ConfigError } from '../../foundation/errors.ts';

/**
 * Where a path of the repository leads, symbolic links followed. Throws ConfigError, which begins with `what`, where nothing is
 * there, and where it leads out of the repository.
 */
export function insideRepository(root: string, path: string, what: string): string {
  const own = realpathSync(root);
  const found = realPath(join(own, path));
  if (found === undefined) {
    throw new ConfigError(`${what}: there is no ${path}`, { next: 'Give a path from the root of the repository.' });
  }
  if (found !== own && !found.startsWith(`${own}${sep}`)) {
    throw new ConfigError(`${what}: ${path} is a link that leads out of the repository, to ${found}`, {
      next: 'Put what it leads to into the repository.',
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
