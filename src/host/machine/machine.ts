import { existsSync, statfsSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, release, tmpdir, totalmem } from 'node:os';
import { EnvironmentError } from '../../foundation/errors.ts';
import { plainText } from '../../foundation/text.ts';
import type { RunnerFingerprint } from '../../model/runner.ts';
import { runChild } from '../child.ts';
import { readProc } from '../files/reader.ts';
import { bootId, hostCpu } from './proc.ts';

/** Throws EnvironmentError if this is no Linux: elsewhere programs cannot be kept to cores, nor their counters be read. */
export function checkSystem(platform: NodeJS.Platform = process.platform): void {
  if (platform !== 'linux') {
    throw new EnvironmentError(`Wiregauge measures only on Linux, and this is ${SYSTEMS[platform] ?? platform}`, {
      code: 'WG-208',
      next: 'In a workflow, use `runs-on: ubuntu-24.04`; elsewhere, use a Linux virtual machine.',
    });
  }
}

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'macOS', win32: 'Windows' };

/** The first core that this program may use for the service, the next one for the load tool, and the others; one for both if there is but one. */
export function chooseCores(): Cores {
  const [service = 0, load = service, ...further] = coresOf(ownCores());
  return { service, load, further };
}

/** The cores that this program may use now, as a kernel list. */
function ownCores(): string {
  return /^Cpus_allowed_list:\s*(\S+)$/m.exec(readProc('/proc/self/status') ?? '')?.[1] ?? '0';
}

/** The numbers in a kernel list of cores, like "0-3,8". */
export function coresOf(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/**
 * Keeps this program to the load tool's core until it is disposed of, so that reading counters takes no time from the service. Children that are
 * started meanwhile inherit it unless they are given a core of their own. Afterwards the program has the cores that it had before: a second
 * measurement of the same program would else find a single core, for the service and the load tool together.
 */
export async function keepToLoadCore({ service, load }: Cores, log: (line: string) => void): Promise<AsyncDisposable> {
  const before = ownCores();
  if (service !== load && !(await moveTo(String(load)))) {
    log(
      'Wiregauge cannot be kept off the core of the service (taskset): its readings take a little time from the service',
    );
  }
  return {
    [Symbol.asyncDispose]: async () => {
      if (ownCores() !== before && !(await moveTo(before))) {
        log(`Wiregauge cannot return to the cores ${before} (taskset): start it again to measure again`);
      }
    },
  };
}

/** All threads of this program, to the cores of a kernel list. */
async function moveTo(list: string): Promise<boolean> {
  const argv = ['taskset', '--all-tasks', '--cpu-list', '--pid', list, String(process.pid)];
  const end = await runChild({ argv, cwd: '/', environment: process.env }, { limitSeconds: 10 }).catch(() => undefined);
  return end?.exitCode === 0;
}

const MIB = 2 ** 20;

/** What can be read of this machine without measuring; undefined is what it does not tell. */
export function readMachineFacts() {
  const { cpuModel, cores, cgroup } = readRunner(chooseCores());
  const meminfo = readProc('/proc/meminfo') ?? '';
  const kib = /^MemAvailable:\s*(\d+) kB$/m.exec(meminfo)?.[1];
  const range = /^(\d+)\s/.exec(readProc('/proc/sys/net/ipv4/ip_local_port_range') ?? '')?.[1];
  return {
    cpuModel,
    cores,
    governor: readProc('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor')?.trim(),
    stealShare: stealShare(),
    cgroup,
    freeMemoryMiB: kib === undefined ? undefined : Number(kib) / 1024,
    temporaryFolder: tmpdir(),
    freeDiskMiB: freeDiskMiB(tmpdir()),
    lowestOutgoingPort: range === undefined ? undefined : Number(range),
  };
}

function stealShare(): number | undefined {
  const uptime = Number(/^([\d.]+)/.exec(readProc('/proc/uptime') ?? '')?.[1]);
  const count = (readProc('/proc/stat') ?? '').match(/^cpu\d+ /gm)?.length ?? 0;
  return uptime > 0 && count > 0 ? hostCpu().stealSeconds / (uptime * count) : undefined;
}

/** Free space in a folder, in MiB; undefined if it cannot be seen. */
export function freeDiskMiB(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return (bavail * bsize) / MIB;
  } catch {
    return undefined;
  }
}

/** The machine that this program runs on; cores are those it may use. `engine` is the version of a container engine in use. */
export function readRunner(
  cores: Cores,
  engine?: string,
  environment: NodeJS.ProcessEnv = process.env,
): RunnerFingerprint {
  return {
    cpuModel: cpus()[0]?.model.trim() || 'unknown',
    cores: availableParallelism(),
    memoryMiB: Math.round(totalmem() / 2 ** 20),
    platform: `${platform()}-${arch()}`,
    kernel: release(),
    node: process.version,
    cgroup: cgroupVersion(),
    engine,
    image: imageOf(environment),
    serviceCore: cores.service,
    loadCore: cores.load,
  };
}

const LONGEST_IMAGE = 200;

/** GitHub's runners say it in variables; what a self-hosted one says there is as good. */
function imageOf({ GITHUB_ACTIONS, ImageOS, ImageVersion }: NodeJS.ProcessEnv): string | undefined {
  const parts = [ImageOS, ImageVersion].filter((part) => part !== undefined && part !== '');
  return GITHUB_ACTIONS !== 'true' || parts.length === 0
    ? undefined
    : plainText(parts.join('-'), LONGEST_IMAGE) || undefined;
}

/** What changes when a virtual machine is moved or started again in mid-job: the boot and the CPU model. */
export function machineIdentity(): string {
  return `${cpus()[0]?.model.trim() ?? 'unknown CPU'} (boot ${bootId()})`;
}

// In the hybrid layout the controllers are v1's, and the v2 tree lies in a folder of its own.
function cgroupVersion(): RunnerFingerprint['cgroup'] {
  if (existsSync('/sys/fs/cgroup/cgroup.controllers')) {
    return 'v2';
  }
  return existsSync('/sys/fs/cgroup/cpuacct') ? 'v1' : 'none';
}

/** The cores that the service and the load tool are kept to, by their number; what a service needs runs beside the load tool. */
export interface Cores {
  readonly service: number;
  readonly load: number;
  /** The others that this program may use: only members that ask for cores of their own are kept to them. */
  readonly further?: readonly number[] | undefined;
}
