import { listenersOn } from '../../host/machine/ports.ts';
import { hostCpu, networkCounters, processStat, treeCounters } from '../../host/machine/proc.ts';
import type { BlockLoad, LoadEnd } from '../../model/load.ts';
import type { Reading } from '../../model/runner.ts';
import type { Service } from '../../model/service.ts';
import type { Ended } from '../ended.ts';
import { metricsPages } from '../metrics-page.ts';
import type { RunningService } from '../port.ts';
import { LoadPost, SlotCpu } from './load.ts';
import type { Site } from './site.ts';

const WATCH_MS = 500;

/**
 * A service that already runs at an address of this machine. Its CPU time and memory are those of the programs that listen there,
 * if they can be seen; it has no limits, keeps to no core, and outlives the slot.
 */
export function attachService(site: Site, service: Service): RunningService {
  return new AttachedService(site, service);
}

/** Owns the load tools of one slot, and nothing of the service. */
class AttachedService implements RunningService {
  readonly address: string;
  readonly loadAddress: string;
  readonly ended: Promise<Ended>;
  readonly pages: RunningService['pages'];
  readonly #site: Site;
  readonly #service: Service;
  readonly #loads: LoadPost;
  readonly #cpu: SlotCpu;
  readonly #loopbackBytes: number;
  /** Looked for again until they are seen, as the service may be about to start. */
  #pids: readonly number[] = [];
  #peakMemoryMiB = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(site: Site, service: Service) {
    this.#site = site;
    this.#service = service;
    this.address = service.address ?? '';
    this.loadAddress = this.address;
    this.pages = metricsPages({ service, address: this.address });
    this.#loads = new LoadPost(site);
    this.#cpu = new SlotCpu(this.#loads);
    this.#loopbackBytes = networkCounters('self').loopbackBytes;
    this.ended = new Promise((resolve) => {
      this.#watch = setInterval(() => {
        if (this.#hasGone()) {
          resolve({ of: 'listener', kind: 'unknown', address: this.address });
        }
      }, WATCH_MS).unref();
    });
  }

  async reading(): Promise<Reading> {
    const pids = this.#listeners();
    const cpu = await this.#cpu.read(pids);
    const isSeen = pids.length > 0;
    const atMs = Date.now();
    const memoryMiB = pids.reduce((total, pid) => total + treeCounters(pid).memoryMiB, 0);
    this.#peakMemoryMiB = Math.max(this.#peakMemoryMiB, memoryMiB);
    const { loopbackBytes, listenOverflows, timeWaitSockets } = networkCounters('self');
    this.#loads.endOver(this.#site.options.limits.memoryMiB);
    return {
      atMs,
      service: {
        cpuSeconds: isSeen ? cpu.service : undefined,
        memoryMiB: isSeen ? memoryMiB : undefined,
        peakMemoryMiB: isSeen ? this.#peakMemoryMiB : undefined,
        // The interface is everybody's: whatever else talks over it meanwhile is counted too.
        wireBytes: loopbackBytes - this.#loopbackBytes,
      },
      loadCpuSeconds: cpu.load,
      host: { ...hostCpu(), listenOverflows, timeWaitSockets },
    };
  }

  async play(loads: readonly BlockLoad[], signal: AbortSignal): Promise<readonly LoadEnd[]> {
    return await this.#loads.runBlock(loads, signal);
  }

  async logs(): Promise<string> {
    return '';
  }

  async tries(): Promise<string | undefined> {
    return `${this.#service.name} was not started by Wiregauge, so no command can run next to it`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#watch);
    await this.#loads[Symbol.asyncDispose]();
  }

  #listeners(): readonly number[] {
    if (this.#pids.length === 0) {
      this.#pids = listenersOn(this.#service.port);
    }
    return this.#pids;
  }

  /** Only of programs that were seen: others may end without a trace. */
  #hasGone(): boolean {
    return this.#pids.length > 0 && this.#pids.every((pid) => processStat(pid) === undefined);
  }
}
