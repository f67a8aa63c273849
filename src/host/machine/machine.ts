import { existsSync, statfsSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, release, tmpdir, totalmem } from 'node:os';
import { EnvironmentError, ifPossible } from '../../foundation/errors.ts';
import { plainText } from '../../foundation/text.ts';
import type { RunnerFingerprint } from '../../model/runner.ts';
import { runChild } from '../child.ts';
import { readProc } from '../files/reader.ts';
import { bootId, hostCpu, processTree, threadsOf } from './proc.ts';

/** Throws EnvironmentError on other systems than Linux, which have neither CPU affinity nor the required counters. */
export function checkSystem(platform: NodeJS.Platform = process.platform): void {
  if (platform !== 'linux') {
    throw new EnvironmentError(`Wiregauge measures only on Linux, and this is ${SYSTEMS[platform] ?? platform}`, {
      code: 'WG-208',
      next: 'In a workflow, use `runs-on: ubuntu-24.04`; elsewhere, use a Linux virtual machine.',
    });
  }
}

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'macOS', win32: 'Windows' };

/** Cores for the service and the load tool: the first and second that this program may use, or one for both if there is only one. */
export function chooseCores(): Cores {
  const [service = 0, load = service, ...further] = coresOf(ownCores());
  return { service, load, further };
}

function ownCores(): string {
  return CORES.exec(readProc('/proc/self/status') ?? '')?.[1] ?? '0';
}

const CORES = /^Cpus_allowed_list:\s*(\S+)$/m;

/** Numbers in a kernel list of cores, such as "0-3,8". */
export function coresOf(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** Pins this program, and children, to the load tool's core until it is disposed of: reading counters takes time. */
export async function keepToLoadCore(
  { serviceCore, loadCore }: Pick<RunnerFingerprint, 'serviceCore' | 'loadCore'>,
  log: (line: string) => void,
): Promise<AsyncDisposable> {
  const before = ownCores();
  if (serviceCore !== loadCore && !(await moveTo(String(loadCore)))) {
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

export function allCores({ service, load, further = [] }: Cores): readonly number[] {
  return [...new Set([service, load, ...further])];
}

/** Pins all threads of a program to the cores of a kernel list; returns whether that succeeded. */
async function moveTo(list: string, pid = process.pid): Promise<boolean> {
  const argv = ['taskset', '--all-tasks', '--cpu-list', '--pid', list, String(pid)];
  const end = await runChild({ argv, cwd: '/', environment: process.env }, { limitSeconds: 10 }).catch(() => undefined);
  return end?.exitCode === 0;
}

/** A thread that starts while others are pinned may have the cores of before. */
const MAX_PINNINGS = 20;

/** Pins all threads of a process and its descendants to cores. Throws EnvironmentError if that fails. */
export async function pinTree(pid: number, cores: readonly number[]): Promise<void> {
  const list = cores.join(',');
  const strays = () => processTree(pid).filter((one) => !isPinned(one.pid, cores));
  for (let pinnings = 0; strays().length > 0; pinnings += 1) {
    if (pinnings === MAX_PINNINGS) {
      throw new EnvironmentError(`process ${pid} cannot be pinned to the cores ${list}`, {
        code: 'WG-213',
        next: 'Install util-linux, which has taskset, or measure with --runtime docker.',
      });
    }
    for (const stray of strays()) {
      await moveTo(list, stray.pid);
    }
  }
}

function isPinned(pid: number, cores: readonly number[]): boolean {
  const required = cores.toSorted((left, right) => left - right).join(',');
  return threadsOf(pid).every((thread) => {
    const status = readProc(`/proc/${pid}/task/${thread}/status`) ?? '';
    const [, list = required] = CORES.exec(status) ?? [];
    return coresOf(list).join(',') === required;
  });
}

const MIB = 2 ** 20;

/** Facts about this machine that need no measurement; undefined ones are not available. */
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

/** Vendor and product of the virtual machine, "unnamed" if it does not name itself, "none" on bare metal. Text from outside. */
export function hypervisor(): string {
  if (!/^flags\s*:.*\bhypervisor\b/m.test(readProc('/proc/cpuinfo') ?? '')) {
    return 'none';
  }
  const names = ['sys_vendor', 'product_name'].map((file) => readProc(`/sys/class/dmi/id/${file}`)?.trim() ?? '');
  return names.filter((name) => name !== '').join(' ') || 'unnamed';
}

export function freeDiskMiB(folder: string): number | undefined {
  const disk = ifPossible(() => statfsSync(folder));
  return disk && (disk.bavail * disk.bsize) / MIB;
}

/** Machine that this program runs on, with the cores that it may use. `engine` is the version of the container engine in use. */
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

/** Image in the variables of GitHub's runners; self-hosted runners may set them, too. */
function imageOf({ GITHUB_ACTIONS, ImageOS, ImageVersion }: NodeJS.ProcessEnv): string | undefined {
  const parts = [ImageOS, ImageVersion].filter((part) => part !== undefined && part !== '');
  return GITHUB_ACTIONS !== 'true' || parts.length === 0
    ? undefined
    : plainText(parts.join('-'), LONGEST_IMAGE) || undefined;
}

/** Identity of the machine, which changes if a virtual machine is migrated or restarted: CPU model and boot. */
export function machineIdentity(): string {
  return `${cpus()[0]?.model.trim() ?? 'unknown CPU'} (boot ${bootId()})`;
}

// In the hybrid layout the controllers are v1, and the v2 tree is in a folder of its own.
function cgroupVersion(): RunnerFingerprint['cgroup'] {
  if (existsSync('/sys/fs/cgroup/cgroup.controllers')) {
    return 'v2';
  }
  return existsSync('/sys/fs/cgroup/cpuacct') ? 'v1' : 'none';
}

/** Cores of the service and the load tool; members of a service share the core of the load tool. */
export interface Cores {
  readonly service: number;
  readonly load: number;
  /** Other cores that this program may use, for members that request cores of their own. */
  readonly further?: readonly number[] | undefined;
}
