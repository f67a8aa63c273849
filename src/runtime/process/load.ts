import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ownedFolder } from '../../host/files/own-folders.ts';
import { processTree, ticksPerSecond, treeCounters } from '../../host/machine/proc.ts';
import type { BlockLoad } from '../../model/load.ts';
import { openProgram, type ProgramChannel } from '../driver/channel.ts';
import { BlockRunner } from '../driver/driver.ts';
import { DRIVER } from '../driver/source.ts';
import { type Site, siteEnvironment } from './site.ts';

/** Driver of one start of a service, and the service's CPU time. Disposing of it ends the driver and removes its files. */
export function loadPost(site: Site) {
  let driver: ProgramChannel | undefined;
  let driverNote: string | undefined;
  let records: Promise<string> | undefined;
  const blocks = new BlockRunner(async () => {
    records = ownedFolder(site.options.owner);
    const folder = await records;
    const open = async (heard: (line: string) => void) => {
      const started = await startDriverProcess(site, { folder }, heard);
      driver = started;
      // Later, another process may have the PID.
      const ended = started.ended.then((end) => {
        driver = undefined;
        return { ...end, how: driverNote ?? end.how };
      });
      return { ...started, ended };
    };
    return { folder, open };
  });
  const seen = new Map<number, number>();
  /** Records the CPU time of a process and its children from another source; returns the highest value so far. */
  const note = (pid: number, cpuSeconds: number): number => {
    // If a child, or the service itself, ends between two readings, its time must not decrease.
    const most = Math.max(seen.get(pid) ?? 0, cpuSeconds);
    seen.set(pid, most);
    return most;
  };
  return {
    note,
    play: (loads: readonly BlockLoad[], signal: AbortSignal) => blocks.play(loads, signal),
    /**
     * From the processes' own clocks, to the nanosecond; in the kernel's ticks of 10 ms for one that has ended. `of` has each process with its
     * children, in the order of the list, and `service` all of them together.
     */
    async cpuSeconds(pids: readonly number[]) {
      const trees = pids.map((root) => processTree(root));
      const clocks = await blocks.cpuSeconds(trees.flat().map(({ pid }) => pid));
      const own = new Map(trees.flat().map(({ pid }, index) => [pid, clocks.of[index]]));
      const of = trees.map((tree, index) => {
        const parts = tree.map(({ pid, cpuTicks, reapedTicks }) => {
          const seconds = own.get(pid);
          return seconds === undefined ? cpuTicks / ticksPerSecond() : seconds + reapedTicks / ticksPerSecond();
        });
        return note(
          pids[index] ?? 0,
          parts.reduce((total, part) => total + part, 0),
        );
      });
      return { service: of.reduce((total, part) => total + part, 0), of, load: clocks.drivers };
    },
    /** Ends the driver if it exceeds its memory limit. */
    endOver(limitMiB: number): void {
      const driverMiB = driver === undefined ? 0 : treeCounters(driver.pid).memoryMiB;
      if (driverMiB > limitMiB) {
        driverNote = `because its memory reached ${Math.round(driverMiB)} MiB, over the limit of ${limitMiB} MiB`;
        void driver?.end();
      }
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await blocks[Symbol.asyncDispose]();
      if (records !== undefined) {
        await rm(await records, { recursive: true, force: true });
      }
    },
  };
}

/** Starts the driver on the load core. Throws EnvironmentError if it cannot be started. */
export async function startDriverProcess(
  site: Site,
  { folder, mode = [] }: { readonly folder: string; readonly mode?: readonly string[] },
  heard: (line: string) => void,
): Promise<ProgramChannel> {
  const program = join(site.options.tools.folder, DRIVER);
  const argv = [...site.onLoadCore, program, ...mode];
  const environment = { ...siteEnvironment(site), TZ: 'UTC' };
  const unstartable = { name: program, code: 'WG-203', next: 'Run `wiregauge cache fetch` to install it.' } as const;
  return await openProgram({ argv, cwd: folder, environment, unstartable }, heard);
}
