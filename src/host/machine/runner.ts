import { existsSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { plainText } from '../../foundation/plain-text.ts';
import type { RunnerFingerprint } from '../../model/runner.ts';
import type { Cores } from '../../runtime/ports.ts';
import { readProc } from './proc.ts';

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
  const boot = readProc('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown boot';
  return `${cpus()[0]?.model.trim() ?? 'unknown CPU'} (boot ${boot})`;
}

// In the hybrid layout the controllers are v1's, and the v2 tree lies in a folder of its own.
function cgroupVersion(): RunnerFingerprint['cgroup'] {
  if (existsSync('/sys/fs/cgroup/cgroup.controllers')) {
    return 'v2';
  }
  return existsSync('/sys/fs/cgroup/cpuacct') ? 'v1' : 'none';
}
