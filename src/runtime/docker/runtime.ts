import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { readRunner } from '../../host/machine/machine.ts';
import { type OwnerSearch, ownerState, searchHere } from '../../host/machine/orphans.ts';
import { programsOf } from '../../model/service.ts';
import { StartedServices } from '../cleanups.ts';
import { controlLoop } from '../driver/control.ts';
import { EngineLost, endSentence, WHEN_LOST } from '../ended.ts';
import type { RunningService, Runtime } from '../port.ts';
import { attachService } from '../process/runtime.ts';
import { openSite, type Site } from '../process/site.ts';
import { MARK, OWNER, PLACE, removeContainer, removeNetwork } from './container.ts';
import { counterVolume, countingContainers, removeVolume } from './counting.ts';
import { connectEngine, type Engine, whileItAnswers, whileItStands } from './engine.ts';
import { builtImage } from './images/contents.ts';
import { type ImageOptions, imagesIn } from './images/images.ts';
import { keptContainers } from './needs.ts';
import { type ServiceStart, startContainerService } from './service.ts';

/** Runs services in containers of this machine's engine; throws EnvironmentError if it does not answer. */
export async function dockerRuntime(options: ImageOptions): Promise<Runtime> {
  const engine = await connectEngine();
  const { Version: version } = await engine.api.version();
  const images = imagesIn(engine, options);
  const kept = keptContainers(engine, options.owner);
  const place = { engine, options, imageOf: images.of, kept };
  const volume = counterVolume(engine);
  const running = new StartedServices();
  let site: Promise<Site> | undefined;
  const startTracked = async (start: Omit<ServiceStart, 'place'>): Promise<RunningService> => {
    const started = await whileItAnswers(engine, () => startContainerService({ place, ...start }));
    return running.add(watched(started, engine));
  };
  return {
    name: 'docker',
    reason: options.reason,
    runner: readRunner(options.cores, version),
    prepare: (services, signal) => whileItStands({ engine, signal }, (ending) => images.prepare(services, ending)),
    async start(service, signal, isRelayed = false) {
      if (service.address !== undefined) {
        site ??= openSite(options);
        return running.add(attachService(await site, service));
      }
      return await startTracked({ service, signal, isRelayed });
    },
    counting: countingContainers({ ...place, volume }, (service, counting, signal) =>
      startTracked({ service, counting, signal }),
    ),
    built: (service) =>
      Promise.all(programsOf([service]).map((program) => builtImage(engine, options, program, images.of(program)))),
    control: (signal) => controlLoop(options, signal),
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await whileItAnswers(engine, () => kept[Symbol.asyncDispose]().finally(() => volume[Symbol.asyncDispose]()));
    },
  };
}

/** Time after which the broken connection shows that the engine lost a container. */
const LOST_MS = 500;

/** Service in a container whose failures become those of an engine that is gone (EnvironmentError) or restarted (EngineLost). */
export function watched(service: RunningService, engine: Engine): RunningService {
  const whileRunning = async <Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> => {
    try {
      return await work();
    } catch (thrown) {
      if (signal?.aborted !== true && !(thrown instanceof EnvironmentError)) {
        await whileItAnswers(engine, () => refuseLost(service, thrown));
      }
      throw thrown;
    }
  };
  return {
    ...service,
    reading: () => whileRunning(() => service.reading()),
    play: (loads, signal) => whileRunning(() => service.play(loads, signal), signal),
    [Symbol.asyncDispose]: () => whileItAnswers(engine, () => service[Symbol.asyncDispose]()),
  };
}

/** Rejects after a failure of a service: with EngineLost if the engine has lost it, else with that failure. */
async function refuseLost({ ended }: RunningService, thrown: unknown): Promise<never> {
  // This timer keeps the program running: without an engine, nothing else may.
  const end = await Promise.race([ended, sleep(LOST_MS)]);
  throw end?.kind === 'lost' ? new EngineLost(endSentence(end), { cause: thrown, next: WHEN_LOST }) : thrown;
}

type Mark = Readonly<Record<string, string>>;

interface Marked {
  readonly labels: Mark | undefined;
  /** Unix time in seconds. */
  readonly createdAt: number;
  readonly isIdle: boolean;
}

/** Longer than any part of a run is idle. */
export const IDLE_SECONDS = 3600;

/** True if its owner is gone, or belongs to another boot (which may be another machine's) and has left it idle for long. */
export function isLeft({ labels, createdAt, isIdle }: Marked, search: OwnerSearch, nowMs: number): boolean {
  const [owner, place] = [labels?.[OWNER], labels?.[PLACE]];
  if (owner === undefined || place === undefined) {
    return false;
  }
  const state = ownerState(owner, place, search);
  const isOld = nowMs / 1000 - createdAt > IDLE_SECONDS;
  return state === 'gone' || (state === 'of another boot' && isIdle && isOld);
}

/**
 * Removes the containers of this user's owners that no longer run, their networks and volumes, with a line for each; not those of another user, or of
 * a runner that shares only the engine, unless nothing of that is left on this machine. Throws EnvironmentError if the engine does not answer; a
 * failed removal is only logged, since measuring is still possible.
 */
export async function removeOrphanContainers(
  isAlive: (owner: string) => boolean,
  log: (line: string) => void,
): Promise<void> {
  const engine = await connectEngine();
  const search = searchHere(isAlive);
  for (const { what, remove, ...marked } of await allMarked(engine)) {
    if (isLeft(marked, search, Date.now())) {
      log(`removing ${what}, left over from an earlier run`);
      await remove().catch((thrown: unknown) => log(`${what} cannot be removed: ${messageOf(thrown)}`));
    }
  }
}

interface MarkedObject extends Marked {
  readonly what: string;
  readonly remove: () => Promise<void>;
}

const MARKED = { filters: { label: [`${MARK}=1`, PLACE, OWNER] } };

/** Containers of all owners, then their networks and volumes, which cannot be removed while they are in use. */
async function allMarked(engine: Engine): Promise<readonly MarkedObject[]> {
  const { api } = engine;
  const containers = await api.listContainers({ all: true, ...MARKED });
  const networks = await api.listNetworks(MARKED);
  const { Volumes: volumes } = await api.listVolumes(MARKED);
  return [
    ...containers.map(({ Id: id, Labels: labels, Names: names, Created: createdAt, State: state }) => ({
      what: `the container ${names[0]?.replace(/^\//, '') ?? id.slice(0, 12)}`,
      ...{ labels, createdAt, isIdle: ['created', 'exited', 'dead'].includes(state) },
      remove: () => removeContainer(api.getContainer(id)),
    })),
    ...networks.map(({ Id: id, Labels: labels, Name: name, Created: created }) => ({
      what: `the network ${name}`,
      ...{ labels, createdAt: Date.parse(created) / 1000, isIdle: true },
      remove: () => removeNetwork(api.getNetwork(id)),
    })),
    ...(volumes ?? []).map(({ Name: name, Labels: labels, ...others }) => ({
      what: `the volume ${name}`,
      ...{ labels, isIdle: true },
      // Every engine returns it, but the client's types lack it.
      createdAt: 'CreatedAt' in others ? Date.parse(String(others.CreatedAt)) / 1000 : Number.POSITIVE_INFINITY,
      remove: () => removeVolume(engine, name),
    })),
  ];
}
