import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mean } from '../../src/foundation/statistics.ts';
import { requireValgrind } from '../../src/runtime/valgrind/valgrind.ts';
import { type Scene, type Starting, startService } from './service.ts';

const WARM_UP = 200;

const WINDOWS = 4;

const REQUESTS = 100;

/** The instructions of a service for a request: the mean of four windows of one start but for the highest, as Wiregauge leaves that out. */
export async function countedRequest(scene: Scene, starting: Starting): Promise<number> {
  const { valgrind, vgdb } = await requireValgrind();
  const folder = mkdtempSync(join(tmpdir(), 'bench-kinds-counts-'));
  try {
    const files = [`--callgrind-out-file=${folder}/counts.%p`, `--vgdb-prefix=${folder}/door`];
    const options = ['--tool=callgrind', '--quiet', '--trace-children=yes', '--collect-systime=yes', ...files];
    await using service = await startService(scene, { ...starting, before: ['setarch', '-R', valgrind, ...options] });
    const counts = async (): Promise<number> => {
      const argv = ['counts', folder, vgdb, '--max-invoke-ms=5'];
      const { stdout } = await promisify(execFile)(scene.driver, argv, { env: service.environment });
      return JSON.parse(stdout).instructions;
    };
    await service.ask(WARM_UP);
    await counts();
    const windows: number[] = [];
    while (windows.length < WINDOWS) {
      await service.ask(REQUESTS);
      windows.push((await counts()) / REQUESTS);
    }
    console.error(`${starting.language} ${starting.variant}: ${windows.map(Math.round).join(' ')}`);
    return mean(windows.toSorted((left, right) => left - right).slice(0, -1)) ?? 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
