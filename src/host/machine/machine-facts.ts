import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { chooseCores } from './cores.ts';
import { hostCpu, readProc } from './proc.ts';
import { readRunner } from './runner.ts';

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

/** Free space in a folder, in MiB; undefined where it cannot be seen. */
export function freeDiskMiB(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return (bavail * bsize) / MIB;
  } catch {
    return undefined;
  }
}
