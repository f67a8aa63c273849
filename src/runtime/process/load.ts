import { constants } from 'node:fs';
import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvironmentError } from '../../foundation/index.ts';
import {
  type Child,
  type ChildEnd,
  onDisk,
  ownedFolder,
  processTree,
  reapedChildrenCpuSeconds,
  runChild,
  ticksPerSecond,
  treeCounters,
  treeCpuSeconds,
} from '../../host/index.ts';
import { assertDiskHasRoom, BlockPlayer, type CpuSeconds, recordsIn, writeInputs } from '../../load/index.ts';
import type { BlockLoad, LoadCommand, LoadEnd } from '../../model/index.ts';
import { type DriverProcess, startDriverProcess } from './driver.ts';
import { type Site, siteEnvironment } from './site.ts';

// As timeout(1) has it.
const TIMED_OUT = 124;

/** Runs the load tools of one slot; disposing of it ends them and removes their files. */
export class LoadPost implements AsyncDisposable {
  readonly #site: Site;
  readonly #closed = new AbortController();
  readonly #running = new Map<Child, string[]>();
  readonly #blocks: BlockPlayer;
  #driver: DriverProcess | undefined;
  #driverNote: string | undefined;
  #folder: Promise<string> | undefined;
  #played = 0;
  #playing: Promise<unknown> = Promise.resolve();
  #finishedCpuSeconds = 0;
  #reapedBefore: number | undefined;

  constructor(site: Site) {
    this.#site = site;
    this.#blocks = new BlockPlayer(async () => {
      const folder = await this.#nextFolder();
      const open = async (heard: (line: string) => void) => {
        const driver = await startDriverProcess(site, folder, heard);
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
  async playBlock(loads: readonly BlockLoad[], signal: AbortSignal): Promise<readonly LoadEnd[]> {
    return await this.#blocks.play(loads, signal);
  }

  /** See RunningService.load. Throws EnvironmentError if a tool is missing or the disk is full. */
  async runCommands(commands: readonly LoadCommand[], signal: AbortSignal): Promise<readonly LoadEnd[]> {
    signal.throwIfAborted();
    const folder = await this.#nextFolder();
    const failed = new AbortController();
    const stop = AbortSignal.any([signal, this.#closed.signal, failed.signal]);
    this.#reapedBefore = reapedChildrenCpuSeconds();
    const playing = Promise.all(
      commands.map((command) => this.#playOne(command, folder, stop).catch((thrown) => failed.abort(thrown))),
    );
    this.#playing = playing;
    const ends = await playing;
    this.#finishedCpuSeconds = this.toolsCpuSeconds();
    this.#reapedBefore = undefined;
    stop.throwIfAborted();
    return ends.filter((end) => end !== undefined);
  }

  /**
   * CPU time of all tools of the slot so far, the driver left out. While tools run, that of this program's reaped children counts
   * as theirs: it starts no others meanwhile, and a tool is either reaped or still listed, since nothing is reaped before the
   * caller awaits something. A service that ends by itself adds its own time, and its slot counts for nothing anyway.
   */
  toolsCpuSeconds(): number {
    if (this.#reapedBefore === undefined) {
      return this.#finishedCpuSeconds;
    }
    const running = [...this.#running.keys()].reduce((total, { pid }) => total + treeCpuSeconds(pid), 0);
    const seconds = this.#finishedCpuSeconds + running + reapedChildrenCpuSeconds() - this.#reapedBefore;
    // All are whole ticks: without the rounding of the sum, time would run backwards by a 10^-17 of a second.
    return Math.round(seconds * ticksPerSecond()) / ticksPerSecond();
  }

  /** CPU time by the processes' own clocks, to the nanosecond; undefined if there is no driver to read them. */
  async clockSeconds(pids: readonly number[]): Promise<CpuSeconds | undefined> {
    return this.#site.options.tools.driverFolder === undefined ? undefined : await this.#blocks.cpuSeconds(pids);
  }

  /** Ends the tools that use more memory than they may. */
  endOver(limitMiB: number): void {
    for (const [child, notes] of this.#running) {
      const { memoryMiB } = treeCounters(child.pid);
      if (memoryMiB > limitMiB && notes.length === 0) {
        notes.push(`stopped: ${overLimit(memoryMiB, limitMiB)}`);
        void child.stop(0).catch(() => undefined);
      }
    }
    const driverMiB = this.#driver === undefined ? 0 : treeCounters(this.#driver.pid).memoryMiB;
    if (driverMiB > limitMiB) {
      this.#driverNote = `because ${overLimit(driverMiB, limitMiB)}`;
      void this.#driver?.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await Promise.all([this.#playing, this.#blocks[Symbol.asyncDispose]()]);
    if (this.#folder !== undefined) {
      await rm(await this.#folder, { recursive: true, force: true });
    }
  }

  // One for each call, so that the files of two stages never meet.
  async #nextFolder(): Promise<string> {
    this.#folder ??= ownedFolder(this.#site.options.owner);
    // Before the wait, in which others may come for the next one.
    this.#played += 1;
    const name = String(this.#played);
    const folder = join(await this.#folder, name);
    await onDisk(folder, () => mkdir(folder));
    return folder;
  }

  async #playOne(command: LoadCommand, folder: string, signal: AbortSignal): Promise<LoadEnd> {
    const argv = [...this.#site.onLoadCore, await this.#toolPath(command), ...command.arguments];
    await writeInputs(command, folder);
    const environment = { ...siteEnvironment(this.#site), TZ: 'UTC' };
    const notes: string[] = [];
    let running: Child | undefined;
    const started = (child: Child): void => {
      running = child;
      this.#running.set(child, notes);
    };
    const startedMs = Date.now();
    const limits = { signal, limitSeconds: command.limitSeconds, started };
    try {
      const end = await runChild({ argv, cwd: folder, environment, errorsOnly: true }, limits);
      return loadEnd({ command, folder, startedMs, end, notes });
    } finally {
      if (running !== undefined) {
        this.#running.delete(running);
      }
    }
  }

  async #toolPath({ tool }: LoadCommand): Promise<string> {
    const path = join(this.#site.options.tools.folder, tool);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch (cause) {
      throw new EnvironmentError(`the load tool ${tool} is missing at ${path}, or cannot be run`, {
        code: 'WG-203',
        cause,
        next: 'Run `wiregauge tools` to install it.',
      });
    }
  }
}

interface Played {
  readonly command: LoadCommand;
  readonly folder: string;
  readonly startedMs: number;
  readonly end: ChildEnd;
  readonly notes: readonly string[];
}

function loadEnd({ command, folder, startedMs, end, notes }: Played): LoadEnd {
  if (end.exitCode !== 0) {
    assertDiskHasRoom(end.lastLines, command.tool, folder);
  }
  const overtime = end.timedOut ? [`stopped at its time limit of ${command.limitSeconds} s`] : [];
  return {
    startedMs,
    endedMs: Date.now(),
    exitCode: end.timedOut ? TIMED_OUT : end.exitCode,
    complaint: [end.lastLines, ...notes, ...overtime].filter((line) => line !== '').join('\n'),
    records: () => recordsIn(join(folder, command.output)),
  };
}

function overLimit(memoryMiB: number, limitMiB: number): string {
  return `its memory reached ${Math.round(memoryMiB)} MiB, over the limit of ${limitMiB} MiB`;
}

/** CPU time so far. */
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
   * By the processes' own clocks if the driver can read them, to the nanosecond; else in the kernel's ticks of 10 ms. `of` is each
   * process with its children, in the order of the list, and `service` all of them together.
   */
  async read(pids: readonly number[]): Promise<SlotCpuSeconds> {
    const trees = pids.map((root) => processTree(root));
    const clocks = await this.#loads.clockSeconds(trees.flat().map(({ pid }) => pid));
    const own = new Map(trees.flat().map(({ pid }, index) => [pid, clocks?.of[index]]));
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
    return { service, of, load: this.#loads.toolsCpuSeconds() + (clocks?.drivers ?? 0) };
  }
}
