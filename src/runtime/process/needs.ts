import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../foundation/errors.ts';
import { onDisk } from '../../host/files/output.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import { treeCpuSeconds } from '../../host/machine/proc.ts';
import type { Need } from '../../model/service.ts';
import { type NeedPlace, programEnvironment } from '../../model/service.ts';
import type { RunningNeed } from '../ready.ts';
import { COUNTED_MEMORY } from '../valgrind/valgrind.ts';
import { type ProgramProcess, startProgram } from './program.ts';
import { type Counting, countedEnvironment, onCore, type Site } from './site.ts';

const GRACE_MS = 2000;
const WATCH_MS = 1000;
const LOG_LINES = 20;

export interface NeedSite {
  readonly site: Site;
  /** These go first on their PATH. */
  readonly folders: readonly string[];
}

/** Something that a service needs, or one of its members, as a plain process. */
export interface NeedProcess extends RunningNeed {
  readonly process: ProgramProcess;
}

export interface NeedProcessStart {
  readonly need: Need;
  readonly family?: 'members';
  /** For a member that is counted; undefined: nothing of it is. */
  readonly counting?: Counting | undefined;
  /** For a member; a need runs on that of the load tool. */
  readonly core?: number;
}

/** Starts a need, or a member, with an empty folder. Throws ConfigError without a command. */
export async function startNeedProcess(
  { site: usual, folders }: NeedSite,
  { need, family, counting, core }: NeedProcessStart,
  places: readonly NeedPlace[],
): Promise<NeedProcess> {
  const site = counting?.site ?? usual;
  const { owner, lookups } = site.options;
  if (need.process === undefined) {
    throw new ConfigError(`${need.name}: has no command to start it as a plain process`, {
      code: 'WG-116',
      next: `Set \`${family ?? 'needs'}.${need.name}.process\`, or measure in containers with --runtime docker.`,
    });
  }
  const folder = await ownedFolder(owner);
  const data = join(folder, 'data');
  try {
    await onDisk(data, () => mkdir(data));
    const environment = { ...programEnvironment(need, places, lookups), DATA: data };
    const { command } = need.process;
    const before = beforeOf(site, core, counting);
    const start = { site, program: need, command, before, folders, environment };
    const counted = counting && {
      before: [...before, ...counting.beforeOf(need.name)],
      environment: countedEnvironment(environment, counting),
      memoryFactor: COUNTED_MEMORY,
      isCounted: true,
    };
    const graceMs = counting === undefined ? GRACE_MS : 0;
    return running({ need, family, process: await startProgram({ ...start, ...counted }), folder, graceMs });
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    throw thrown;
  }
}

/** On its core: that of the load tool for a need, and that of the service for a member that is counted. */
function beforeOf(site: Site, core: number | undefined, counting: Counting | undefined): readonly string[] {
  if (core === undefined) {
    return site.onLoadCore;
  }
  return counting === undefined ? onCore(site, core) : site.onServiceCore;
}

interface Started {
  readonly need: Need;
  readonly family: NeedProcessStart['family'];
  readonly process: ProgramProcess;
  readonly folder: string;
  /** Between the request to end and the forced end: the last files of a counted program take seconds and are not needed. */
  readonly graceMs: number;
}

function running({ need, family, process, folder, graceMs }: Started): NeedProcess {
  const watch = setInterval(() => process.sample(), WATCH_MS).unref();
  return {
    need,
    process,
    place: { name: need.name, host: '127.0.0.1', port: process.port, ports: process.ports, ...(family && { family }) },
    ownPort: process.port,
    ended: process.ended,
    cpuSeconds: async () => treeCpuSeconds(process.pid),
    logs: async () => process.lastLines(LOG_LINES),
    tries: (command) => process.tries(command),
    async [Symbol.asyncDispose]() {
      clearInterval(watch);
      await process.stop(graceMs);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
