import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Container } from 'dockerode';
import { EnvironmentError, messageOf } from '../../foundation/index.ts';
import { onDisk, ownedFolder } from '../../host/index.ts';
import { assertDiskHasRoom, BlockPlayer, DRIVER, recordsIn, writeInputs } from '../../load/index.ts';
import { environmentBeside, type LoadCommand, type LoadEnd, type Service } from '../../model/index.ts';
import { loadLimits } from '../control.ts';
import type { Limits, RunningService, RuntimeOptions } from '../port.ts';
import { ailmentAmong } from '../ready.ts';
import {
  commonSettings,
  endOfContainer,
  lastLogLines,
  limitsOf,
  removeContainer,
  type StartedContainer,
  startContainer,
  stopContainer,
  tryInContainer,
} from './container.ts';
import { type Engine, engineRefusalOf } from './engine.ts';
import { type ExecEnd, prepareExec, startDriverExec } from './exec.ts';
import { type BesideInNetwork, type DockerPlace, startBeside } from './needs.ts';
import { type ProgramContainer, startProgramContainer } from './program.ts';
import { readings } from './readings.ts';

const LOG_LINES = 400;

/**
 * Service and load tool share one network, so a service that closes every connection takes the load tool's ports away: each
 * stays in TIME_WAIT, and after some 14,000 the tool spends its time looking for a free one. Clients on machines of their own
 * would not see that.
 */
const SOCKETS = { 'net.ipv4.ip_local_port_range': '1024 65535', 'net.ipv4.tcp_max_tw_buckets': '4096' };

type Cleanup = () => Promise<void>;

/** A service to start. */
export interface ServiceStart {
  readonly place: DockerPlace;
  readonly service: Service;
  /** Ends the wait for what it needs. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts what a service needs, its other members, the service itself in a fresh container, and another one for the load tools in the
 * same network. Where anything fails, what was started so far is removed before the error is thrown.
 */
export async function startContainerService(start: ServiceStart): Promise<RunningService> {
  const { place, service } = start;
  const cleanups: Cleanup[] = [];
  try {
    return await startAll(start, cleanups);
  } catch (thrown) {
    await cleanUp(cleanups).catch((failure: unknown) =>
      place.options.log(`something of ${service.name} could not be removed: ${messageOf(failure)}`),
    );
    throw thrown;
  }
}

async function startAll({ place, service, signal }: ServiceStart, cleanups: Cleanup[]): Promise<RunningService> {
  const { engine, options, imageOf } = place;
  const folder = await ownedFolder(options.owner);
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const beside = await startBeside(place, service, signal);
  cleanups.push(async () => await beside?.[Symbol.asyncDispose]());
  const started = await startServiceContainer({ place, service }, beside);
  const { container } = started;
  let isStopping = false;
  const { memoryMiB } = limitsOf(options, service.limits);
  const ended = endOfContainer({ name: service.name, container, memoryMiB, isStopping: () => isStopping });
  const limits = loadLimits(options.limits, service.limits);
  const loadPlace = { engine, options, image: imageOf(service), service: container, limits, folder };
  // The service gets ready meanwhile.
  const load = startLoadContainer(loadPlace);
  const blocks = blockPlayer(loadPlace, load);
  const noLoad = () => undefined;
  const removeLoad = () => load.then((one) => removeContainer(one.container), noLoad);
  // Nobody but what runs beside it would notice how a service ends, and an orderly end takes up to half a second of every round.
  const end = () => (beside === undefined ? removeContainer(container) : stopContainer(container));
  cleanups.push(() => allOf([blocks[Symbol.asyncDispose](), removeLoad(), end()]));
  let loads = 0;
  return {
    address: `127.0.0.1:${started.hostPort}`,
    loadAddress: `127.0.0.1:${service.port}`,
    folder: options.root,
    ended,
    needEnded: beside?.ended,
    ailing: () => ailmentAmong(beside?.members ?? [], service.name),
    reading: readings({ started, entry: service.entry }, load, beside),
    async load(commands, stop) {
      loads += 1;
      const name = `load-${loads}`;
      return await runLoad({ place: loadPlace, started: await load, name }, commands, stop);
    },
    play: (block, stop) => blocks.play(block, stop),
    logs: () => lastLogLines(container, LOG_LINES),
    tries: (command) => tryInContainer(container, command),
    async [Symbol.asyncDispose]() {
      isStopping = true;
      await cleanUp(cleanups);
    },
  };
}

async function startServiceContainer(
  { place, service }: ServiceStart,
  beside: BesideInNetwork | undefined,
): Promise<ProgramContainer> {
  const { entry } = service;
  const { engine, options, imageOf } = place;
  return await startProgramContainer({
    engine,
    options,
    program: service,
    image: imageOf(service),
    core: options.cores.service,
    environment: environmentBeside(service, beside?.places ?? [], options.lookups),
    sysctls: SOCKETS,
    ...(beside !== undefined && {
      network: { name: beside.network.name, ...(entry !== undefined && { alias: entry }) },
    }),
  });
}

/** Waits for all, and throws what the first of them threw. */
async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

/** Undoes in reverse order; what cannot be undone does not keep the rest from it. */
async function cleanUp(cleanups: Cleanup[]): Promise<void> {
  const failures: unknown[] = [];
  for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) {
    await cleanup().catch((thrown: unknown) => failures.push(thrown));
  }
  if (failures.length > 0) {
    throw failures[0];
  }
}

/** Where load tools run: beside a service in its network, on a core of their own. */
export interface LoadPlace {
  readonly engine: Engine;
  readonly options: RuntimeOptions;
  /** Any image of the engine: the tools are static programs that need nothing of it. */
  readonly image: string;
  readonly service: Container;
  readonly limits: Limits;
  /** The folder that the commands' folders are made in. */
  readonly folder: string;
}

// Names that no image has, so that nothing of the image is hidden.
const TOOLS = '/wiregauge/tools';

const DRIVER_FOLDER = '/wiregauge/driver';

const WORK = '/wiregauge/work';

const BLOCKS = 'blocks';

/**
 * Starts a container for the load tools that waits for commands: starting a program in it takes a third of the time that a
 * container of its own would. Throws EnvironmentError where the engine refuses it.
 */
export async function startLoadContainer(place: LoadPlace): Promise<StartedContainer> {
  const { engine, options, image, service, limits, folder } = place;
  const { driverFolder } = options.tools;
  const common = commonSettings({ options, core: options.cores.load, limits });
  try {
    return await startContainer(engine, {
      ...common,
      Image: image,
      // A report that waits for records on a standard input that nobody writes to, and takes no CPU time.
      Entrypoint: [`${TOOLS}/vegeta`],
      Cmd: ['report'],
      OpenStdin: true,
      User: await ownUser(engine),
      HostConfig: {
        ...common.HostConfig,
        NetworkMode: `container:${service.id}`,
        Binds: [
          `${options.tools.folder}:${TOOLS}:ro`,
          ...(driverFolder === undefined ? [] : [`${driverFolder}:${DRIVER_FOLDER}:ro`]),
          `${folder}:${WORK}`,
        ],
      },
    });
  } catch (cause) {
    throw new EnvironmentError(`the container of the load tools cannot be started: ${engineRefusalOf(cause)}`, {
      cause,
      next: `Are vegeta and ghz in ${options.tools.folder}, and may the engine read that folder?`,
    });
  }
}

/**
 * Runs the commands side by side and gives how each ended, in their order. A command over its time limit is killed, and its
 * end says so; an abort kills all and rejects with the signal's reason.
 */
export async function runLoad(
  { place, started, name }: { place: LoadPlace; started: StartedContainer; name: string },
  commands: readonly LoadCommand[],
  signal: AbortSignal,
): Promise<readonly LoadEnd[]> {
  signal.throwIfAborted();
  const folder = join(place.folder, name);
  await onDisk(folder, () => mkdir(folder));
  for (const command of commands) {
    await writeInputs(command, folder);
  }
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  // All are prepared before the first is started, so that they start as close together as the engine can.
  const prepared = await Promise.all(
    commands.map((command) =>
      prepareExec(started.container, {
        argv: [`${TOOLS}/${command.tool}`, ...command.arguments],
        folder: `${WORK}/${name}`,
        limitSeconds: command.limitSeconds,
      }),
    ),
  );
  const runs = prepared.map((exec) => exec.run(stop));
  for (const run of runs) {
    run.catch((reason: unknown) => failed.abort(reason));
  }
  await Promise.allSettled(runs);
  signal.throwIfAborted();
  const ends = await Promise.all(runs);
  return commands.flatMap((command, index) => {
    const end = ends[index];
    return end === undefined ? [] : [loadEnd({ command, folder, end })];
  });
}

interface Played {
  readonly command: LoadCommand;
  readonly folder: string;
  readonly end: ExecEnd;
}

function loadEnd({ command, folder, end }: Played): LoadEnd {
  if (end.exitCode !== 0) {
    assertDiskHasRoom(end.complaint, command.tool, folder);
  }
  return { ...end, records: () => recordsIn(join(folder, command.output)) };
}

/** Plays blocks by a driver in the container of the load tools. */
export function blockPlayer(place: LoadPlace, started: Promise<StartedContainer>): BlockPlayer {
  return new BlockPlayer(async () => {
    const folder = join(place.folder, BLOCKS);
    await onDisk(folder, () => mkdir(folder));
    const program = { path: `${DRIVER_FOLDER}/${DRIVER}`, folder: `${WORK}/${BLOCKS}` };
    return { folder, open: async (heard) => startDriverExec((await started).container, program, heard) };
  });
}

// The tools write as the user who will read and remove. An engine without root maps its own user to root inside.
async function ownUser(engine: Engine): Promise<string> {
  const { SecurityOptions: options }: { SecurityOptions?: unknown } = await engine.api.info();
  const isRootless = Array.isArray(options) && options.includes('name=rootless');
  return isRootless ? '0:0' : `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
}
