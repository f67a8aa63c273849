import { homedir } from 'node:os';
import { join } from 'node:path';
import type { LoadTools } from '../../src/runtime/port.ts';
import { provideLoadTools } from '../../src/runtime/tools/tools.ts';

/** The real load driver, which a first run downloads or builds; every machine that tests has one of the two ways. */
export async function realLoadTools(): Promise<LoadTools> {
  return await provideLoadTools({
    root: process.cwd(),
    cacheFolder: join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'wiregauge'),
    architecture: process.arch === 'arm64' ? 'arm64' : 'x64',
    log: () => undefined,
    signal: AbortSignal.timeout(280_000),
  });
}
