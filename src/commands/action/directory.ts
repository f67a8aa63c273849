import { statSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import { ConfigError } from '../../foundation/errors.ts';
import { insideRepository } from '../../host/files/repository.ts';

const WHAT = 'the input `directory`';

/**
 * The folder of a checkout that the input `directory` names, as an absolute path. Throws ConfigError if it
 * leads out of the checkout, by its name or by a link, or is no folder.
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
