import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EnvironmentError } from '../../foundation/index.ts';
import { lastingPath, onDisk, streamOf } from '../../host/index.ts';
import type { GeneratorName, LoadCommand } from '../../model/index.ts';

const CHUNK_BYTES = 2 ** 20;

const FULL_DISK = /no space left on device|disk quota exceeded/i;

/** Writes what a load tool's command reads into a folder; throws EnvironmentError if the disk is full. */
export async function writeInputs({ inputs, binaryInputs = {} }: LoadCommand, folder: string): Promise<void> {
  const files: [string, string | Uint8Array][] = [
    ...Object.entries(inputs),
    ...Object.entries(binaryInputs).map(([name, base64]): [string, Uint8Array] => [
      name,
      Buffer.from(base64, 'base64'),
    ]),
  ];
  for (const [name, content] of files) {
    const path = join(folder, name);
    await onDisk(path, async () => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    });
  }
}

/** The raw records in a load tool's output, in pieces; none if it left no output. */
export async function* recordsIn(path: string): AsyncIterable<Uint8Array> {
  try {
    yield* streamOf(path, CHUNK_BYTES);
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) {
      throw thrown;
    }
  }
}

/** Throws EnvironmentError if a failed load tool complains of a full disk. */
export function assertDiskHasRoom(complaint: string, tool: GeneratorName, folder: string): void {
  if (FULL_DISK.test(complaint)) {
    throw new EnvironmentError(`${tool} cannot write its records: the disk with ${lastingPath(folder)} is full`, {
      code: 'WG-207',
      next: 'Free some space there, or set TMPDIR to a folder on another disk.',
    });
  }
}
