import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../host/files/cache-folder.ts';
import { demonstrationFolder } from './demonstration.ts';

/** The folder of this package, which pins the load tools: the bundle lies in its `dist`, this source two folders below it. */
export const OWN_ROOT = packageFolder(dirname(fileURLToPath(import.meta.url)));

/** The chosen folder; where that is Wiregauge's own, one in which its reference services may be built. */
export async function writableRoot(chosen: string): Promise<string> {
  return chosen === OWN_ROOT ? await demonstrationFolder(OWN_ROOT, cacheFolder(process.env)) : chosen;
}

function packageFolder(folder: string): string {
  return existsSync(join(folder, 'package.json')) || dirname(folder) === folder
    ? folder
    : packageFolder(dirname(folder));
}
