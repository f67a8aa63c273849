import { escapedProcesses } from '../../host/machine/descendants.ts';
import { allCores, type Cores, pinTree } from '../../host/machine/machine.ts';
import { hostCpu, networkCounters, programName, treeCpuSeconds } from '../../host/machine/proc.ts';
import type { MemberCounters, Reading } from '../../model/runner.ts';
import { needsContainers, programEnvironment, type Service } from '../../model/service.ts';
import { type Cleanups, startWhole } from '../cleanups.ts';
import type { NeedContainers } from '../docker/needs.ts';
import { loadLimits, plantCommand } from '../driver/control.ts';
import { openRelay, RELAY_MODE, type Relay } from '../driver/relay.ts';
import { type Around, type KeptNeeds, managedEnvironment, memberCore, serviceCores, startAround } from '../needs.ts';
import type { RunningService } from '../port.ts';
import { readingOf } from '../reading.ts';
import { loadPost, startDriverProcess } from './load.ts';
import { type NeedProcess, startNeedProcess } from './needs.ts';
import { type ProgramProcess, startProgram } from './program.ts';
import { type Counting, onCore, type Site } from './site.ts';

const GRACE_MS = 3000;
const WATCH_MS = 1000;
const LOG_LINES = 400;

export interface ServiceSite {
  readonly site: Site;
  /** Folders that come first on their PATH. */
  readonly folders: readonly string[];
  readonly kept: KeptNeeds<NeedProcess>;
  readonly containers: NeedContainers | undefined;
}

/** Starts needs, other members, and the service on its core and a free port; leaves nothing behind on failure. */
export async function startProcessService(
  place: ServiceSite,
  service: Service,
  { signal, counting, isRelayed = false }: ServiceOptions = {},
): Promise<RunningService> {
  const { folders, kept } = place;
  const contained = needsContainers(service) ? place.containers : undefined;
  // Its needs keep their core.
  const site = counting?.site ?? place.site;
  const { cores, log, lookups, limits, tools } = site.options;
  return await startWhole({ name: service.name, log }, async (cleanups) => {
    cleanups.add(async () => await counting?.remove());
    const around = cleanups.use(
      await startAround<NeedProcess>(
        service,
        {
          kept,
          log,
          start: (need, places, family) => {
            if (contained !== undefined && family === undefined) {
              return contained.start(service.name, need, places);
            }
            const before = family ? onCore(site, memberCore(cores, service, need.name)) : place.site.onLoadCore;
            const counted = family && counting;
            return startNeedProcess({ need, family, site: place.site, counting: counted, before, folders }, places);
          },
          relay: isRelayed ? () => startRelay(site) : undefined,
        },
        signal,
      ),
    );
    const environment = programEnvironment(service, around.places, lookups);
    const measured = serviceCores(cores, service);
    const moves = counting === undefined && measured.length < allCores(cores).length;
    const loopbackBytes = networkCounters('self').loopbackBytes;
    const process = await startProgram({
      site,
      program: service,
      before: [...onCore(site, ...measured), ...plantCommand(service, tools)],
      counting,
      folders,
      environment: managedEnvironment(environment, { ...service, cores: moves ? measured.length : undefined }),
    });
    cleanups.add(() => process.stop(GRACE_MS));
    const loads = cleanups.use(loadPost(site));
    const onAllCores = moves ? () => movedToAll(process.pid, { cores, measured }) : undefined;
    const { memoryMiB } = loadLimits(limits, service.limits);
    const start = { service, site, process, onAllCores, memoryMiB, loopbackBytes, around, counting, loads, cleanups };
    return running(start);
  });
}

async function movedToAll(
  pid: number,
  { cores, measured }: { readonly cores: Cores; readonly measured: readonly number[] },
): Promise<AsyncDisposable> {
  const back = () => pinTree(pid, measured);
  try {
    await pinTree(pid, allCores(cores));
  } catch (thrown) {
    await back();
    throw thrown;
  }
  return { [Symbol.asyncDispose]: back };
}

function startRelay(site: Site): Promise<Relay> {
  const host = '127.0.0.1';
  const start = { folder: site.options.root, mode: [RELAY_MODE, host] };
  return openRelay((heard) => startDriverProcess(site, start, heard), host);
}

export interface ServiceOptions {
  /** Ends the wait for its needs. */
  readonly signal?: AbortSignal | undefined;
  readonly counting?: Counting | undefined;
  /** True if a relay counts calls to its needs and members. */
  readonly isRelayed?: boolean;
}

interface Start {
  readonly service: Service;
  readonly site: Site;
  readonly counting: Counting | undefined;
  readonly process: ProgramProcess;
  readonly onAllCores: RunningService['onAllCores'];
  /** Limit of the load driver. */
  readonly memoryMiB: number;
  /** Counter of the loopback interface before the start. */
  readonly loopbackBytes: number;
  readonly around: Around<NeedProcess>;
  readonly loads: ReturnType<typeof loadPost>;
  readonly cleanups: Cleanups;
}

function running(start: Start): RunningService {
  const { site, process, around, counting, loads, onAllCores, cleanups } = start;
  const { pid, startedAtMs, ended } = process;
  const address = `127.0.0.1:${process.port}`;
  let sampledMs = 0;
  const sampleMemory = (): number => {
    const { cpuSeconds, memoryMiB } = process.sample();
    loads.note(pid, cpuSeconds);
    sampledMs = performance.now();
    loads.endOver(start.memoryMiB);
    return memoryMiB;
  };
  // A reading also samples the memory: a caller with a reading each second needs no other sampling.
  const watch = setInterval(() => {
    if (performance.now() - sampledMs >= 0.9 * WATCH_MS) {
      sampleMemory();
    }
  }, WATCH_MS).unref();
  return {
    ...{ address, loadAddress: address, folder: site.options.root, startedAtMs, ended },
    ...around.face(address, () => treeCpuSeconds(pid)),
    counts: counting?.counts,
    processes: [pid, ...around.members.flatMap((member) => member.process?.pid ?? [])],
    onAllCores,
    reading: () => reading(start, sampleMemory),
    play: loads.play,
    escaped: () => escapedProcesses(site.options.owner).map(programName),
    logs: async (lines = LOG_LINES) => process.lastLines(lines),
    tries: (command) => process.tries(command),
    async [Symbol.asyncDispose]() {
      process.expectEnd();
      clearInterval(watch);
      // The driver ends first, since a service waits for the connections that it keeps open.
      await cleanups[Symbol.asyncDispose]();
    },
  };
}

async function reading(
  { service: { entry }, process, around, loads, loopbackBytes }: Start,
  sampleMemory: () => number,
): Promise<Reading> {
  const others = around.members.flatMap(({ need, process: other }) =>
    other ? { name: need.name, process: other } : [],
  );
  const cpu = await loads.cpuSeconds([process, ...others.map((other) => other.process)].map(({ pid }) => pid));
  const needsCpuSeconds = await around.needsCpuSeconds();
  const atMs = Date.now();
  const memoryMiB = sampleMemory() + others.reduce((sum, other) => sum + other.process.sample().memoryMiB, 0);
  const network = networkCounters('self');
  const { listenOverflows, timeWaitSockets } = network;
  // Bytes of members cannot be distinguished on the loopback interface.
  const countersOf = ({ peakMemoryMiB }: ProgramProcess, index: number): MemberCounters => ({
    cpuSeconds: cpu.of[index] ?? 0,
    peakMemoryMiB,
  });
  return readingOf({
    atMs,
    entry,
    own: countersOf(process, 0),
    members: others.map((other, index) => [other.name, countersOf(other.process, index + 1)]),
    memoryMiB,
    // All programs share the loopback interface: concurrent traffic counts, too, and that of needs and members always.
    wireBytes: around.places.length > 0 ? undefined : network.loopbackBytes - loopbackBytes,
    loadCpuSeconds: cpu.load,
    ...(needsCpuSeconds !== undefined && { needsCpuSeconds }),
    host: { ...hostCpu(), listenOverflows, timeWaitSockets },
  });
}
