import { EnvironmentError } from '../../foundation/errors.ts';
import { lastingPath } from '../../host/files/output.ts';
import { streamOf } from '../../host/files/reader.ts';
import type { GeneratorName } from '../../model/load.ts';

const CHUNK_BYTES = 2 ** 20;

const FULL_DISK = /no space left on device|disk quota exceeded/i;

/** Content of a record file, or nothing if the file is missing. */
export async function recordsIn(path: string): Promise<Uint8Array> {
  try {
    const pieces: Uint8Array[] = [];
    for await (const piece of streamOf(path, CHUNK_BYTES)) {
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') {
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
