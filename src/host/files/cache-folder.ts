import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where what was downloaded, built or copied for later starts is kept. */
export function cacheFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return join(environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache'), 'wiregauge');
}
