import type { Container } from 'dockerode';
import type { Cores } from '../../host/machine/machine.ts';
import { isListening } from '../../host/machine/ports.ts';
import { networkBytes } from '../../host/machine/proc.ts';
import type { MemberCounters } from '../../model/runner.ts';
import type { Need, Program, Service } from '../../model/service.ts';
import { type NeedPlace, programEnvironment } from '../../model/service.ts';
import type { Relay } from '../driver/relay.ts';
import { firstEnd, KeptNeeds, memberCore, type NeedStarter, type RunningNeeds, startNeeds } from '../needs.ts';
import type { RuntimeOptions } from '../port.ts';
import type { RunningNeed } from '../ready.ts';
import {
  endOfContainer,
  lastLogLines,
  limitsOf,
  makeNetwork,
  type OwnNetwork,
  removeContainer,
  type StartedContainer,
  tryInContainer,
} from './container.ts';
import { type ContainerCounters, containerCounters } from './counters.ts';
import type { Engine } from './engine.ts';
import { type ProgramContainer, type Recast, startProgramContainer } from './program.ts';

/** Where services and what they need are started. */
export interface DockerPlace {
  readonly engine: Engine;
  readonly options: RuntimeOptions;
  /** The id of a program's image. */
  readonly imageOf: (program: Program) => string;
  readonly kept: ReturnType<typeof keptContainers>;
}

export interface StartPlace extends DockerPlace {
  /** Counters of its members and their cores; undefined: nothing is counted. */
  readonly counting: { readonly recast: Recast; readonly cores: Cores } | undefined;
  /** Starts a relay to what it needs and its members; undefined: these are reached directly. */
  readonly relayIn: ((network: OwnNetwork) => Promise<Relay>) | undefined;
}

export interface DependenciesInNetwork extends Pick<RunningNeeds, 'places' | 'ended' | 'cpuSeconds'>, AsyncDisposable {
  readonly network: OwnNetwork;
  readonly members: readonly ContainerNeed[];
  /** Undefined: nothing is relayed. */
  readonly relay: Relay | undefined;
}

const LOG_LINES = 20;

export interface ContainerNeed extends RunningNeed {
  readonly container: Container;
  readonly pid: number;
  /** Its use so far; after its end, the last reading. */
  used(): Promise<MemberCounters>;
}

/** Containers that are kept over a run, in networks that are. */
export function keptContainers(engine: Engine, owner: string) {
  const needs = new KeptNeeds<ContainerNeed>();
  const networks = new Map<string, Promise<OwnNetwork>>();
  return {
    needs,
    /** The network of what is kept for a service. */
    async networkFor(service: string): Promise<OwnNetwork> {
      const network = networks.get(service) ?? makeNetwork(engine, owner);
      networks.set(service, network);
      return await network;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await needs[Symbol.asyncDispose]();
      const made = await Promise.allSettled(networks.values());
      networks.clear();
      for (const one of made) {
        if (one.status === 'fulfilled') {
          await one.value[Symbol.asyncDispose]();
        }
      }
    },
  };
}

/** Starts needs on the load tool's core and other members on theirs, in a network; undefined without any. */
export async function startDependencies(
  place: StartPlace,
  service: Service,
  signal?: AbortSignal,
): Promise<DependenciesInNetwork | undefined> {
  const { name, entry, members: parts } = service;
  if ((service.needs ?? []).length === 0 && entry === undefined) {
    return undefined;
  }
  const { engine, options, kept } = place;
  const network = await makeNetwork(engine, options.owner);
  const started: AsyncDisposable[] = [network];
  const starter = (family?: 'members'): NeedStarter<ContainerNeed> => ({
    kept: kept.needs,
    start: async (need, places) => {
      const own = need.fresh === 'run' ? await kept.networkFor(name) : network;
      const core = family === 'members' ? memberCore(options.cores, service, need.name) : options.cores.load;
      return await startNeedContainer(place, { need, network: own, family, core }, places);
    },
    join: async ({ container, need }) => await network.connect(container, need.name),
  });
  try {
    const needs = await startNeeds(service, starter(), signal);
    started.push(needs);
    const relay = await place.relayIn?.(network);
    started.push(...(relay === undefined ? [] : [relay]));
    const places = (await relay?.relayed(needs.places)) ?? needs.places;
    const members = await startNeeds({ name, needs: parts, reached: places, relay }, starter('members'), signal);
    started.push(members);
    return {
      network,
      places: [...places, ...members.places],
      relay,
      members: members.running,
      ended: firstEnd([members, needs]),
      cpuSeconds: () => needs.cpuSeconds(),
      [Symbol.asyncDispose]: () => disposeAll(started),
    };
  } catch (thrown) {
    await disposeAll(started).catch(() => undefined);
    throw thrown;
  }
}

/** Against the order of their start; what cannot be removed does not keep the rest from it. */
async function disposeAll(started: readonly AsyncDisposable[]): Promise<void> {
  let removed = Promise.resolve();
  for (const one of started.toReversed()) {
    removed = removed.finally(() => one[Symbol.asyncDispose]());
  }
  await removed;
}

interface Joining {
  readonly need: Need;
  readonly network: OwnNetwork;
  readonly family: NeedPlace['family'] | undefined;
  readonly core: number;
}

async function startNeedContainer(
  { engine, options: usual, imageOf, counting }: StartPlace,
  { need, network, family, core }: Joining,
  places: readonly NeedPlace[],
): Promise<ContainerNeed> {
  // Needs are not counted, and keep their core.
  const counted = family === 'members' ? counting : undefined;
  const options = { ...usual, cores: counted?.cores ?? usual.cores };
  const started = await startProgramContainer({
    engine,
    options,
    program: need,
    image: imageOf(need),
    recast: counted?.recast,
    core: counted === undefined ? core : options.cores.service,
    environment: programEnvironment(need, places, options.lookups),
    network: { name: network.name, alias: need.name },
  });
  return running(options, { need, family, started });
}

interface StartedNeed extends Omit<Joining, 'network' | 'core'> {
  readonly started: ProgramContainer;
}

function running(options: RuntimeOptions, { need, family, started }: StartedNeed): ContainerNeed {
  const { container, hostPort } = started;
  const { memoryMiB } = limitsOf(options, need.limits);
  const { name, port, ports } = need;
  const counters = containerCounters(started);
  const used = memberCounters(started, counters);
  let isStopping = false;
  return {
    need,
    container,
    pid: started.pid,
    place: { name, host: name, port, ports, ...(family !== undefined && { family }) },
    ownPort: hostPort,
    ended: endOfContainer({ name, container, memoryMiB, isStopping: () => isStopping }),
    used,
    ...(counters.isVisible && { listens: () => isListening(started.pid, port) }),
    cpuSeconds: async () => (await used()).cpuSeconds,
    logs: () => lastLogLines(container, LOG_LINES),
    tries: (command) => tryInContainer(container, command),
    async [Symbol.asyncDispose]() {
      isStopping = true;
      // Its data is discarded, so there is no need for a clean shutdown.
      await removeContainer(container);
    },
  };
}

/** Reads what a container has used, and how much went into and out of its network; once it has ended, what was last seen. */
function memberCounters({ pid }: StartedContainer, counters: ContainerCounters): () => Promise<MemberCounters> {
  let lastSeen: MemberCounters = { cpuSeconds: 0, peakMemoryMiB: 0 };
  return async () => {
    // `ended` reports its end, which must not be taken for that of the service whose counters are read at the same time.
    const now = await counters.read().catch(() => undefined);
    const bytes = counters.isVisible ? networkBytes(pid) : undefined;
    if (now !== undefined) {
      const { cpuSeconds, peakMemoryMiB } = now;
      lastSeen = { cpuSeconds, peakMemoryMiB, receivedBytes: bytes?.received, sentBytes: bytes?.sent };
    }
    return lastSeen;
  };
}
