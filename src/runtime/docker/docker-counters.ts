import type { Container, ContainerStats } from 'dockerode';
import { MeasurementError, messageOf } from '../../foundation/errors.ts';
import { type CgroupCounters, cgroupOf, usedMiB } from './cgroup.ts';
import type { StartedContainer } from './docker-container.ts';

/** Reads what a container has used. */
export interface ContainerCounters {
  /** Whether the kernel's files about its processes can be read from here: not so on an engine in a virtual machine. */
  readonly isVisible: boolean;
  /** Throws MeasurementError once the container has ended. */
  read(): Promise<CgroupCounters & { readonly peakMemoryMiB: number }>;
}

const MIB = 2 ** 20;

/** The counters of a container, from its control group's files where they can be read, else from the engine. */
export function containerCounters({ container, pid }: StartedContainer): ContainerCounters {
  const group = cgroupOf(pid, container.id);
  let highestMiB = 0;
  return {
    isVisible: group !== undefined,
    async read() {
      try {
        const now = group === undefined ? await readEngine(container) : group.read();
        // Where no peak is kept, the highest of the readings stands for it, which may miss a short one.
        highestMiB = Math.max(highestMiB, now.peakMemoryMiB ?? now.memoryMiB);
        return { ...now, peakMemoryMiB: highestMiB };
      } catch (cause) {
        throw new MeasurementError(`the counters of a container cannot be read: ${messageOf(cause)}`, {
          cause,
          next: 'It has probably ended; see what it printed last.',
        });
      }
    },
  };
}

async function readEngine(container: Container): Promise<CgroupCounters> {
  const stats: ContainerStats = await container.stats({ stream: false, 'one-shot': true });
  const { usage, max_usage: peak, stats: details } = stats.memory_stats;
  if (usage === undefined) {
    throw new Error('the engine gives no memory figures');
  }
  return {
    cpuSeconds: stats.cpu_stats.cpu_usage.total_usage / 1e9,
    memoryMiB: usedMiB(usage, details.total_inactive_file ?? details.inactive_file ?? 0),
    // Only v1 has it.
    peakMemoryMiB: peak === undefined ? undefined : peak / MIB,
  };
}
