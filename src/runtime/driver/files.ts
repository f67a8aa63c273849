import { EnvironmentError } from '../../foundation/errors.ts';
import { lastingPath } from '../../host/files/output.ts';
import { FileRefusal, readBytes } from '../../host/files/reader.ts';
import type { GeneratorName } from '../../model/load.ts';

/** Some hundred million requests. */
const MOST_BYTES = 2 ** 32;

const FULL_DISK = /no space left on device|disk quota exceeded/i;

/**
 * Content of a record file, or nothing if the file is missing. A round has some 300 of a few kilobytes: a stream with a buffer of 1 MiB
 * for each took 9% of the time of a comparison for garbage collection alone.
 */
export function recordsIn(path: string): Uint8Array {
  try {
    return readBytes(path, { most: MOST_BYTES });
  } catch (thrown) {
    if (thrown instanceof FileRefusal && thrown.kind === 'missing') {
      return new Uint8Array();
    }
    throw thrown;
  }
}

/** Throws EnvironmentError if a failed load complains of a full disk. */
export function assertDiskHasRoom(complaint: string, tool: GeneratorName, folder: string): void {
  if (FULL_DISK.test(complaint)) {
    throw new EnvironmentError(`${tool} cannot write its records: the disk with ${lastingPath(folder)} is full`, {
      code: 'WG-207',
      next: 'Free some space there, or set TMPDIR to a folder on another disk.',
    });
  }
}
