import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LoadCommand } from '../core/load.ts';
import { onDisk } from './output-folder.ts';

const CHUNK_BYTES = 2 ** 20;

/** Writes what a load tool's command reads into a folder; throws EnvironmentError where the disk is full. */
export async function writeInputs({ inputs }: LoadCommand, folder: string): Promise<void> {
  for (const [name, text] of Object.entries(inputs)) {
    const path = join(folder, name);
    await onDisk(path, async () => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    });
  }
}

/** The raw records in a load tool's output, in pieces; none where it left no output. */
export async function* recordsIn(path: string): AsyncIterable<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK_BYTES });
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) {
      throw thrown;
    }
  }
}
