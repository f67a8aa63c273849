import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvironmentError } from '../../foundation/errors.ts';
import { onDisk } from '../../host/files/output.ts';
import { allOf } from '../cleanups.ts';
import { BlockRunner } from '../driver/driver.ts';
import { openRelay, RELAY_MODE, type Relay } from '../driver/relay.ts';
import { DRIVER } from '../driver/source.ts';
import type { Limits, RuntimeOptions } from '../port.ts';
import { commonSettings, removeContainer, type StartedContainer, startContainer } from './container.ts';
import { type Engine, engineRefusalOf, isRootless } from './engine.ts';
import { startDriverExec } from './exec.ts';

/** Place of the load driver: in the network of a service, on a core of its own. */
interface LoadPlace {
  readonly engine: Engine;
  readonly options: RuntimeOptions;
  /** Any image of the engine: the driver is a static program that needs nothing of it. */
  readonly image: string;
  /** Network that it joins: that of a container, or one by its name. */
  readonly network: string;
  readonly alias?: string;
  readonly limits: Limits;
  readonly folder: string;
}

/** Where a container has the folder of the driver: a name that no image has, so that nothing of the image is hidden. */
const DRIVER_FOLDER = '/wiregauge/driver';

const WORK = '/wiregauge/work';

const BLOCKS = 'blocks';

/** Starts a container in which the driver is started later: that takes a third of the time of a new container. */
async function startLoadContainer(place: LoadPlace): Promise<StartedContainer> {
  const { engine, options, image, network, alias, limits, folder } = place;
  const common = commonSettings({ options, core: options.cores.load, limits });
  try {
    return await startContainer(engine, {
      ...common,
      Image: image,
      // Waits for a block on a standard input without a writer, and takes no CPU time.
      Entrypoint: [`${DRIVER_FOLDER}/${DRIVER}`],
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

/** Starts a relay in a container of its own. Throws EnvironmentError if the engine refuses it. */
export async function startRelay(place: LoadPlace & { readonly alias: string }): Promise<Relay> {
  const { container } = await startLoadContainer(place);
  const program = { path: `${DRIVER_FOLDER}/${DRIVER}`, folder: WORK, arguments: [RELAY_MODE, '0.0.0.0'] };
  const remove = (): Promise<void> => removeContainer(container);
  try {
    const relay = await openRelay((heard) => startDriverExec(container, program, heard), place.alias);
    return { ...relay, [Symbol.asyncDispose]: remove };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

/** The load driver of a service, started when it is first needed, in a container that starts at once. Disposing of it removes both. */
export function openLoad(place: LoadPlace) {
  const started = startLoadContainer(place);
  const blocks = new BlockRunner(async () => {
    const folder = join(place.folder, BLOCKS);
    await onDisk(folder, () => mkdir(folder));
    const program = { path: `${DRIVER_FOLDER}/${DRIVER}`, folder: `${WORK}/${BLOCKS}` };
    return { folder, open: async (heard) => startDriverExec((await started).container, program, heard) };
  });
  const remove = () =>
    started.then(
      ({ container }) => removeContainer(container),
      () => undefined,
    );
  return { started, blocks, [Symbol.asyncDispose]: () => allOf([blocks[Symbol.asyncDispose](), remove()]) };
}

// The driver writes as the user who will read and remove. An engine without root maps its own user to root inside.
async function ownUser(engine: Engine): Promise<string> {
  return isRootless(await engine.api.info()) ? '0:0' : `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
}
