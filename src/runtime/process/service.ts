import { ConfigError } from '../../foundation/errors.ts';
import { escapedProcesses } from '../../host/machine/descendants.ts';
import { allCores, type Cores, pinTree } from '../../host/machine/machine.ts';
import { hostCpu, networkCounters, programName, treeCpuSeconds } from '../../host/machine/proc.ts';
import type { BlockLoad, LoadEnd } from '../../model/load.ts';
import type { MemberCounters, Reading } from '../../model/runner.ts';
import type { Service } from '../../model/service.ts';
import { environmentBeside } from '../../model/service.ts';
import { loadLimits } from '../driver/control.ts';
import { plantCommand } from '../driver/plant.ts';
import { openRelay, RELAY_MODE, type Relay } from '../driver/relay.ts';
import type { Ended, NeedEnd } from '../ended.ts';
import { withMeasuredCores } from '../measured-cores.ts';
import { metricsPages } from '../metrics-page.ts';
import {
  firstEnd,
  type KeptNeeds,
  memberCore,
  type NeedStarter,
  type RunningNeeds,
  serviceCores,
  startNeeds,
} from '../needs.ts';
import type { Limits, RunningService } from '../port.ts';
import { ailmentAmong } from '../ready.ts';
import { COUNTED_MEMORY } from '../valgrind/valgrind.ts';
import { startDriverProcess } from './driver.ts';
import { LoadPost, SlotCpu } from './load.ts';
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

/**
 * Starts what a service needs and its other members, and then the service itself on its core and a free port. Throws ConfigError if
 * its manifest says no command, EnvironmentError if nothing can be started, MeasurementError if something does not get ready; then
 * nothing is left.
 */
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
    relay = isRelayed ? await relayTo(site, needs) : undefined;
    const { places } = relay ?? needs;
    members = await startNeeds({ name, needs: parts, reached: places }, starter('members'), signal);
    const environment = environmentBeside(service, [...places, ...members.places], site.options.lookups);
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
    return new PlainService({ service, site, process, onAllCores, ...around });
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

function relayTo(site: Site, { places }: RunningNeeds): Promise<Relay> {
  const host = '127.0.0.1';
  const start = { folder: site.options.root, mode: [RELAY_MODE, host] };
  return openRelay((heard) => startDriverProcess(site, start, heard), places, host);
}

export interface ServiceOptions {
  /** Ends the wait for what it needs. */
  readonly signal?: AbortSignal | undefined;
  /** Undefined without counting. */
  readonly counting?: Counting | undefined;
  /** True if a relay counts its calls to what it needs. */
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
  /** Besides itself. */
  readonly members: RunningNeeds<NeedProcess>;
  readonly relay: Relay | undefined;
}

/** Owns the process groups of one service and the load tools of its slot. */
class PlainService implements RunningService {
  readonly address: string;
  readonly loadAddress: string;
  readonly folder: string;
  readonly startedAtMs: number;
  readonly ended: Promise<Ended>;
  readonly needEnded: Promise<NeedEnd> | undefined;
  readonly counts: RunningService['counts'];
  readonly calls: RunningService['calls'];
  readonly pages: RunningService['pages'];
  readonly processes: readonly number[];
  readonly onAllCores: RunningService['onAllCores'];
  readonly #start: Start;
  readonly #loads: LoadPost;
  readonly #cpu: SlotCpu;
  readonly #watch: NodeJS.Timeout;
  #sampledMs = 0;

  constructor(start: Start) {
    this.#start = start;
    this.address = `127.0.0.1:${start.process.port}`;
    this.loadAddress = this.address;
    this.folder = start.site.options.root;
    this.startedAtMs = start.process.startedAtMs;
    this.ended = start.process.ended;
    this.needEnded = firstEnd([start.members, start.needs]);
    this.counts = start.counting?.counts;
    this.calls = start.relay?.take;
    this.pages = metricsPages({ service: start.service, address: this.address, members: start.members.running });
    this.processes = [start.process, ...start.members.running.map((member) => member.process)].map(({ pid }) => pid);
    this.onAllCores = start.onAllCores;
    this.#loads = new LoadPost(start.site);
    this.#cpu = new SlotCpu(this.#loads);
    // A reading samples the memory too: a caller that takes one each second needs no other sampling.
    this.#watch = setInterval(() => {
      if (performance.now() - this.#sampledMs >= 0.9 * WATCH_MS) {
        this.#sampleMemory();
      }
    }, WATCH_MS).unref();
  }

  async ailing(): Promise<string | undefined> {
    const { members, service } = this.#start;
    return await ailmentAmong(members.running, service.name);
  }

  async cpuSeconds(): Promise<number> {
    const { process, needs, members } = this.#start;
    const others = await Promise.all([needs, members].map((one) => one.cpuSeconds()));
    return others.reduce<number>((sum, seconds = 0) => sum + seconds, treeCpuSeconds(process.pid));
  }

  async reading(): Promise<Reading> {
    const { process, needs, members, loopbackBytes } = this.#start;
    const others = members.running.map((member) => member.process);
    const cpu = await this.#cpu.read([process, ...others].map(({ pid }) => pid));
    const needsCpuSeconds = await needs.cpuSeconds();
    const atMs = Date.now();
    const memoryMiB = this.#sampleMemory() + others.reduce((sum, other) => sum + other.sample().memoryMiB, 0);
    const network = networkCounters('self');
    const { listenOverflows, timeWaitSockets } = network;
    return {
      atMs,
      service: {
        cpuSeconds: cpu.service,
        memoryMiB,
        peakMemoryMiB: [process, ...others].reduce((sum, one) => sum + one.peakMemoryMiB, 0),
        // The interface is everybody's: whatever else talks over it meanwhile is counted too. A need, or another member, does all the time.
        wireBytes: needs.places.length + others.length > 0 ? undefined : network.loopbackBytes - loopbackBytes,
      },
      ...this.#membersOf(cpu.of),
      loadCpuSeconds: cpu.load,
      ...(needsCpuSeconds !== undefined && { needsCpuSeconds }),
      host: { ...hostCpu(), listenOverflows, timeWaitSockets },
    };
  }

  async play(loads: readonly BlockLoad[], signal: AbortSignal): Promise<readonly LoadEnd[]> {
    return await this.#loads.runBlock(loads, signal);
  }

  escaped(): readonly string[] {
    return escapedProcesses(this.#start.site.options.owner).map(programName);
  }

  async logs(): Promise<string> {
    return this.#start.process.lastLines(LOG_LINES);
  }

  async tries(command: readonly string[]): Promise<string | undefined> {
    return await this.#start.process.tries(command);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { process, needs, members, relay, counting } = this.#start;
    process.expectEnd();
    clearInterval(this.#watch);
    try {
      // First, since a service waits for the connections that the driver keeps open.
      await this.#loads[Symbol.asyncDispose]();
    } finally {
      // Nobody reads what one that is counted writes at its end, which takes seconds.
      await process
        .stop(counting === undefined ? GRACE_MS : 0)
        .finally(() => members[Symbol.asyncDispose]())
        .finally(() => relay?.[Symbol.asyncDispose]())
        .finally(() => needs[Symbol.asyncDispose]());
      await counting?.remove();
    }
  }

  /** By the CPU time of each process, the entry's first; bytes cannot be told apart on the loopback interface. */
  #membersOf(cpuSeconds: readonly number[]): Pick<Reading, 'members'> {
    const { service, process, members } = this.#start;
    if (service.entry === undefined) {
      return {};
    }
    const all = [
      { name: service.entry, process },
      ...members.running.map(({ need, process: own }) => ({ name: need.name, process: own })),
    ];
    const counters = all.map(({ name, process: { peakMemoryMiB } }, index): [string, MemberCounters] => [
      name,
      { cpuSeconds: cpuSeconds[index] ?? 0, peakMemoryMiB },
    ]);
    return { members: Object.fromEntries(counters) };
  }

  #sampleMemory(): number {
    const { limits, process } = this.#start;
    const { cpuSeconds, memoryMiB } = process.sample();
    this.#cpu.note(process.pid, cpuSeconds);
    this.#sampledMs = performance.now();
    this.#loads.endOver(limits.memoryMiB);
    return memoryMiB;
  }
}
