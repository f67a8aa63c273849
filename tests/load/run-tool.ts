import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { writeInputs } from '../../src/load/driver/files.ts';
import { DRIVER } from '../../src/load/driver/source.ts';
import { ghz } from '../../src/load/ghz/ghz.ts';
import type { Load, ToolLoad } from '../../src/model/load.ts';
import { realLoadTools, realLoadToolsWithDriver } from '../integration/load-tools.ts';

/** Plays a load with the real ghz in a folder of its own, as a runtime does for a run, and reads what it recorded. */
export async function playByGhz(load: ToolLoad) {
  return await inFolder(async (folder) => {
    const command = ghz.command(load, 'steady-0');
    await writeInputs(command, folder);
    const tool = join(await realLoadTools(), command.tool);
    await promisify(execFile)(tool, command.arguments, { cwd: folder, timeout: command.limitSeconds * 1000 });
    return join(folder, command.output);
  });
}

/** The same with the real driver, as a runtime does for a block of a comparison. */
export async function playByDriver(load: Load) {
  const { driverFolder = '' } = await realLoadToolsWithDriver();
  return await inFolder(async (folder) => {
    const driver = spawn(join(driverFolder, DRIVER), { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: driver.stdout });
    driver.stdin.write(`${JSON.stringify({ id: 1, loads: [{ tool: 'ghz', output: 'records', load }] })}\n`);
    const [line] = await once(lines, 'line');
    driver.stdin.end();
    await once(driver, 'close');
    const { error } = JSON.parse(String(line)).results[0];
    if (error !== '') {
      throw new Error(error);
    }
    return join(folder, 'records');
  });
}

async function inFolder(play: (folder: string) => Promise<string>) {
  const folder = mkdtempSync(join(tmpdir(), 'wiregauge-load-'));
  try {
    const reader = ghz.reader();
    reader.push(readFileSync(await play(folder)));
    return reader.finish();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
