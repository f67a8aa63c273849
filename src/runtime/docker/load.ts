import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Container } from 'dockerode';
import { EnvironmentError } from '../../foundation/index.ts';
import { onDisk } from '../../host/index.ts';
import { assertDiskHasRoom, BlockPlayer, DRIVER, recordsIn, writeInputs } from '../../load/index.ts';
import type { LoadCommand, LoadEnd } from '../../model/index.ts';
import type { Limits, RuntimeOptions } from '../port.ts';
import { commonSettings, type StartedContainer, startContainer } from './container.ts';
import { type Engine, engineRefusalOf } from './engine.ts';
import { type ExecEnd, prepareExec, startDriverExec } from './exec.ts';

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

/** Where a container has the folder of the driver. */
export const DRIVER_FOLDER = '/wiregauge/driver';

const WORK = '/wiregauge/work';

const BLOCKS = 'blocks';

/**
 * Starts a container for the load tools that waits for commands: starting a program in it takes a third of the time that a
 * container of its own would. Throws EnvironmentError if the engine refuses it.
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
      code: 'WG-203',
      cause,
      next: `Check that vegeta and ghz are in ${options.tools.folder}, and that the engine can read that folder.`,
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
