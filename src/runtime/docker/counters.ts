import type { Container, ContainerStats } from 'dockerode';
import { ifPossible, MeasurementError, messageOf } from '../../foundation/errors.ts';
import { readBytes, readProc } from '../../host/files/reader.ts';
import type { StartedContainer } from './container.ts';

export interface ContainerCounters {
  /** True if the kernel's files about its processes are readable here: not for an engine in a virtual machine. */
  readonly isVisible: boolean;
  /** Throws MeasurementError once the container has ended. */
  read(): Promise<CgroupCounters & { readonly peakMemoryMiB: number }>;
}

const MIB = 2 ** 20;

/** Counters of a container, from its control group's files if readable, else from the engine. */
export function containerCounters({ container, pid }: Pick<StartedContainer, 'container' | 'pid'>): ContainerCounters {
  const readGroup = cgroupOf(pid, container.id);
  let highestMiB = 0;
  return {
    isVisible: readGroup !== undefined,
    async read() {
      try {
        const now = readGroup === undefined ? await readEngine(container) : readGroup();
        // Without a recorded peak, the highest of the readings is used, which may miss a short one.
        highestMiB = Math.max(highestMiB, now.peakMemoryMiB ?? now.memoryMiB);
        return { ...now, peakMemoryMiB: highestMiB };
      } catch (cause) {
        throw new MeasurementError(`the counters of a container cannot be read: ${messageOf(cause)}`, {
          code: 'WG-402',
          cause,
          next: 'It has probably ended; check its last output.',
        });
      }
    },
  };
}

async function readEngine(container: Container): Promise<CgroupCounters> {
  const stats: ContainerStats = await container.stats({ stream: false, 'one-shot': true });
  const { usage, max_usage: peak, stats: details } = stats.memory_stats;
  if (usage === undefined) {
    throw new Error('the engine reports no memory figures');
  }
  return {
    cpuSeconds: stats.cpu_stats.cpu_usage.total_usage / 1e9,
    memoryMiB: usedMiB(usage, details.total_inactive_file ?? details.inactive_file ?? 0),
    // Only v1 has it.
    peakMemoryMiB: peak === undefined ? undefined : peak / MIB,
  };
}

export interface CgroupCounters {
  readonly cpuSeconds: number;
  /** Memory without the file cache that the kernel would reclaim first, as in `docker stats`. */
  readonly memoryMiB: number;
  /** Peak recorded by the kernel, including file cache; undefined with v2 before Linux 5.19, which records none. */
  readonly peakMemoryMiB: number | undefined;
}

/** Throws if the group is gone. */
type ReadCgroup = () => CgroupCounters;

export interface KernelFolders {
  readonly proc: string;
  readonly cgroup: string;
}

const KERNEL: KernelFolders = { proc: '/proc', cgroup: '/sys/fs/cgroup' };

/** Reader of the control group of a process; undefined if it is not visible here. Its path must contain `containing`: pids may belong to another machine. */
export function cgroupOf(pid: number, containing: string, kernel: KernelFolders = KERNEL): ReadCgroup | undefined {
  const membership = readProc(`${kernel.proc}/${pid}/cgroup`);
  if (membership === undefined) {
    return undefined;
  }
  const groups = parseMembership(membership).filter((group) => group.path.includes(containing));
  return [v1Group(groups, kernel), v2Group(groups, kernel)].find(
    (read) => read !== undefined && ifPossible(read) !== undefined,
  );
}

interface Membership {
  readonly controllers: readonly string[];
  readonly path: string;
}

// Lines "<hierarchy>:<controllers>:<path>" (cgroups(7)); v2 is hierarchy 0 without controllers.
function parseMembership(text: string): readonly Membership[] {
  return text.split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    return controllers === undefined || path === undefined
      ? []
      : [{ controllers: controllers.split(',').filter(Boolean), path }];
  });
}

function v1Group(groups: readonly Membership[], kernel: KernelFolders): ReadCgroup | undefined {
  const folderOf = (controller: string) => {
    const group = groups.find(({ controllers }) => controllers.includes(controller));
    return group && `${kernel.cgroup}/${controller}${group.path}`;
  };
  const cpu = folderOf('cpuacct');
  const memory = folderOf('memory');
  if (cpu === undefined || memory === undefined) {
    return undefined;
  }
  return () => ({
    cpuSeconds: readNumber(`${cpu}/cpuacct.usage`) / 1e9,
    memoryMiB: usedMiB(
      readNumber(`${memory}/memory.usage_in_bytes`),
      readField(`${memory}/memory.stat`, 'total_inactive_file'),
    ),
    peakMemoryMiB: readNumber(`${memory}/memory.max_usage_in_bytes`) / MIB,
  });
}

function v2Group(groups: readonly Membership[], kernel: KernelFolders): ReadCgroup | undefined {
  const path = groups.find(({ controllers }) => controllers.length === 0)?.path;
  if (path === undefined) {
    return undefined;
  }
  const folder = `${kernel.cgroup}${path}`;
  return () => ({
    cpuSeconds: readField(`${folder}/cpu.stat`, 'usage_usec') / 1e6,
    memoryMiB: usedMiB(readNumber(`${folder}/memory.current`), readField(`${folder}/memory.stat`, 'inactive_file')),
    peakMemoryMiB: peakOf(`${folder}/memory.peak`),
  });
}

/** Memory in use without the file cache that would be reclaimed first, in MiB. */
export function usedMiB(usedBytes: number, inactiveFileBytes: number): number {
  return Math.max(0, usedBytes - inactiveFileBytes) / MIB;
}

function peakOf(file: string): number | undefined {
  const text = readProc(file);
  return text === undefined ? undefined : asNumber(text.trim(), file) / MIB;
}

function readNumber(file: string): number {
  return asNumber(readBytes(file).toString('utf8').trim(), file);
}

function readField(file: string, name: string): number {
  const line = readBytes(file)
    .toString('utf8')
    .split('\n')
    .find((candidate) => candidate.startsWith(`${name} `));
  return asNumber(line?.slice(name.length + 1) ?? '', `${name} in ${file}`);
}

function asNumber(text: string, place: string): number {
  if (!/^\d+$/.test(text)) {
    throw new Error(`${place} is not a number: ${JSON.stringify(text)}`);
  }
  return Number(text);
}
