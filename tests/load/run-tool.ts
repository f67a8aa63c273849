import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { readRecords } from '../../src/measure/samples/record-file.ts';
import type { BlockLoad, Records } from '../../src/model/load.ts';
import { BlockRunner } from '../../src/runtime/driver/driver.ts';
import { startDriverProcess } from '../../src/runtime/process/load.ts';
import { openSite } from '../../src/runtime/process/site.ts';
import { optionsOf } from '../integration/plain-service.ts';

/** Plays a load with the real driver in a folder of its own, and reads its records. Rejects with what is wrong with the load. */
export async function measured({ tool, load }: BlockLoad): Promise<Records> {
  const folder = mkdtempSync(`${tmpdir()}/wiregauge-load-`);
  const site = await openSite(optionsOf(folder));
  const player = new BlockRunner(async () => ({
    folder,
    open: (heard) => startDriverProcess(site, { folder }, heard),
  }));
  try {
    const [end] = await player.play([{ tool, load }], new AbortController().signal);
    if (end === undefined || end.complaint !== '') {
      throw new Error(end?.complaint ?? 'there is no end');
    }
    const records = readRecords(await end.records(), { expected: load.target.expected });
    return records ?? Promise.reject(new Error('the records are cut off'));
  } finally {
    await player[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}
