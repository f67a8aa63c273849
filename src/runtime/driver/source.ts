import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { readBytes } from '../../host/files/reader.ts';

export const DRIVER = 'wiregauge-load';

const MODULE = join('tools', 'load');
const PACKAGE = join('cmd', DRIVER);

/** Hash of the driver's source and pinned modules below the folder of Wiregauge. */
export function driverVersion(root: string): string {
  const hash = createHash('sha256');
  try {
    for (const path of sourceFiles(join(root, MODULE))) {
      hash
        .update(path)
        .update('\0')
        .update(readBytes(join(root, MODULE, path)))
        .update('\0');
    }
  } catch (cause) {
    throw new EnvironmentError(`the source of the load driver cannot be read: ${messageOf(cause)}`, {
      code: 'WG-203',
      cause,
      next: `Use a complete checkout of Wiregauge, including ${MODULE}.`,
    });
  }
  return hash.digest('hex').slice(0, 16);
}

function sourceFiles(folder: string): readonly string[] {
  const sources = readdirSync(join(folder, PACKAGE)).filter(
    (name) => name.endsWith('.go') && !name.endsWith('_test.go'),
  );
  return ['go.mod', 'go.sum', ...sources.sort().map((name) => join(PACKAGE, name))];
}
