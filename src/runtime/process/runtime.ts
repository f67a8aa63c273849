import { markDescendants } from '../../host/machine/descendants.ts';
import { readRunner } from '../../host/machine/machine.ts';
import { endProcessesOf } from '../../host/machine/orphans.ts';
import { programsOf, type Service } from '../../model/service.ts';
import { allOf, Cleanups } from '../cleanups.ts';
import type { NeedContainers } from '../docker/needs.ts';
import { controlLoop } from '../driver/control.ts';
import { KeptNeeds } from '../needs.ts';
import type { RunningService, Runtime, RuntimeOptions } from '../port.ts';
import { attachService } from './attached.ts';
import { buildServices } from './build.ts';
import { countingProcesses } from './counting.ts';
import { binaryBytes, builtFiles } from './files.ts';
import type { NeedProcess } from './needs.ts';
import { type ServiceOptions, startProcessService } from './service.ts';
import { openSite } from './site.ts';

/** Base and head are two runtimes of one owner. */
const openRuntimes = new Map<string, { count: number; readonly marking: Disposable }>();

export interface ProcessRuntimeOptions extends RuntimeOptions {
  /** For services whose needs run in containers; undefined if there are none. */
  readonly containers?: NeedContainers | undefined;
}

/** Builds services in the repository and starts them as plain processes, each on its core. */
export async function processRuntime({ containers, ...options }: ProcessRuntimeOptions): Promise<Runtime> {
  const { root, cores, reason, owner, log } = options;
  const site = await openSite(options);
  const started = new Set<RunningService>();
  const kept = new KeptNeeds<NeedProcess>();
  const files = builtFiles(root);
  let folders: readonly string[] = [];
  let isClosed = false;
  const open = openRuntimes.get(owner) ?? { count: 0, marking: markDescendants(owner) };
  open.count += 1;
  openRuntimes.set(owner, open);
  const tracked = async (starting: Promise<RunningService>): Promise<RunningService> => {
    const running = await starting;
    started.add(running);
    return running;
  };
  const startHere = (service: Service, how: ServiceOptions) =>
    tracked(startProcessService({ site, folders, kept, containers }, service, how));
  return {
    name: 'process',
    reason,
    runner: readRunner(cores),
    async prepare(services, signal) {
      logUnheld(services, log);
      await containers?.prepare(services, signal);
      folders = await buildServices(site, services, signal);
    },
    start: (service, signal, isRelayed = false) =>
      service.address === undefined
        ? startHere(service, { signal, isRelayed })
        : tracked(Promise.resolve(attachService(site, service))),
    counting: countingProcesses(site, startHere),
    async built({ process: own }) {
      const bytes = binaryBytes(root, own?.command[0] ?? '');
      return [bytes === undefined ? files : { ...files, size: { bytes, layers: [] } }];
    },
    control: (signal) => controlLoop(options, signal),
    async [Symbol.asyncDispose]() {
      const cleanups = new Cleanups();
      cleanups.add(async () => {
        if (!isClosed) {
          isClosed = true;
          await endRuntime(options);
        }
      });
      cleanups.add(async () => await containers?.[Symbol.asyncDispose]());
      cleanups.use(kept);
      const running = [...started];
      started.clear();
      cleanups.add(() => allOf(running.map((one) => one[Symbol.asyncDispose]())));
      await cleanups[Symbol.asyncDispose]();
    },
  };
}

/** A plain process keeps to its core and its memory is watched, but nothing gives it only a part of the core. */
function logUnheld(services: readonly Service[], log: (line: string) => void): void {
  for (const { name, limits } of programsOf(services).filter(({ limits: own }) => (own?.cpus ?? 1) < 1)) {
    log(`${name}: limits.cpus (${limits?.cpus}) applies only in containers; a plain process gets a whole core`);
  }
}

async function endRuntime({ owner, log }: RuntimeOptions): Promise<void> {
  const open = openRuntimes.get(owner);
  if (open === undefined) {
    return;
  }
  open.count -= 1;
  if (open.count === 0) {
    openRuntimes.delete(owner);
    open.marking[Symbol.dispose]();
    await endProcessesOf(owner, log);
  }
}
