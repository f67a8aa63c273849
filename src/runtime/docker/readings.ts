import { hostCpu, networkBytes, networkCounters } from '../../host/index.ts';
import type { MemberCounters, Reading } from '../../model/index.ts';
import type { StartedContainer } from './container.ts';
import { containerCounters } from './counters.ts';
import type { BesideInNetwork } from './needs.ts';

/** The container of a service, and its name among its members if it is one of several. */
interface OwnContainer {
  readonly started: StartedContainer;
  readonly entry: string | undefined;
}

/**
 * Reads the counters of a service, of its load tools, and of what runs beside it.
 *
 * The load tools share the service's network, so that their packets go over its loopback interface: all bytes are seen there, but no file
 * of the kernel tells those to the service from those of the service. What it needs, and its other members, are not behind that interface.
 */
export function readings(
  { started, entry }: OwnContainer,
  load: Promise<StartedContainer>,
  beside: BesideInNetwork | undefined,
): () => Promise<Reading> {
  const serviceCounters = containerCounters(started);
  const loadCounters = load.then(containerCounters);
  // Whoever reads hears of it.
  loadCounters.catch(() => undefined);
  return async () => {
    const counters = await loadCounters;
    const [used, loadUsed, needsCpuSeconds, others] = await Promise.all([
      serviceCounters.read(),
      counters.read(),
      beside?.cpuSeconds(),
      Promise.all((beside?.members ?? []).map(async ({ need, used: read }) => [need.name, await read()] as const)),
    ]);
    const { isVisible } = serviceCounters;
    const network = isVisible ? networkCounters(started.pid) : undefined;
    const bytes = isVisible ? networkBytes(started.pid) : undefined;
    const { cpuSeconds, peakMemoryMiB } = used;
    const own: MemberCounters = { cpuSeconds, peakMemoryMiB, receivedBytes: bytes?.received, sentBytes: bytes?.sent };
    const all = [own, ...others.map(([, other]) => other)];
    return {
      atMs: Date.now(),
      service: {
        cpuSeconds: all.reduce((sum, one) => sum + one.cpuSeconds, 0),
        memoryMiB: used.memoryMiB,
        peakMemoryMiB: all.reduce((sum, one) => sum + one.peakMemoryMiB, 0),
        wireBytes: network?.loopbackBytes,
      },
      ...(entry !== undefined && { members: { [entry]: own, ...Object.fromEntries(others) } }),
      loadCpuSeconds: loadUsed.cpuSeconds,
      ...(needsCpuSeconds !== undefined && { needsCpuSeconds }),
      host: {
        ...hostCpu(),
        listenOverflows: network?.listenOverflows ?? 0,
        timeWaitSockets: network?.timeWaitSockets ?? 0,
      },
    };
  };
}
