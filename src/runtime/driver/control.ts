import { join } from 'node:path';
import { EnvironmentError } from '../../foundation/errors.ts';
import { runChild } from '../../host/child.ts';
import { OWNER_VARIABLE } from '../../host/machine/proc.ts';
import { plantSize } from '../../model/run/plant.ts';
import type { ProgramLimits, Service } from '../../model/service.ts';
import type { Limits, LoadTools, RuntimeOptions } from '../port.ts';
import { DRIVER } from './source.ts';

// It takes 150 ms on an idle core.
const LIMIT_SECONDS = 30;

/** Wall time in ms of a fixed CPU loop (tools/load) on the service core, including the effect of other programs there. */
export async function controlLoop(
  { tools, cores, owner }: Pick<RuntimeOptions, 'tools' | 'cores' | 'owner'>,
  signal: AbortSignal,
): Promise<number> {
  const argv = ['taskset', '-c', String(cores.service), join(tools.folder, DRIVER), 'control'];
  const environment = { PATH: process.env['PATH'], [OWNER_VARIABLE]: owner };
  const end = await runChild({ argv, cwd: '/', environment }, { signal, limitSeconds: LIMIT_SECONDS });
  if (end.exitCode !== 0 || !/^\d+$/.test(end.lastLines)) {
    const why = end.timedOut ? `it took more than ${LIMIT_SECONDS} s` : end.lastLines;
    throw new EnvironmentError(`the control loop cannot run on core ${cores.service}: ${why}`, {
      code: 'WG-213',
      next: 'Check which cores Wiregauge may use: `taskset -cp $$`.',
    });
  }
  return Number(end.lastLines) / 1e6;
}

/** Limits of the load tools of a service: the same memory, since long responses take memory on both sides. */
export function loadLimits(usual: Limits, service: ProgramLimits | undefined): Limits {
  return { ...usual, memoryMiB: Math.max(usual.memoryMiB, service?.memoryMiB ?? 0) };
}

export type PlantedService = Pick<Service, 'plant'>;

/** Prefix of the command of a service with a planted slowdown; empty without one. */
export function plantCommand({ plant }: PlantedService, { folder }: Pick<LoadTools, 'folder'>): readonly string[] {
  return plant === undefined ? [] : [join(folder, DRIVER), 'plant', plantSize(plant)];
}
