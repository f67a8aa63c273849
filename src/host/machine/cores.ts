import { EnvironmentError } from '../../foundation/errors.ts';
import type { Cores } from '../../runtime/ports.ts';
import { runChild } from '../child.ts';
import { readProc } from './proc.ts';

/** Throws EnvironmentError where this is no Linux: elsewhere programs cannot be kept to cores, nor their counters be read. */
export function checkSystem(platform: NodeJS.Platform = process.platform): void {
  if (platform !== 'linux') {
    throw new EnvironmentError(`Wiregauge measures on Linux only, and this is ${SYSTEMS[platform] ?? platform}`, {
      next: 'In a workflow: `runs-on: ubuntu-24.04`; elsewhere a virtual machine with Linux does.',
    });
  }
}

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'macOS', win32: 'Windows' };

/** The first core that this program may use for the service, the next one for the load tool; one for both where there is but one. */
export function chooseCores(): Cores {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readProc('/proc/self/status') ?? '')?.[1];
  const [service = 0, load = service] = coresOf(list ?? '0');
  return { service, load };
}

/** The numbers in a kernel list of cores, like "0-3,8". */
export function coresOf(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/**
 * Keeps this program to the load tool's core, so that reading counters takes no time from the service. Children that are
 * started later inherit it unless they are given a core of their own.
 */
export async function keepToLoadCore({ service, load }: Cores, log: (line: string) => void): Promise<void> {
  if (service === load) {
    return;
  }
  const argv = ['taskset', '--all-tasks', '--cpu-list', '--pid', String(load), String(process.pid)];
  const end = await runChild({ argv, cwd: '/', environment: process.env }, { limitSeconds: 10 }).catch(() => undefined);
  if (end?.exitCode !== 0) {
    log(
      'this program cannot be kept off the core of the service (taskset): its readings cost the service a little time',
    );
  }
}
