import { ConfigError } from '../../foundation/errors.ts';
import { escapedProcesses } from '../../host/machine/descendants.ts';
import { allCores, type Cores, pinTree } from '../../host/machine/machine.ts';
import { hostCpu, networkCounters, programName, treeCpuSeconds } from '../../host/machine/proc.ts';
import type { MemberCounters, Reading } from '../../model/runner.ts';
import { programEnvironment, type Service } from '../../model/service.ts';
import { loadLimits, plantCommand } from '../driver/control.ts';
import { openRelay, RELAY_MODE, type Relay } from '../driver/relay.ts';
import { metricsPages } from '../metrics-page.ts';
import {
  firstEnd,
  type KeptNeeds,
  memberCore,
  type NeedStarter,
  type RunningNeeds,
  serviceCores,
  startNeeds,
  withMeasuredCores,
} from '../needs.ts';
import type { Limits, RunningService } from '../port.ts';
import { ailmentAmong } from '../ready.ts';
import { COUNTED_MEMORY } from '../valgrind/valgrind.ts';
import { loadPost, startDriverProcess } from './load.ts';
import { type NeedProcess, startNeedProcess } from './needs.ts';
import { type ProgramProcess, startProgram } from './program.ts';
import { type Counting, countedEnvironment, onCore, type Site } from './site.ts';

const GRACE_MS = 3000;
const WATCH_MS = 1000;
const LOG_LINES = 400;

export interface ServiceSite {
  readonly site: Site;
  /** These go first on their PATH. */
  readonly folders: readonly string[];
  readonly kept: KeptNeeds<NeedProcess>;
}

/** Starts needs, other members, and the service on its core and a free port; nothing is left if that fails. */
export async function startProcessService(
  place: ServiceSite,
  service: Service,
  { signal, counting, isRelayed = false }: ServiceOptions = {},
): Promise<RunningService> {
  const { folders, kept } = place;
  // Its needs keep their core.
  const site = counting?.site ?? place.site;
  if (service.process === undefined) {
    throw new ConfigError(`${service.name}: has no command to start it as a plain process`, {
      code: 'WG-116',
      next: 'Set `process`, or measure it in a container with --runtime docker.',
    });
  }
  const { command } = service.process;
  const starter = (family?: 'members'): NeedStarter<NeedProcess> => ({
    kept,
    start: (need, places) => {
      const core = family && memberCore(site.options.cores, service, need.name);
      return startNeedProcess(
        place,
        { need, ...(family && { family, counting }), ...(core !== undefined && { core }) },
        places,
      );
    },
    join: async () => undefined,
  });
  const { name, members: parts } = service;
  const needs = await startNeeds(service, starter(), signal);
  let members: RunningNeeds<NeedProcess> | undefined;
  let relay: Relay | undefined;
  try {
    relay = isRelayed ? await startRelay(site) : undefined;
    const places = (await relay?.relayed(needs.places)) ?? needs.places;
    members = await startNeeds({ name, needs: parts, reached: places, relay }, starter('members'), signal);
    const environment = programEnvironment(service, [...places, ...members.places], site.options.lookups);
    const { cores } = site.options;
    const measured = serviceCores(cores, service);
    const moves = counting === undefined && measured.length < allCores(cores).length;
    const loopbackBytes = networkCounters('self').loopbackBytes;
    const before =
      counting === undefined
        ? [...onCore(site, ...measured), ...plantCommand(service, site.options.tools)]
        : [...site.onServiceCore, ...counting.beforeOf(service.entry ?? service.name)];
    const variables = moves ? withMeasuredCores(environment, measured.length) : environment;
    const start = { site, program: service, command, before, folders, environment: variables };
    const counted = counting && {
      environment: countedEnvironment(environment, counting),
      memoryFactor: COUNTED_MEMORY,
      isCounted: true,
    };
    const process = await startProgram({ ...start, ...counted });
    const limits = loadLimits(site.options.limits, service.limits);
    const onAllCores = moves ? () => movedToAll(process.pid, { cores, measured }) : undefined;
    const around = { limits, loopbackBytes, needs, members, relay, counting };
    return running({ service, site, process, onAllCores, ...around });
  } catch (thrown) {
    await members?.[Symbol.asyncDispose]();
    await relay?.[Symbol.asyncDispose]();
    await needs[Symbol.asyncDispose]();
    throw thrown;
  }
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
  /** Ends the wait for what it needs. */
  readonly signal?: AbortSignal | undefined;
  readonly counting?: Counting | undefined;
  /** True if a relay counts calls to what it needs and its members. */
  readonly isRelayed?: boolean;
}

interface Start {
  readonly service: Service;
  readonly site: Site;
  readonly counting: Counting | undefined;
  readonly process: ProgramProcess;
  readonly onAllCores: RunningService['onAllCores'];
  /** For the load tools. */
  readonly limits: Limits;
  /** The counter of the loopback interface before the start. */
  readonly loopbackBytes: number;
  readonly needs: RunningNeeds;
  /** In addition to itself. */
  readonly members: RunningNeeds<NeedProcess>;
  readonly relay: Relay | undefined;
}

function running(start: Start): RunningService {
  const { service, site, process, needs, members, relay, counting, limits, loopbackBytes, onAllCores } = start;
  const { pid, startedAtMs, ended } = process;
  const address = `127.0.0.1:${process.port}`;
  const loads = loadPost(site);
  const others = members.running.map((member) => member.process);
  let sampledMs = 0;
  const sampleMemory = (): number => {
    const { cpuSeconds, memoryMiB } = process.sample();
    loads.note(pid, cpuSeconds);
    sampledMs = performance.now();
    loads.endOver(limits.memoryMiB);
    return memoryMiB;
  };
  // A reading samples the memory too: a caller that takes one each second needs no other sampling.
  const watch = setInterval(() => {
    if (performance.now() - sampledMs >= 0.9 * WATCH_MS) {
      sampleMemory();
    }
  }, WATCH_MS).unref();
  return {
    ...{ address, loadAddress: address, folder: site.options.root, startedAtMs, ended },
    needEnded: firstEnd([members, needs]),
    counts: counting?.counts,
    calls: relay?.take,
    pages: metricsPages({ service, address, members: members.running }),
    processes: [process, ...others].map((one) => one.pid),
    onAllCores,
    ailing: () => ailmentAmong(members.running, service.name),
    async cpuSeconds() {
      const used = await Promise.all([needs, members].map((one) => one.cpuSeconds()));
      return used.reduce<number>((sum, seconds = 0) => sum + seconds, treeCpuSeconds(pid));
    },
    reading: () => readingOf(start, loads, sampleMemory, loopbackBytes),
    play: loads.play,
    escaped: () => escapedProcesses(site.options.owner).map(programName),
    logs: async (lines = LOG_LINES) => process.lastLines(lines),
    tries: (command) => process.tries(command),
    async [Symbol.asyncDispose]() {
      process.expectEnd();
      clearInterval(watch);
      try {
        // First, since a service waits for the connections that the driver keeps open.
        await loads[Symbol.asyncDispose]();
      } finally {
        // The last files of a counted program take seconds and are not needed.
        await process
          .stop(counting === undefined ? GRACE_MS : 0)
          .finally(() => members[Symbol.asyncDispose]())
          .finally(() => relay?.[Symbol.asyncDispose]())
          .finally(() => needs[Symbol.asyncDispose]());
        await counting?.remove();
      }
    },
  };
}

async function readingOf(
  { service: { entry = '' }, process, needs, members }: Start,
  loads: ReturnType<typeof loadPost>,
  sampleMemory: () => number,
  loopbackBytes: number,
): Promise<Reading> {
  const others = members.running.map((member) => ({ name: member.need.name, process: member.process }));
  const all = [{ name: entry, process }, ...others];
  const cpu = await loads.cpuSeconds(all.map((one) => one.process.pid));
  const needsCpuSeconds = await needs.cpuSeconds();
  const atMs = Date.now();
  const memoryMiB = sampleMemory() + others.reduce((sum, other) => sum + other.process.sample().memoryMiB, 0);
  const network = networkCounters('self');
  const { listenOverflows, timeWaitSockets } = network;
  // Bytes of members cannot be distinguished on the loopback interface.
  const counters = all.map((one, index): [string, MemberCounters] => [
    one.name,
    { cpuSeconds: cpu.of[index] ?? 0, peakMemoryMiB: one.process.peakMemoryMiB },
  ]);
  return {
    atMs,
    service: {
      cpuSeconds: cpu.service,
      memoryMiB,
      peakMemoryMiB: all.reduce((sum, one) => sum + one.process.peakMemoryMiB, 0),
      // The interface is everybody's: whatever else talks over it meanwhile is counted too. A need, or another member, does all the time.
      wireBytes: needs.places.length + others.length > 0 ? undefined : network.loopbackBytes - loopbackBytes,
    },
    ...(entry !== '' && { members: Object.fromEntries(counters) }),
    loadCpuSeconds: cpu.load,
    ...(needsCpuSeconds !== undefined && { needsCpuSeconds }),
    host: { ...hostCpu(), listenOverflows, timeWaitSockets },
  };
}
