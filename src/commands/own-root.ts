import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package, which pins the load tools: the bundle lies in its `dist`, this source two folders below it. */
export const OWN_ROOT = packageFolder(dirname(fileURLToPath(import.meta.url)));

function packageFolder(folder: string): string {
  return existsSync(join(folder, 'package.json')) || dirname(folder) === folder
    ? folder
    : packageFolder(dirname(folder));
}
