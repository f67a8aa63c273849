import type { Container } from 'dockerode';
import { EnvironmentError } from '../../foundation/errors.ts';
import type { Cores } from '../../host/machine/machine.ts';
import { isListening } from '../../host/machine/ports.ts';
import { networkBytes } from '../../host/machine/proc.ts';
import type { MemberCounters } from '../../model/runner.ts';
import {
  containedNeeds,
  type Need,
  type NeedPlace,
  type Program,
  programEnvironment,
  type Service,
} from '../../model/service.ts';
import { KeptNeeds, memberCore } from '../needs.ts';
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
import { connectEngine, dockerAnswers, type Engine, isRootless, whileItAnswers, whileItStands } from './engine.ts';
import { type ImageOptions, imagesIn } from './images/images.ts';
import { managedRecast, type Recast, startProgramContainer } from './program.ts';

/** Place where services and their needs are started. */
export interface DockerPlace {
  readonly engine: Engine;
  readonly options: RuntimeOptions;
  readonly imageOf: (program: Program) => string;
  readonly kept: ReturnType<typeof keptContainers>;
}

const LOG_LINES = 20;

export interface ContainerNeed extends RunningNeed {
  readonly container: Container;
  readonly pid: number;
}

/** Containers that are kept over a run, in networks that are also kept. */
export function keptContainers(engine: Engine, owner: string) {
  const needs = new KeptNeeds<ContainerNeed>();
  const networks = new Map<string, Promise<OwnNetwork>>();
  return {
    needs,
    /** Network of the kept programs of a service. */
    async networkFor(service: string): Promise<OwnNetwork> {
      const network = networks.get(service) ?? makeNetwork(engine, owner);
      networks.set(service, network);
      network.catch(() => networks.delete(service));
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

/** Needs of plain processes, in containers that these reach by address. Disposing of it removes their networks. */
export interface NeedContainers extends AsyncDisposable {
  prepare(services: readonly Service[], signal: AbortSignal): Promise<void>;
  start(service: string, need: Need, places: readonly NeedPlace[]): Promise<RunningNeed>;
}

/** Throws EnvironmentError if the Docker engine does not answer, or runs containers where processes cannot reach them. */
export async function needContainers(options: ImageOptions): Promise<NeedContainers> {
  const engine = await connectEngine();
  if (!(await isReachable(engine))) {
    throw new EnvironmentError(
      'a plain process cannot reach containers of Docker Desktop, or of an engine without root',
      {
        code: 'WG-201',
        next: 'Add a `process` with a `command` to each need, or use an engine that runs as root.',
      },
    );
  }
  const images = imagesIn(engine, options, containedNeeds);
  const kept = keptContainers(engine, options.owner);
  const place = { engine, options, imageOf: images.of, kept };
  return {
    prepare: (services, signal) => whileItStands({ engine, signal }, (ending) => images.prepare(services, ending)),
    start: (service, need, places) =>
      whileItAnswers(engine, async () => {
        const network = await kept.networkFor(service);
        const start = { need, family: undefined, network, core: options.cores.load, recast: undefined };
        const started = await startNeedContainer(place, start, places);
        const remove = () => whileItAnswers(engine, () => started[Symbol.asyncDispose]());
        try {
          const { NetworkSettings: settings } = await started.container.inspect();
          const host = settings.Networks[network.name]?.IPAddress ?? '';
          return { ...started, place: { ...started.place, host }, [Symbol.asyncDispose]: remove };
        } catch (thrown) {
          await remove();
          throw thrown;
        }
      }),
    [Symbol.asyncDispose]: () => whileItAnswers(engine, () => kept[Symbol.asyncDispose]()),
  };
}

/** True if `needContainers` finds an engine that it can use. */
export async function canContainNeeds(): Promise<boolean> {
  const { ok } = await dockerAnswers();
  return ok && (await isReachable(await connectEngine()));
}

async function isReachable({ api }: Engine): Promise<boolean> {
  const info = await api.info();
  return !/Docker Desktop/.test(String(info.OperatingSystem)) && !isRootless(info);
}

interface ContainersAround {
  /** Network of the service; undefined if it has no needs and no members. */
  readonly network: OwnNetwork | undefined;
  /** Counter of its members and their cores; undefined without counting. */
  readonly counting: { readonly recast: Recast; readonly cores: Cores } | undefined;
}

/** Starts needs on the load tool's core and other members on theirs, in the network of their service. */
export function containerStarter(place: DockerPlace, service: Service, { network, counting }: ContainersAround) {
  const { kept, options } = place;
  return {
    kept: kept.needs,
    log: options.log,
    async start(need: Need, places: readonly NeedPlace[], family: NeedPlace['family']): Promise<ContainerNeed> {
      const own = need.fresh === 'run' ? await kept.networkFor(service.name) : network;
      const { cores } = options;
      // Needs are not counted, and keep their core.
      const core = family ? (counting?.cores.service ?? memberCore(cores, service, need.name)) : cores.load;
      return await startNeedContainer(
        place,
        { need, family, network: own, core, recast: family && (counting?.recast ?? managedRecast(need)) },
        places,
      );
    },
    join: async ({ container, need }: ContainerNeed) => await network?.connect(container, need.name),
  };
}

interface NeedContainerStart extends Pick<ContainersAround, 'network'> {
  readonly need: Need;
  readonly family: NeedPlace['family'];
  readonly core: number;
  readonly recast: Recast | undefined;
}

async function startNeedContainer(
  { engine, options, imageOf }: DockerPlace,
  { need, family, network, core, recast }: NeedContainerStart,
  places: readonly NeedPlace[],
): Promise<ContainerNeed> {
  const { name, port, ports, limits } = need;
  const started = await startProgramContainer({
    engine,
    options,
    program: need,
    image: imageOf(need),
    recast,
    core,
    environment: programEnvironment(need, places, options.lookups),
    network: network && { name: network.name, alias: name },
  });
  const { container, pid, hostPort } = started;
  const { memoryMiB } = limitsOf(options, limits);
  const counters = containerCounters(started);
  let isStopping = false;
  return {
    need,
    container,
    pid,
    place: { name, host: name, port, ports, ...(family !== undefined && { family }) },
    ownPort: hostPort,
    ended: endOfContainer({ name, container, memoryMiB, isStopping: () => isStopping }),
    used: memberCounters(started, counters),
    ...(counters.isVisible && { listens: () => isListening(pid, port) }),
    logs: () => lastLogLines(container, LOG_LINES),
    tries: (command) => tryInContainer(container, command),
    async [Symbol.asyncDispose]() {
      isStopping = true;
      // Its data is discarded, so no clean shutdown is needed.
      await removeContainer(container);
    },
  };
}

/** Counters of a container and of its network traffic; once it has ended, the last known ones. */
function memberCounters({ pid }: StartedContainer, counters: ContainerCounters): () => Promise<MemberCounters> {
  let lastSeen: MemberCounters = { cpuSeconds: 0, peakMemoryMiB: 0 };
  return async () => {
    // `ended` reports its end, which must not be mistaken for that of the service whose counters are read at the same time.
    const now = await counters.read().catch(() => undefined);
    const bytes = counters.isVisible ? networkBytes(pid) : undefined;
    if (now !== undefined) {
      const { cpuSeconds, peakMemoryMiB } = now;
      lastSeen = { cpuSeconds, peakMemoryMiB, receivedBytes: bytes?.received, sentBytes: bytes?.sent };
    }
    return lastSeen;
  };
}
