import { rm } from 'node:fs/promises';
import { ownedFolder } from '../../host/files/own-folders.ts';
import { processTree, ticksPerSecond, treeCounters } from '../../host/machine/proc.ts';
import type { BlockLoad, LoadEnd } from '../../model/load.ts';
import { BlockRunner, type CpuSeconds } from '../driver/driver.ts';
import { type DriverProcess, startDriverProcess } from './driver.ts';
import type { Site } from './site.ts';

/** Runs the driver of one slot; disposing of it ends it and removes its files. */
export class LoadPost implements AsyncDisposable {
  readonly #site: Site;
  readonly #blocks: BlockRunner;
  #driver: DriverProcess | undefined;
  #driverNote: string | undefined;
  #folder: Promise<string> | undefined;

  constructor(site: Site) {
    this.#site = site;
    this.#blocks = new BlockRunner(async () => {
      const folder = await this.#recordFolder();
      const open = async (heard: (line: string) => void) => {
        const driver = await startDriverProcess(site, { folder }, heard);
        this.#driver = driver;
        // Later the number may be another process's.
        const ended = driver.ended.then((end) => {
          this.#driver = undefined;
          return { ...end, how: this.#driverNote ?? end.how };
        });
        return { ...driver, ended };
      };
      return { folder, open };
    });
  }

  /** See RunningService.play. */
  async runBlock(loads: readonly BlockLoad[], signal: AbortSignal): Promise<readonly LoadEnd[]> {
    return await this.#blocks.play(loads, signal);
  }

  /** CPU time by the processes' own clocks, to the nanosecond. */
  async clockSeconds(pids: readonly number[]): Promise<CpuSeconds> {
    return await this.#blocks.cpuSeconds(pids);
  }

  /** Ends the driver if it uses more memory than it may. */
  endOver(limitMiB: number): void {
    const driverMiB = this.#driver === undefined ? 0 : treeCounters(this.#driver.pid).memoryMiB;
    if (driverMiB > limitMiB) {
      this.#driverNote = `because its memory reached ${Math.round(driverMiB)} MiB, over the limit of ${limitMiB} MiB`;
      void this.#driver?.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#blocks[Symbol.asyncDispose]();
    if (this.#folder !== undefined) {
      await rm(await this.#folder, { recursive: true, force: true });
    }
  }

  async #recordFolder(): Promise<string> {
    this.#folder ??= ownedFolder(this.#site.options.owner);
    return await this.#folder;
  }
}

interface SlotCpuSeconds {
  readonly service: number;
  readonly of: readonly number[];
  readonly load: number;
}

/** CPU time of a service's processes and of the load tools of its slot. */
export class SlotCpu {
  readonly #loads: LoadPost;
  readonly #seen = new Map<number, number>();

  constructor(loads: LoadPost) {
    this.#loads = loads;
  }

  /** Notes what was seen of a process, with its children, by other ways; gives the most that was ever seen of it. */
  note(pid: number, cpuSeconds: number): number {
    // A child that ends between two looks, or the service itself, must not make time run backwards.
    const most = Math.max(this.#seen.get(pid) ?? 0, cpuSeconds);
    this.#seen.set(pid, most);
    return most;
  }

  /**
   * By the processes' own clocks, to the nanosecond; in the kernel's ticks of 10 ms for one that is gone. `of` is each process with its
   * children, in the order of the list, and `service` all of them together.
   */
  async read(pids: readonly number[]): Promise<SlotCpuSeconds> {
    const trees = pids.map((root) => processTree(root));
    const clocks = await this.#loads.clockSeconds(trees.flat().map(({ pid }) => pid));
    const own = new Map(trees.flat().map(({ pid }, index) => [pid, clocks.of[index]]));
    const of = trees.map((tree, index) => {
      const parts = tree.map(({ pid, cpuTicks, reapedTicks }) => {
        const seconds = own.get(pid);
        return seconds === undefined ? cpuTicks / ticksPerSecond() : seconds + reapedTicks / ticksPerSecond();
      });
      return this.note(
        pids[index] ?? 0,
        parts.reduce((total, part) => total + part, 0),
      );
    });
    const service = of.reduce((total, part) => total + part, 0);
    return { service, of, load: clocks.drivers };
  }
}
