import { listenersOn } from '../../host/machine/ports.ts';
import { hostCpu, networkCounters, processStat, treeCounters } from '../../host/machine/proc.ts';
import type { Service } from '../../model/service.ts';
import { metricsPages } from '../metrics-page.ts';
import type { RunningService } from '../port.ts';
import { loadPost } from './load.ts';
import type { Site } from './site.ts';

const WATCH_MS = 500;

/** Service that already runs here, without limits. CPU time and memory are those of the listening programs, if visible. */
export function attachService(site: Site, service: Service): RunningService {
  const { name, port, address = '' } = service;
  const loads = loadPost(site);
  const before = networkCounters('self').loopbackBytes;
  let pids: readonly number[] = [];
  let peakMemoryMiB = 0;
  let watch: NodeJS.Timeout | undefined;
  return {
    ...{ address, loadAddress: address },
    pages: metricsPages({ service, address }),
    ended: new Promise((resolve) => {
      watch = setInterval(() => {
        // Only of programs that were seen: others may end without a trace.
        if (pids.length > 0 && pids.every((pid) => processStat(pid) === undefined)) {
          resolve({ of: 'listener', kind: 'unknown', address });
        }
      }, WATCH_MS).unref();
    }),
    async reading() {
      // Looked for again until they are seen, as the service may be about to start.
      pids = pids.length === 0 ? listenersOn(port) : pids;
      const cpu = await loads.cpuSeconds(pids);
      const isSeen = pids.length > 0;
      const atMs = Date.now();
      const memoryMiB = pids.reduce((total, pid) => total + treeCounters(pid).memoryMiB, 0);
      peakMemoryMiB = Math.max(peakMemoryMiB, memoryMiB);
      const { loopbackBytes, listenOverflows, timeWaitSockets } = networkCounters('self');
      loads.endOver(site.options.limits.memoryMiB);
      return {
        atMs,
        service: {
          cpuSeconds: isSeen ? cpu.service : undefined,
          memoryMiB: isSeen ? memoryMiB : undefined,
          peakMemoryMiB: isSeen ? peakMemoryMiB : undefined,
          // The interface is everybody's: whatever else talks over it meanwhile is counted too.
          wireBytes: loopbackBytes - before,
        },
        loadCpuSeconds: cpu.load,
        host: { ...hostCpu(), listenOverflows, timeWaitSockets },
      };
    },
    play: loads.play,
    logs: async () => '',
    tries: async () => `${name} was not started by Wiregauge, so no command can run next to it`,
    async [Symbol.asyncDispose]() {
      clearInterval(watch);
      await loads[Symbol.asyncDispose]();
    },
  };
}
