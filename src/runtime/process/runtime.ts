import { lstat, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { runChild } from '../../host/child.ts';
import { onDisk } from '../../host/files/output.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import { markDescendants } from '../../host/machine/descendants.ts';
import { readRunner } from '../../host/machine/machine.ts';
import { endProcessesOf } from '../../host/machine/orphans.ts';
import { listenersOn } from '../../host/machine/ports.ts';
import { hostCpu, networkCounters, processStat, treeCounters } from '../../host/machine/proc.ts';
import { programsOf, type Service } from '../../model/service.ts';
import { Cleanups, StartedServices } from '../cleanups.ts';
import type { NeedContainers } from '../docker/needs.ts';
import { controlLoop } from '../driver/control.ts';
import { DRIVER } from '../driver/source.ts';
import { metricsPages } from '../metrics-page.ts';
import { KeptNeeds } from '../needs.ts';
import type { CountDetail, CountingRuntime, RunningService, Runtime, RuntimeOptions } from '../port.ts';
import {
  ASKING_OPTIONS,
  countedPrograms,
  countingOptions,
  countingRuntime,
  countsOfAll,
  countsPrinted,
  DUMP_SECONDS,
  STEADY_NODE,
} from '../valgrind/valgrind.ts';
import { buildServices } from './build.ts';
import { binaryBytes, builtFiles } from './files.ts';
import { loadPost } from './load.ts';
import type { NeedProcess } from './needs.ts';
import { type ServiceOptions, startProcessService } from './service.ts';
import { openSite, type Site } from './site.ts';

/** Runtimes by owner: base and head are two runtimes of one owner. */
const openRuntimes = new Map<string, { count: number; readonly marking: Disposable }>();

/** Builds services in the repository and starts them as plain processes, each on its core; `containers` are for needs that run in them. */
export async function processRuntime(options: RuntimeOptions, containers?: NeedContainers): Promise<Runtime> {
  const { root, cores, reason, owner, log } = options;
  const site = await openSite(options);
  const running = new StartedServices();
  const kept = new KeptNeeds<NeedProcess>();
  const files = builtFiles(root);
  let folders: readonly string[] = [];
  let isClosed = false;
  const open = openRuntimes.get(owner) ?? { count: 0, marking: markDescendants(owner) };
  open.count += 1;
  openRuntimes.set(owner, open);
  const startHere = async (service: Service, how: ServiceOptions) =>
    running.add(await startProcessService({ site, folders, kept, containers }, service, how));
  return {
    name: 'process',
    reason,
    runner: readRunner(cores),
    async prepare(services, signal) {
      logUnheld(services, log);
      await containers?.prepare(services, signal);
      folders = await buildServices(site, services, signal);
    },
    start: async (service, signal, isRelayed = false) =>
      service.address === undefined
        ? await startHere(service, { signal, isRelayed })
        : running.add(attachService(site, service)),
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
      cleanups.use(running);
      await cleanups[Symbol.asyncDispose]();
    },
  };
}

/** A plain process is limited to its core and its memory is watched, but it cannot be limited to a part of the core. */
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

/** The load tool of the other counted service has priority on its core: a program that waits for a request sleeps, which costs system calls. */
const LAST_IN_LINE: readonly string[] = ['nice', '-n', '19'];

/** Starts plain processes under Valgrind, with the starter for those without it. */
function countingProcesses(
  site: Site,
  start: (service: Service, options: ServiceOptions) => Promise<RunningService>,
): CountingRuntime {
  const { owner, tools } = site.options;
  return countingRuntime(async (service, valgrind, { signal, exchangesCores = false, ...mode }) => {
    const folder = await ownedFolder(owner);
    const own = (program: string) => join(folder, 'counts', program);
    const names = countedPrograms(service);
    const remove = async () => {
      await Promise.all(names.map((name) => removeMaps(own(name))));
      await rm(folder, { recursive: true, force: true });
    };
    const driver = join(tools.folder, DRIVER);
    const launcher = [...LAST_IN_LINE, ...valgrind.before, 'env', `VALGRIND_LIB=${valgrind.tools}`, driver];
    const beforeOf = (program: string) => [...launcher, ...countingOptions(own(program), mode)];
    const programs = join(folder, 'programs');
    const counts = (detail: CountDetail = 'counts') =>
      countsOfAll(service, async (program, title) => {
        const argv = [driver, detail, own(program), valgrind.vgdb, ...ASKING_OPTIONS];
        const end = await runChild({ argv, cwd: '/', environment: process.env }, { limitSeconds: DUMP_SECONDS });
        return countsPrinted({ exitCode: end.exitCode, printed: end.lastLines }, title);
      });
    const placed = exchangesCores ? { ...site, onServiceCore: site.onLoadCore, onLoadCore: site.onServiceCore } : site;
    try {
      await onDisk(folder, async () => {
        await Promise.all([programs, ...names.map(own)].map((one) => mkdir(one, { recursive: true })));
        await symlink(driver, join(programs, STEADY_NODE));
      });
      return await start(service, { signal, counting: { site: placed, beforeOf, programs, mode, counts, remove } });
    } catch (thrown) {
      await remove();
      throw thrown;
    }
  });
}

async function removeMaps(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const programs = new Set(names.flatMap((name) => /^counts\.(\d+)/.exec(name)?.[1] ?? []));
  for (const map of [...programs].map((program) => `/tmp/perf-${program}.map`)) {
    const found = await lstat(map).catch(() => undefined);
    if (found?.isFile() && found.uid === process.getuid?.()) {
      await rm(map, { force: true });
    }
  }
}

const WATCH_MS = 500;

/** Service that already runs here, without limits. CPU time and memory are those of the listening programs, if visible. */
export function attachService(site: Site, service: Service): RunningService {
  const { name, port, address = '' } = service;
  const loads = loadPost(site);
  const before = networkCounters('self').loopbackBytes;
  let pids: readonly number[] = [];
  let peakMemoryMiB = 0;
  let watch: NodeJS.Timeout | undefined;
  return {
    ...{ address, loadAddress: address },
    pages: metricsPages(service, address),
    ended: new Promise((resolve) => {
      watch = setInterval(() => {
        // Only if programs were seen: others may end without a trace.
        if (pids.length > 0 && pids.every((pid) => processStat(pid) === undefined)) {
          resolve({ of: 'listener', how: `nothing listens at ${address} any longer` });
        }
      }, WATCH_MS).unref();
    }),
    async reading() {
      // Searched again until found, since the service may be about to start.
      pids = pids.length === 0 ? listenersOn(port) : pids;
      const cpu = await loads.cpuSeconds(pids);
      const isSeen = pids.length > 0;
      const atMs = Date.now();
      const memoryMiB = pids.reduce((total, pid) => total + treeCounters(pid).memoryMiB, 0);
      peakMemoryMiB = Math.max(peakMemoryMiB, memoryMiB);
      const { loopbackBytes, listenOverflows, timeWaitSockets } = networkCounters('self');
      loads.endOver(site.options.limits.memoryMiB);
      return {
        atMs,
        service: {
          cpuSeconds: isSeen ? cpu.service : undefined,
          memoryMiB: isSeen ? memoryMiB : undefined,
          peakMemoryMiB: isSeen ? peakMemoryMiB : undefined,
          // All programs share the interface: other traffic on it meanwhile counts, too.
          wireBytes: loopbackBytes - before,
        },
        loadCpuSeconds: cpu.load,
        host: { ...hostCpu(), listenOverflows, timeWaitSockets },
      };
    },
    play: loads.play,
    logs: async () => '',
    tries: async () => `${name} was not started by Wiregauge, so no command can run next to it`,
    async [Symbol.asyncDispose]() {
      clearInterval(watch);
      await loads[Symbol.asyncDispose]();
    },
  };
}
