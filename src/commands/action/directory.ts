import { statSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import { ConfigError } from '../../foundation/errors.ts';
import { insideRepository } from '../../host/files/repository.ts';

const WHAT = 'the input `directory`';

/**
 * Absolute path of the folder that the input `directory` names. Throws ConfigError if it leads out of the checkout, also by a link, or is not a
 * folder.
 */
export function directoryIn(checkout: string, directory: string): string {
  if (isAbsolute(directory) || /^\.\.(?:\/|$)/.test(normalize(directory))) {
    throw new ConfigError(`${WHAT} leads out of the checkout: ${directory}`, { code: 'WG-108', next: NEXT });
  }
  const found = insideRepository(checkout, directory, WHAT);
  if (!statSync(found).isDirectory()) {
    throw new ConfigError(`${WHAT}: ${directory} is a file`, { code: 'WG-107', next: NEXT });
  }
  return found;
}

const NEXT = 'Set the folder of wiregauge.yml, relative to the root of the checkout: `with: { directory: apps/api }`.';
