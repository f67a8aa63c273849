import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Container } from 'dockerode';
import { EnvironmentError } from '../../foundation/errors.ts';
import { onDisk } from '../../host/files/output.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import { allCores, type Cores } from '../../host/machine/machine.ts';
import { hostCpu, networkBytes, networkCounters } from '../../host/machine/proc.ts';
import type { Reading } from '../../model/runner.ts';
import { programEnvironment, type Service } from '../../model/service.ts';
import { allOf, startWhole } from '../cleanups.ts';
import { loadLimits, type PlantedService, plantCommand } from '../driver/control.ts';
import { BlockRunner } from '../driver/driver.ts';
import { openRelay, RELAY_MODE, type Relay } from '../driver/relay.ts';
import { DRIVER } from '../driver/source.ts';
import { type Around, serviceCores, startAround } from '../needs.ts';
import type { CountDetail, Counts, Limits, LoadTools, RunningService, RuntimeOptions } from '../port.ts';
import { readingOf } from '../reading.ts';
import { countsOfAll } from '../valgrind/valgrind.ts';
import {
  commonSettings,
  coreSettings,
  endOfContainer,
  lastLogLines,
  limitsOf,
  makeNetwork,
  removeContainer,
  type StartedContainer,
  startContainer,
  stopContainer,
  tryInContainer,
} from './container.ts';
import { containerCounters } from './counters.ts';
import { type Engine, engineRefusalOf, isRootless } from './engine.ts';
import { startDriverExec } from './exec.ts';
import { type ContainerNeed, containerStarter, type DockerPlace } from './needs.ts';
import { managedRecast, type Recast, startProgramContainer } from './program.ts';

const LOG_LINES = 400;

/**
 * Service and load tool share one network, so a service that closes every connection uses up the load tool's ports: each stays in TIME_WAIT, and
 * after some 14,000 the tool spends its time looking for a free one. Clients on separate machines would not have this problem.
 */
const SOCKETS = { 'net.ipv4.ip_local_port_range': '1024 65535', 'net.ipv4.tcp_max_tw_buckets': '4096' };

const RELAY = 'wiregauge-relay';

export interface ServiceStart {
  readonly place: DockerPlace;
  readonly service: Service;
  /** Ends the wait for its needs. */
  readonly signal?: AbortSignal | undefined;
  readonly counting?: ContainerCounting | undefined;
  /** True if a relay counts calls to its needs and members. */
  readonly isRelayed?: boolean;
}

export interface ContainerCounting {
  /** Puts the counter before the program of the image. */
  readonly recast: Recast;
  /** Cores of the service and of its load tool. Needs run on the same core as in rounds. */
  readonly cores: Cores;
  /** Counts of a container; `of` is its name in messages. */
  readonly counts: (container: Container, of: string, detail?: CountDetail) => Promise<Counts>;
}

/** Starts needs, other members, the service and its load tools. If anything fails, all are removed. */
export async function startContainerService(start: ServiceStart): Promise<RunningService> {
  const { place, service, signal, counting, isRelayed = false } = start;
  const { engine, imageOf } = place;
  const { name, entry, needs = [] } = service;
  const options = counting === undefined ? place.options : { ...place.options, cores: counting.cores };
  return await startWhole({ name, log: options.log }, async (cleanups) => {
    const folder = await ownedFolder(options.owner);
    cleanups.add(() => rm(folder, { recursive: true, force: true }));
    const driver = {
      engine,
      options,
      image: imageOf(service),
      limits: loadLimits(options.limits, service.limits),
      folder,
    };
    const isAlone = needs.length === 0 && entry === undefined;
    const network = isAlone ? undefined : cleanups.use(await makeNetwork(engine, options.owner));
    const relay =
      isRelayed && network ? () => startRelay({ ...driver, network: network.name, alias: RELAY }) : undefined;
    const starter = { ...containerStarter(place, service, { network, counting }), relay };
    const around = cleanups.use(await startAround(service, starter, signal));
    const started = await startProgramContainer({
      engine,
      options,
      program: service,
      image: imageOf(service),
      environment: programEnvironment(service, around.places, options.lookups),
      sysctls: SOCKETS,
      ...(counting === undefined
        ? { core: serviceCores(options.cores, service), recast: recastOf(options, service) }
        : { core: options.cores.service, recast: counting.recast }),
      network: network && { name: network.name, alias: entry },
    });
    const { container, startedAtMs } = started;
    const own = containerCounters(started);
    let isStopping = false;
    const { memoryMiB } = limitsOf(options, service.limits);
    const ended = endOfContainer({ name, memoryMiB, container, isStopping: () => isStopping });
    // The service gets ready meanwhile.
    const load = openLoad({ ...driver, network: `container:${container.id}` });
    // Its end matters only to programs in the same network, and a clean one takes up to half a second of every round.
    const end = () => (isAlone ? removeContainer(container) : stopContainer(container));
    cleanups.add(() => allOf([load[Symbol.asyncDispose](), end()]));
    const address = `127.0.0.1:${started.hostPort}`;
    const { members } = around;
    return {
      ...{ address, loadAddress: `127.0.0.1:${service.port}`, folder: options.root, ended, startedAtMs },
      ...around.face(address, async () => (await own.read()).cpuSeconds),
      onAllCores: counting === undefined ? onAllCores(container, options, service) : undefined,
      // A whole core needs no quota: no program gets more of the cores that it runs on.
      hasCpuQuota: [service, ...(service.members ?? [])].some(({ limits }) => limitsOf(options, limits).cpus < 1),
      reading: readings({ started, entry }, load.started, around),
      play: (block, stop) => load.blocks.play(block, stop),
      counts:
        counting &&
        ((detail) =>
          countsOfAll(service, (program, title) => {
            const member = members.find(({ need }) => need.name === program);
            return counting.counts(member?.container ?? container, title, detail);
          })),
      processes: own.isVisible ? [started, ...members].map(({ pid }) => pid) : undefined,
      logs: (lines = LOG_LINES) => lastLogLines(container, lines),
      tries: (command) => tryInContainer(container, command),
      async [Symbol.asyncDispose]() {
        isStopping = true;
        await cleanups[Symbol.asyncDispose]();
      },
    };
  });
}

function recastOf(options: DockerPlace['options'], service: Service): Recast {
  const plant = plantRecast(service, options);
  const { measured, all } = coresOf(options, service);
  const { cpus } = limitsOf(options, service.limits);
  const cores = measured.length === all.length ? undefined : Math.ceil(measured.length * cpus);
  const managed = managedRecast({ ...service, cores });
  return (settings, image) => managed(plant?.(settings, image) ?? settings, image);
}

/**
 * Reads the counters of a service, of its load tools, and of its needs and members. The load tools share the service's network, so that their packets
 * use its loopback interface: all bytes are visible there, but no file of the kernel distinguishes those to the service from those of the service.
 * Its needs and other members are not behind that interface.
 */
function readings(
  { started, entry }: { readonly started: StartedContainer; readonly entry: string | undefined },
  load: Promise<StartedContainer>,
  around: Around<ContainerNeed>,
): () => Promise<Reading> {
  const serviceCounters = containerCounters(started);
  const loadCounters = load.then(containerCounters);
  // The reader gets the error.
  loadCounters.catch(() => undefined);
  return async () => {
    const counters = await loadCounters;
    const [{ cpuSeconds, memoryMiB, peakMemoryMiB }, loadUsed, needsCpuSeconds, members] = await Promise.all([
      serviceCounters.read(),
      counters.read(),
      around.needsCpuSeconds(),
      Promise.all(around.members.map(async (member) => [member.need.name, await member.used()] as const)),
    ]);
    const { isVisible } = serviceCounters;
    const network = isVisible ? networkCounters(started.pid) : undefined;
    const bytes = isVisible ? networkBytes(started.pid) : undefined;
    return readingOf({
      atMs: Date.now(),
      own: { cpuSeconds, peakMemoryMiB, receivedBytes: bytes?.received, sentBytes: bytes?.sent },
      entry,
      members,
      memoryMiB,
      wireBytes: network?.loopbackBytes,
      loadCpuSeconds: loadUsed.cpuSeconds,
      ...(needsCpuSeconds !== undefined && { needsCpuSeconds }),
      host: {
        ...hostCpu(),
        listenOverflows: network?.listenOverflows ?? 0,
        timeWaitSockets: network?.timeWaitSockets ?? 0,
      },
    });
  };
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

/** Folder of the driver in a container: no image has this name, so nothing of the image is hidden. */
const DRIVER_FOLDER = '/wiregauge/driver';

const DRIVER_PATH = `${DRIVER_FOLDER}/${DRIVER}`;

/** Puts the plant of a service before the entry point of its image; undefined if it has none. */
export function plantRecast(
  service: PlantedService,
  { tools }: { readonly tools: Pick<LoadTools, 'folder'> },
): Recast | undefined {
  const plant = plantCommand(service, { folder: DRIVER_FOLDER });
  return plant.length === 0
    ? undefined
    : (settings, image) => ({
        ...settings,
        Entrypoint: [...plant, ...[image.Entrypoint ?? []].flat()],
        Cmd: settings.Cmd ?? image.Cmd ?? [],
        HostConfig: {
          ...settings.HostConfig,
          Binds: [...(settings.HostConfig?.Binds ?? []), `${tools.folder}/${DRIVER}:${DRIVER_PATH}:ro`],
        },
      });
}

/** Place of the load driver: in the network of a service, on its own core. */
interface LoadPlace {
  readonly engine: Engine;
  readonly options: RuntimeOptions;
  /** Any image of the engine: the driver is a static program that does not depend on it. */
  readonly image: string;
  /** Network to join: that of a container, or one by name. */
  readonly network: string;
  readonly alias?: string;
  readonly limits: Limits;
  readonly folder: string;
}

const WORK = '/wiregauge/work';

const BLOCKS = 'blocks';

/** Starts a container in which the driver is started later, in a third of the time of a new container. */
async function startLoadContainer(place: LoadPlace): Promise<StartedContainer> {
  const { engine, options, image, network, alias, limits, folder } = place;
  const common = commonSettings(options, options.cores.load, limits);
  try {
    return await startContainer(engine, {
      ...common,
      Image: image,
      // Waits for a block on a standard input without a writer, without using CPU time.
      Entrypoint: [DRIVER_PATH],
      Cmd: [],
      OpenStdin: true,
      User: await ownUser(engine),
      HostConfig: {
        ...common.HostConfig,
        NetworkMode: network,
        Binds: [`${options.tools.folder}:${DRIVER_FOLDER}:ro`, `${folder}:${WORK}`],
      },
      ...(alias !== undefined && { NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [alias] } } } }),
    });
  } catch (cause) {
    throw new EnvironmentError(`the container of the load driver cannot be started: ${engineRefusalOf(cause)}`, {
      code: 'WG-203',
      cause,
      next: `Check that ${DRIVER} is in ${options.tools.folder}, and that the engine can read that folder.`,
    });
  }
}

/** Starts a relay in a separate container. Throws EnvironmentError if the engine refuses it. */
export async function startRelay(place: LoadPlace & { readonly alias: string }): Promise<Relay> {
  const { container } = await startLoadContainer(place);
  const program = { command: [DRIVER_PATH, RELAY_MODE, '0.0.0.0'], folder: WORK };
  const remove = (): Promise<void> => removeContainer(container);
  try {
    const relay = await openRelay((heard) => startDriverExec(container, program, heard), place.alias);
    return { ...relay, [Symbol.asyncDispose]: remove };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

/** Load driver of a service, started on demand, in a container that starts at once. Disposing of it removes both. */
export function openLoad(place: LoadPlace) {
  const started = startLoadContainer(place);
  const blocks = new BlockRunner(async () => {
    const folder = join(place.folder, BLOCKS);
    await onDisk(folder, () => mkdir(folder));
    const program = { command: [DRIVER_PATH], folder: `${WORK}/${BLOCKS}` };
    return { folder, open: async (heard) => startDriverExec((await started).container, program, heard) };
  });
  const remove = () =>
    started.then(
      ({ container }) => removeContainer(container),
      () => undefined,
    );
  return { started, blocks, [Symbol.asyncDispose]: () => allOf([blocks[Symbol.asyncDispose](), remove()]) };
}

// The driver writes as the user who will read and remove the files. An engine without root maps its own user to root inside.
async function ownUser(engine: Engine): Promise<string> {
  return isRootless(await engine.api.info()) ? '0:0' : `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
}
