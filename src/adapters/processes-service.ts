import type { BlockLoad, LoadEnd, Reading, RunningService } from '../app/ports.ts';
import type { LoadCommand } from '../core/load.ts';
import type { Service } from '../core/service.ts';
import { type Child, type ChildEnd, startChild } from './child.ts';
import { freePort } from './ports-free.ts';
import { hostCpu, networkCounters, processTree, ticksPerSecond, treeCounters } from './proc.ts';
import { LoadPost } from './processes-load.ts';
import { pythonEnvironment, type Site, siteEnvironment } from './processes-site.ts';

const GRACE_MS = 3000;
const WATCH_MS = 1000;
const SENTENCE_LINES = 8;
const SENTENCE_LENGTH = 1200;
const LOG_LINES = 40;

/**
 * Starts a service on its core and a free port; `folders` go first on its PATH.
 * Throws EnvironmentError where nothing can be started, and then leaves nothing.
 */
export async function startService(site: Site, service: Service, folders: readonly string[]): Promise<RunningService> {
  const { root } = site.options;
  const port = await freePort();
  const base = siteEnvironment(site);
  const environment = {
    ...base,
    ...(folders.length > 0 && { UV_PROJECT_ENVIRONMENT: pythonEnvironment(root) }),
    ...service.environment,
    PATH: [...folders, service.environment['PATH'] ?? base['PATH']].join(':'),
    HOST: '127.0.0.1',
    PORT: String(port),
  };
  const argv = [...site.onServiceCore, ...service.process.command];
  const loopbackBytes = networkCounters('self').loopbackBytes;
  const child = await startChild({ argv, cwd: root, environment });
  return new PlainService({ site, child, port, loopbackBytes });
}

interface Start {
  readonly site: Site;
  readonly child: Child;
  readonly port: number;
  /** The counter of the loopback interface before the start. */
  readonly loopbackBytes: number;
}

/** Owns the process group of one service and the load tools of its slot. */
class PlainService implements RunningService {
  readonly address: string;
  readonly loadAddress: string;
  readonly ended: Promise<string>;
  readonly #start: Start;
  readonly #loads: LoadPost;
  readonly #watch: NodeJS.Timeout;
  #stopping = false;
  #overLimit: string | undefined;
  #cpuSecondsSeen = 0;
  #peakMemoryMiB = 0;
  #sampledMs = 0;

  constructor(start: Start) {
    this.#start = start;
    this.address = `127.0.0.1:${start.port}`;
    this.loadAddress = this.address;
    this.#loads = new LoadPost(start.site);
    // A reading samples the memory too: whoever takes one each second has no second sampling.
    this.#watch = setInterval(() => {
      if (performance.now() - this.#sampledMs >= 0.9 * WATCH_MS) {
        this.#sampleMemory();
      }
    }, WATCH_MS).unref();
    this.ended = new Promise((resolve) => {
      void start.child.ended.then((end) => {
        if (!this.#stopping) {
          resolve(this.#overLimit ?? sentenceOf(end, start));
        }
      });
    });
  }

  async reading(): Promise<Reading> {
    const cpu = await this.#cpuSeconds();
    const atMs = Date.now();
    const memoryMiB = this.#sampleMemory();
    const network = networkCounters('self');
    const { listenOverflows, timeWaitSockets } = network;
    return {
      atMs,
      service: {
        cpuSeconds: cpu.service,
        memoryMiB,
        peakMemoryMiB: this.#peakMemoryMiB,
        // The interface is everybody's: whatever else talks over it meanwhile is counted too.
        wireBytes: network.loopbackBytes - this.#start.loopbackBytes,
      },
      loadCpuSeconds: cpu.load,
      host: { ...hostCpu(), listenOverflows, timeWaitSockets },
    };
  }

  async load(commands: readonly LoadCommand[], signal: AbortSignal): Promise<readonly LoadEnd[]> {
    return await this.#loads.runCommands(commands, signal);
  }

  async play(loads: readonly BlockLoad[], signal: AbortSignal): Promise<readonly LoadEnd[]> {
    return await this.#loads.playBlock(loads, signal);
  }

  async logs(): Promise<string> {
    return this.#start.child.lastLines(LOG_LINES);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#watch);
    try {
      // First, since a service waits for the connections that the driver keeps open.
      await this.#loads[Symbol.asyncDispose]();
    } finally {
      await this.#start.child.stop(GRACE_MS);
    }
  }

  /** By the processes' own clocks where the driver can read them, to the nanosecond; else in the kernel's ticks of 10 ms. */
  async #cpuSeconds(): Promise<{ readonly service: number; readonly load: number }> {
    const tree = processTree(this.#start.child.pid);
    const clocks = await this.#loads.clockSeconds(tree.map(({ pid }) => pid));
    const parts = tree.map(({ cpuTicks, reapedTicks }, index) => {
      const own = clocks?.of[index];
      return own === undefined ? cpuTicks / ticksPerSecond() : own + reapedTicks / ticksPerSecond();
    });
    // A child that ends between two looks, or the service itself, must not make time run backwards.
    this.#cpuSecondsSeen = Math.max(
      this.#cpuSecondsSeen,
      parts.reduce((total, part) => total + part, 0),
    );
    return { service: this.#cpuSecondsSeen, load: this.#loads.toolsCpuSeconds() + (clocks?.drivers ?? 0) };
  }

  #sampleMemory(): number {
    const { site, child } = this.#start;
    const limitMiB = site.options.limits.memoryMiB;
    const { cpuSeconds, memoryMiB } = treeCounters(child.pid);
    this.#cpuSecondsSeen = Math.max(this.#cpuSecondsSeen, cpuSeconds);
    this.#peakMemoryMiB = Math.max(this.#peakMemoryMiB, memoryMiB);
    this.#sampledMs = performance.now();
    if (memoryMiB > limitMiB && this.#overLimit === undefined) {
      this.#overLimit = `it was ended: its memory reached ${Math.round(memoryMiB)} MiB, over the limit of ${limitMiB} MiB`;
      void child.stop(0);
    }
    this.#loads.endOver(limitMiB);
    return memoryMiB;
  }
}

function sentenceOf(end: ChildEnd, { child, port }: Start): string {
  const lines = child.lastLines(SENTENCE_LINES).replaceAll('\n', ' | ').slice(-SENTENCE_LENGTH);
  const how = end.signal === undefined ? `it ended with exit code ${end.exitCode}` : `it was ended by ${end.signal}`;
  const why = /address already in use/i.test(lines) ? `, since port ${port} was taken` : '';
  return `${how}${why}; ${lines === '' ? 'it printed nothing' : `it last printed: ${lines}`}`;
}
