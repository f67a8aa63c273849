import { join } from 'node:path';
import { EnvironmentError } from '../foundation/errors.ts';
import { runChild } from '../host/child.ts';
import { OWNER_VARIABLE } from '../host/machine/orphans.ts';
import { DRIVER } from '../load/driver/driver-source.ts';
import type { RuntimeOptions } from './ports.ts';

// It takes 150 ms on a core of its own.
const LIMIT_SECONDS = 30;

/**
 * Wall time in ms of a fixed CPU loop (tools/load) on the service core, with whatever else runs there. An abort ends it and
 * rejects with the signal's reason. Throws EnvironmentError where it cannot be run on that core.
 */
export async function controlLoop(
  { tools, cores, owner }: Pick<RuntimeOptions, 'tools' | 'cores' | 'owner'>,
  signal: AbortSignal,
): Promise<number> {
  const argv = ['taskset', '-c', String(cores.service), join(tools.driverFolder ?? '', DRIVER), 'control'];
  const environment = { PATH: process.env['PATH'], [OWNER_VARIABLE]: owner };
  const end = await runChild({ argv, cwd: '/', environment }, { signal, limitSeconds: LIMIT_SECONDS });
  if (end.exitCode !== 0 || !/^\d+$/.test(end.lastLines)) {
    const why = end.timedOut ? `it took over ${LIMIT_SECONDS} s` : end.lastLines;
    throw new EnvironmentError(`the control loop cannot be run on core ${cores.service}: ${why}`, {
      next: 'See which cores this program may use with `taskset -cp $$`.',
    });
  }
  return Number(end.lastLines) / 1e6;
}
