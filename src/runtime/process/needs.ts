import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onDisk } from '../../host/files/output.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import { treeCpuSeconds } from '../../host/machine/proc.ts';
import { type Need, type NeedPlace, programEnvironment } from '../../model/service.ts';
import { managedEnvironment } from '../needs.ts';
import type { RunningNeed } from '../ready.ts';
import { type ProgramProcess, type ProgramStart, startProgram } from './program.ts';

const GRACE_MS = 2000;
const WATCH_MS = 1000;
const LOG_LINES = 20;

/** Need or member of a service. */
export interface NeedProcess extends RunningNeed {
  /** Undefined if it runs in a container. */
  readonly process?: ProgramProcess;
}

export interface NeedProcessStart extends Omit<ProgramStart, 'program' | 'environment'> {
  readonly need: Need;
  readonly family: NeedPlace['family'];
}

/** Starts a need, or a member, with an empty folder. */
export async function startNeedProcess(
  { need, family, ...start }: NeedProcessStart,
  places: readonly NeedPlace[],
): Promise<NeedProcess> {
  const { owner, lookups } = start.site.options;
  const folder = await ownedFolder(owner);
  const data = join(folder, 'data');
  try {
    await onDisk(data, () => mkdir(data));
    const own = { ...programEnvironment(need, places, lookups), DATA: data };
    const environment = managedEnvironment(own, { compiler: need.compiler });
    const process = await startProgram({ ...start, program: need, environment });
    const { port, ports, pid } = process;
    const watch = setInterval(() => process.sample(), WATCH_MS).unref();
    return {
      need,
      process,
      place: { name: need.name, host: '127.0.0.1', port, ports, ...(family && { family }) },
      ownPort: port,
      ended: process.ended,
      used: async () => ({ cpuSeconds: treeCpuSeconds(pid), peakMemoryMiB: process.peakMemoryMiB }),
      logs: async () => process.lastLines(LOG_LINES),
      tries: (command) => process.tries(command),
      async [Symbol.asyncDispose]() {
        clearInterval(watch);
        await process.stop(GRACE_MS);
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    throw thrown;
  }
}
