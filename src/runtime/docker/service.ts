import { rm } from 'node:fs/promises';
import type { Container, ContainerCreateOptions } from 'dockerode';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import { allCores, type Cores } from '../../host/machine/machine.ts';
import { hostCpu, networkBytes, networkCounters } from '../../host/machine/proc.ts';
import type { MemberCounters, Reading } from '../../model/runner.ts';
import { programEnvironment, type Service } from '../../model/service.ts';
import { loadLimits, type PlantedService, plantCommand } from '../driver/control.ts';
import type { Relay } from '../driver/relay.ts';
import { DRIVER } from '../driver/source.ts';
import { metricsPages } from '../metrics-page.ts';
import { serviceCores, withMeasuredCores } from '../needs.ts';
import type { CountDetail, Counts, LoadTools, RunningService, RuntimeOptions } from '../port.ts';
import { ailmentAmong } from '../ready.ts';
import { countedTitle, countsOfAll } from '../valgrind/members.ts';
import {
  coreSettings,
  endOfContainer,
  lastLogLines,
  limitsOf,
  type OwnNetwork,
  removeContainer,
  type StartedContainer,
  stopContainer,
  tryInContainer,
} from './container.ts';
import { containerCounters } from './counters.ts';
import { engineRefusalOf } from './engine.ts';
import { blockRunner, startLoadContainer, startRelay } from './load.ts';
import { type ContainerNeed, type DependenciesInNetwork, type DockerPlace, startDependencies } from './needs.ts';
import {
  environmentIn,
  type ImageSettings,
  type ProgramContainer,
  type Recast,
  startProgramContainer,
} from './program.ts';

const LOG_LINES = 400;

/**
 * Service and load tool share one network, so a service that closes every connection takes the load tool's ports away: each
 * stays in TIME_WAIT, and after some 14,000 the tool spends its time looking for a free one. Clients on machines of their own
 * would not see that.
 */
const SOCKETS = { 'net.ipv4.ip_local_port_range': '1024 65535', 'net.ipv4.tcp_max_tw_buckets': '4096' };

const RELAY = 'wiregauge-relay';

export type Cleanup = () => Promise<void>;

export interface ServiceStart {
  readonly place: DockerPlace;
  readonly service: Service;
  /** Ends the wait for what it needs. */
  readonly signal?: AbortSignal | undefined;
  /** Undefined without counting. */
  readonly counting?: ContainerCounting | undefined;
  /** True if a relay counts calls to what it needs and its members. */
  readonly isRelayed?: boolean;
}

export interface ContainerCounting {
  /** Puts what counts before the program of the image. */
  readonly recast: Recast;
  /** The cores of the service and of its load tool. Needs run on the same core as in rounds. */
  readonly cores: Cores;
  /** Counts of a container; `of` is its name in messages. */
  readonly counts: (container: Container, of: string, detail?: CountDetail) => Promise<Counts>;
}

/** Starts needs, other members, the service and its load tools. If anything fails, all is removed. */
export async function startContainerService(start: ServiceStart): Promise<RunningService> {
  const { place, service } = start;
  const cleanups: Cleanup[] = [];
  try {
    return await startAll(start, cleanups);
  } catch (thrown) {
    await cleanUp(cleanups).catch((failure: unknown) =>
      place.options.log(`cleanup of ${service.name} failed: ${messageOf(failure)}`),
    );
    throw thrown;
  }
}

async function startAll(start: ServiceStart, cleanups: Cleanup[]): Promise<RunningService> {
  const { place, service, signal, counting, isRelayed = false } = start;
  const { engine, imageOf } = place;
  const { name, entry } = service;
  const options = counting === undefined ? place.options : { ...place.options, cores: counting.cores };
  const folder = await ownedFolder(options.owner);
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const limits = loadLimits(options.limits, service.limits);
  const driver = { engine, options, image: imageOf(service), limits, folder };
  const relayIn = ({ name: network }: OwnNetwork): Promise<Relay> => startRelay({ ...driver, network, alias: RELAY });
  const dependencies = await startDependencies(
    { ...place, counting, relayIn: isRelayed ? relayIn : undefined },
    service,
    signal,
  );
  cleanups.push(async () => await dependencies?.[Symbol.asyncDispose]());
  const started = await startServiceContainer(start, options, dependencies);
  const { container, startedAtMs } = started;
  const address = `127.0.0.1:${started.hostPort}`;
  const members = dependencies?.members ?? [];
  const own = containerCounters(started);
  const { memoryMiB } = limitsOf(options, service.limits);
  let isStopping = false;
  const ended = endOfContainer({ name, memoryMiB, container, isStopping: () => isStopping });
  const loadPlace = { ...driver, network: `container:${container.id}` };
  // The service gets ready meanwhile.
  const load = startLoadContainer(loadPlace);
  const blocks = blockRunner(loadPlace, load);
  const removeLoad = () =>
    load.then(
      (one) => removeContainer(one.container),
      () => undefined,
    );
  // Its end matters only to programs in the same network, and an orderly end takes up to half a second of every round.
  const end = () => (dependencies === undefined ? removeContainer(container) : stopContainer(container));
  cleanups.push(() => allOf([blocks[Symbol.asyncDispose](), removeLoad(), end()]));
  return {
    ...{ address, loadAddress: `127.0.0.1:${service.port}`, folder: options.root, ended, startedAtMs },
    needEnded: dependencies?.ended,
    ailing: () => ailmentAmong(members, name),
    onAllCores: counting === undefined ? onAllCores(container, options, service) : undefined,
    async cpuSeconds() {
      const { cpuSeconds } = await own.read();
      const others = [dependencies?.cpuSeconds(), ...members.map(async ({ used }) => (await used()).cpuSeconds)];
      return (await Promise.all(others)).reduce<number>((sum, seconds = 0) => sum + seconds, cpuSeconds);
    },
    reading: readings({ started, entry }, load, dependencies),
    play: (block, stop) => blocks.play(block, stop),
    calls: dependencies?.relay?.take,
    pages: metricsPages({ service, address, members }),
    counts: counting && ((detail) => countsIn(counting, service, [container, ...members], detail)),
    processes: own.isVisible ? [started, ...members].map(({ pid }) => pid) : undefined,
    logs: (lines = LOG_LINES) => lastLogLines(container, lines),
    tries: (command) => tryInContainer(container, command),
    async [Symbol.asyncDispose]() {
      isStopping = true;
      await cleanUp(cleanups);
    },
  };
}

async function countsIn(
  counting: ContainerCounting,
  service: Service,
  [own, ...members]: readonly [Container, ...ContainerNeed[]],
  detail?: CountDetail,
): Promise<Counts> {
  const all = [
    { name: service.entry ?? service.name, container: own },
    ...members.map(({ need: { name }, container }) => ({ name, container })),
  ];
  const counts = all.map(
    async ({ name, container }) =>
      [name, await counting.counts(container, countedTitle(service, name), detail)] as const,
  );
  return countsOfAll(service, new Map(await Promise.all(counts)));
}

async function startServiceContainer(
  { place: { engine, imageOf }, service, counting }: ServiceStart,
  options: DockerPlace['options'],
  dependencies: DependenciesInNetwork | undefined,
): Promise<ProgramContainer> {
  const { entry } = service;
  return await startProgramContainer({
    engine,
    options,
    program: service,
    image: imageOf(service),
    core: counting === undefined ? serviceCores(options.cores, service) : options.cores.service,
    environment: programEnvironment(service, dependencies?.places ?? [], options.lookups),
    sysctls: SOCKETS,
    recast: counting === undefined ? recastOf(options, service) : counting.recast,
    ...(dependencies !== undefined && {
      network: { name: dependencies.network.name, ...(entry !== undefined && { alias: entry }) },
    }),
  });
}

function recastOf(options: DockerPlace['options'], service: Service): Recast | undefined {
  const recasts = [plantRecast(service, options), coresRecast(options, service)].filter((one) => one !== undefined);
  return recasts.length === 0
    ? undefined
    : (settings, image) => recasts.reduce((so, recast) => recast(so, image), settings);
}

interface OwnContainer {
  readonly started: StartedContainer;
  readonly entry: string | undefined;
}

/**
 * Reads the counters of a service, of its load tools, and of its needs and members. The load tools share the service's network, so that their
 * packets go over its loopback interface: all bytes are visible there, but no file of the kernel distinguishes those to the service from those of
 * the service. Its needs and other members are not behind that interface.
 */
function readings(
  { started, entry }: OwnContainer,
  load: Promise<StartedContainer>,
  dependencies: DependenciesInNetwork | undefined,
): () => Promise<Reading> {
  const serviceCounters = containerCounters(started);
  const loadCounters = load.then(containerCounters);
  // The reader gets the error.
  loadCounters.catch(() => undefined);
  return async () => {
    const counters = await loadCounters;
    const [used, loadUsed, needsCpuSeconds, others] = await Promise.all([
      serviceCounters.read(),
      counters.read(),
      dependencies?.cpuSeconds(),
      Promise.all(
        (dependencies?.members ?? []).map(async ({ need, used: read }) => [need.name, await read()] as const),
      ),
    ]);
    const { isVisible } = serviceCounters;
    const network = isVisible ? networkCounters(started.pid) : undefined;
    const bytes = isVisible ? networkBytes(started.pid) : undefined;
    const { cpuSeconds, peakMemoryMiB } = used;
    const own: MemberCounters = { cpuSeconds, peakMemoryMiB, receivedBytes: bytes?.received, sentBytes: bytes?.sent };
    const all = [own, ...others.map(([, other]) => other)];
    return {
      atMs: Date.now(),
      service: {
        cpuSeconds: all.reduce((sum, one) => sum + one.cpuSeconds, 0),
        memoryMiB: used.memoryMiB,
        peakMemoryMiB: all.reduce((sum, one) => sum + one.peakMemoryMiB, 0),
        wireBytes: network?.loopbackBytes,
      },
      ...(entry !== undefined && { members: { [entry]: own, ...Object.fromEntries(others) } }),
      loadCpuSeconds: loadUsed.cpuSeconds,
      ...(needsCpuSeconds !== undefined && { needsCpuSeconds }),
      host: {
        ...hostCpu(),
        listenOverflows: network?.listenOverflows ?? 0,
        timeWaitSockets: network?.timeWaitSockets ?? 0,
      },
    };
  };
}

async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

/** Undoes in reverse order; what cannot be undone does not keep the rest from it. */
export async function cleanUp(cleanups: Cleanup[]): Promise<void> {
  const failures: unknown[] = [];
  for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) {
    await cleanup().catch((thrown: unknown) => failures.push(thrown));
  }
  if (failures.length > 0) {
    throw failures[0];
  }
}

/** Sets the number of measured cores for the programs of a service; undefined if there are no others. */
function coresRecast(options: RuntimeOptions, service: Service): Recast | undefined {
  const { measured, all } = coresOf(options, service);
  const { cpus } = limitsOf(options, service.limits);
  const count = Math.ceil(measured.length * cpus);
  return measured.length === all.length
    ? undefined
    : (settings, image) => ({
        ...settings,
        Env: Object.entries(withMeasuredCores(environmentIn(settings, image), count)).map((pair) => pair.join('=')),
      });
}

export function onAllCores(container: Container, options: RuntimeOptions, service: Service) {
  const { measured, all } = coresOf(options, service);
  const moveTo = async (cores: readonly number[], cpus: number): Promise<void> => {
    await container.update(coreSettings(cores, cpus)).catch((cause: unknown) => {
      throw new EnvironmentError(`the cores of ${service.name} cannot be changed: ${engineRefusalOf(cause)}`, {
        code: 'WG-213',
        cause,
      });
    });
  };
  return measured.length === all.length
    ? undefined
    : async (): Promise<AsyncDisposable> => {
        await moveTo(all, 1);
        return { [Symbol.asyncDispose]: () => moveTo(measured, limitsOf(options, service.limits).cpus) };
      };
}

function coresOf({ cores }: RuntimeOptions, service: Service) {
  return { measured: serviceCores(cores, service), all: allCores(cores) };
}

/** Where a container has the driver: a name that no image has, so that nothing of the image is hidden. */
const PLANT_FOLDER = '/wiregauge/plant';

/** Puts the plant of a service before the entry point of its image; undefined if it has none. */
export function plantRecast(
  service: PlantedService,
  { tools }: { readonly tools: Pick<LoadTools, 'folder'> },
): Recast | undefined {
  const plant = plantCommand(service, { folder: PLANT_FOLDER });
  return plant.length === 0
    ? undefined
    : (settings, image) => plantedSettings(settings, image, { plant, folder: tools.folder });
}

interface Planted {
  readonly plant: readonly string[];
  /** For the driver on this machine. */
  readonly folder: string;
}

function plantedSettings(
  settings: ContainerCreateOptions,
  image: ImageSettings,
  { plant, folder }: Planted,
): ContainerCreateOptions {
  const { HostConfig: host } = settings;
  return {
    ...settings,
    Entrypoint: [...plant, ...[image.Entrypoint ?? []].flat()],
    Cmd: settings.Cmd ?? image.Cmd ?? [],
    HostConfig: { ...host, Binds: [...(host?.Binds ?? []), `${folder}/${DRIVER}:${PLANT_FOLDER}/${DRIVER}:ro`] },
  };
}
