import type { Container } from 'dockerode';
import type { Need, Program, Service } from '../../model/index.ts';
import { environmentBeside, type NeedPlace } from '../../model/index.ts';
import type { RunningNeed } from '../needs.ts';
import { KeptNeeds, type RunningNeeds, startNeeds } from '../needs.ts';
import type { RuntimeOptions } from '../port.ts';
import {
  endOfContainer,
  lastLogLines,
  limitsOf,
  makeNetwork,
  type OwnNetwork,
  removeContainer,
  tryInContainer,
} from './container.ts';
import { containerCounters } from './counters.ts';
import type { Engine } from './engine.ts';
import { type ProgramContainer, startProgramContainer } from './program.ts';

/** Where services and what they need are started. */
export interface DockerPlace {
  readonly engine: Engine;
  readonly options: RuntimeOptions;
  /** The id of a program's image. */
  readonly imageOf: (program: Program) => string;
  readonly kept: KeptContainers;
}

/** What one start of a service needs, and the network in which it is found. */
export interface NeedsInNetwork extends RunningNeeds {
  readonly network: OwnNetwork;
}

const LOG_LINES = 20;

/** A need in a container. */
interface ContainerNeed extends RunningNeed {
  readonly container: Container;
}

/** Containers that are kept over a run, in networks that are. */
export class KeptContainers implements AsyncDisposable {
  readonly needs = new KeptNeeds<ContainerNeed>();
  readonly #networks = new Map<string, Promise<OwnNetwork>>();

  /** The network of what is kept for a service. */
  async networkFor({ engine, options }: DockerPlace, service: string): Promise<OwnNetwork> {
    const network = this.#networks.get(service) ?? makeNetwork(engine, options.owner);
    this.#networks.set(service, network);
    return await network;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.needs[Symbol.asyncDispose]();
    const made = await Promise.allSettled(this.#networks.values());
    this.#networks.clear();
    for (const one of made) {
      if (one.status === 'fulfilled') {
        await one.value[Symbol.asyncDispose]();
      }
    }
  }
}

/**
 * Starts what a service needs on the load tool's core, in a network of this start; undefined where it needs nothing. Throws
 * MeasurementError where something does not get ready, and leaves nothing then but what is kept.
 */
export async function startNeedContainers(
  place: DockerPlace,
  service: Service,
  signal?: AbortSignal,
): Promise<NeedsInNetwork | undefined> {
  if ((service.needs ?? []).length === 0) {
    return undefined;
  }
  const { engine, options, kept } = place;
  const network = await makeNetwork(engine, options.owner);
  try {
    const starter = {
      kept: kept.needs,
      start: async (need: Need, places: readonly NeedPlace[]) => {
        const own = need.fresh === 'run' ? await kept.networkFor(place, service.name) : network;
        return await startNeedContainer(place, { need, network: own }, places);
      },
      join: async ({ container, need }: ContainerNeed) => await network.connect(container, need.name),
    };
    const needs = await startNeeds(service, starter, signal);
    const remove = async (): Promise<void> => {
      try {
        await needs[Symbol.asyncDispose]();
      } finally {
        await network[Symbol.asyncDispose]();
      }
    };
    return { ...needs, network, [Symbol.asyncDispose]: remove };
  } catch (thrown) {
    await Promise.allSettled([network[Symbol.asyncDispose]()]);
    throw thrown;
  }
}

interface Joining {
  readonly need: Need;
  readonly network: OwnNetwork;
}

async function startNeedContainer(
  { engine, options, imageOf }: DockerPlace,
  { need, network }: Joining,
  places: readonly NeedPlace[],
): Promise<ContainerNeed> {
  const started = await startProgramContainer({
    engine,
    options,
    program: need,
    image: imageOf(need),
    core: options.cores.load,
    environment: environmentBeside(need, places, options.lookups),
    network: { name: network.name, alias: need.name },
  });
  return standing(options, need, started);
}

function standing(options: RuntimeOptions, need: Need, started: ProgramContainer): ContainerNeed {
  const { container, hostPort } = started;
  const counters = containerCounters(started);
  const { memoryMiB } = limitsOf(options, need.limits);
  let isStopping = false;
  let lastSeen = 0;
  return {
    need,
    container,
    place: { name: need.name, host: need.name, port: need.port },
    ownPort: hostPort,
    ended: endOfContainer({ name: need.name, container, memoryMiB, isStopping: () => isStopping }),
    async cpuSeconds() {
      // Its end is told by `ended`, and must not pass for that of the service whose counters are read beside.
      lastSeen = await counters.read().then(
        ({ cpuSeconds }) => cpuSeconds,
        () => lastSeen,
      );
      return lastSeen;
    },
    logs: () => lastLogLines(container, LOG_LINES),
    tries: (command) => tryInContainer(container, command),
    async [Symbol.asyncDispose]() {
      isStopping = true;
      // What it holds is thrown away with it, so nobody waits for it to put that in order.
      await removeContainer(container);
    },
  };
}
