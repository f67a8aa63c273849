import { basename, join } from 'node:path';
import type { Container, ContainerCreateOptions } from 'dockerode';
import { EnvironmentError, MeasurementError } from '../../foundation/index.ts';
import { DRIVER } from '../../load/index.ts';
import type { Service } from '../../model/index.ts';
import type { CountDetail, CountingRuntime, Counts, RunningService, RuntimeOptions } from '../port.ts';
import { type ValgrindFiles, valgrindFiles } from '../valgrind/files.ts';
import {
  ASKING_OPTIONS,
  COUNTED_MEMORY,
  countingOptions,
  countsPrinted,
  DUMP_SECONDS,
  requireOwnStart,
  requireValgrind,
  steadyEnvironment,
} from '../valgrind/valgrind.ts';
import { limitsOf, runInContainer } from './container.ts';
import { engineRefusalOf } from './engine.ts';
import { DRIVER_FOLDER } from './load.ts';
import type { ImageSettings } from './program.ts';
import type { ContainerCounting } from './service.ts';

const TOOLS = '/wiregauge/valgrind/tools';

const VGDB = '/wiregauge/valgrind/vgdb';

/** In the container's memory, and gone with it; its programs write there as whatever user they run. */
const COUNTS = '/wiregauge/counts';

const LEAST_CPU_SHARES = 2;

const LAUNCHER = `${DRIVER_FOLDER}/${DRIVER}`;

/** Starts services in containers under this machine's Valgrind, by what starts them without it. */
export function countingContainers(
  options: RuntimeOptions,
  start: (service: Service, counting: ContainerCounting, signal?: AbortSignal) => Promise<RunningService>,
): CountingRuntime {
  let found: Promise<ValgrindFiles> | undefined;
  const files = (): Promise<ValgrindFiles> => {
    found ??= requireValgrind().then(valgrindFiles);
    return found;
  };
  return {
    async counter() {
      const { name, version, architecture } = await requireValgrind();
      return { name, version, architecture };
    },
    async start(service, { signal, exchangesCores = false, isFromStart } = {}) {
      requireOwnStart(service);
      const { cores } = options;
      const own = exchangesCores ? { service: cores.load, load: cores.service } : cores;
      const counting = { ...containerCounting(await files(), options, isFromStart), cores: own };
      const memoryMiB = COUNTED_MEMORY * limitsOf(options, service.limits).memoryMiB;
      return await start({ ...service, limits: { ...service.limits, memoryMiB } }, counting, signal);
    },
  };
}

function containerCounting(
  files: ValgrindFiles,
  { tools: { driverFolder } }: RuntimeOptions,
  isFromStart: boolean | undefined,
) {
  if (driverFolder === undefined) {
    throw new EnvironmentError('instructions cannot be counted in containers without the load driver', {
      code: 'WG-203',
      next: 'Fetch it: `wiregauge tools`.',
    });
  }
  // The file alone: its folder may be open to this user only.
  const mounts = { [join(driverFolder, DRIVER)]: LAUNCHER, ...mountsOf(files) };
  const ask = [COUNTS, ...vgdbCommand(files), ...ASKING_OPTIONS];
  return {
    recast: (settings: ContainerCreateOptions, image: ImageSettings) =>
      countedSettings(settings, image, { mounts, isFromStart }),
    counts: (container: Container, detail: CountDetail = 'counts') => countsIn(container, [LAUNCHER, detail, ...ask]),
  };
}

/** Where a container has the files of this machine, by their paths here. */
function mountsOf({ tools, vgdb, loader, libraries }: ValgrindFiles): Readonly<Record<string, string>> {
  const files = [vgdb, ...(loader === undefined ? [] : [loader]), ...libraries];
  return { [tools]: TOOLS, ...Object.fromEntries(files.map((file) => [file, `${VGDB}/${basename(file)}`])) };
}

/** It needs nothing of the image: it is started by the loader that it came with, and with its own libraries. */
function vgdbCommand({ vgdb, loader }: ValgrindFiles): readonly string[] {
  const program = `${VGDB}/${basename(vgdb)}`;
  return loader === undefined ? [program] : [`${VGDB}/${basename(loader)}`, '--library-path', VGDB, program];
}

interface Counted {
  /** Where the container has files of this machine. */
  readonly mounts: Readonly<Record<string, string>>;
  readonly isFromStart?: boolean | undefined;
}

/** The settings of a container with the entry point of its image behind Valgrind, which lies in folders of its own. */
export function countedSettings(
  settings: ContainerCreateOptions,
  image: ImageSettings,
  { mounts, isFromStart }: Counted,
): ContainerCreateOptions {
  const { HostConfig: host } = settings;
  const own = Object.fromEntries([...(image.Env ?? []), ...(settings.Env ?? [])].map(variable));
  const environment = { ...steadyEnvironment(own), VALGRIND_LIB: TOOLS };
  return {
    ...settings,
    Entrypoint: [LAUNCHER, ...countingOptions(COUNTS, isFromStart), ...[image.Entrypoint ?? []].flat()],
    Cmd: settings.Cmd ?? image.Cmd ?? [],
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    HostConfig: {
      ...host,
      // On its core, the load tool of what is counted beside it goes first.
      CpuShares: LEAST_CPU_SHARES,
      // vgdb asks no program whose number is 1.
      Init: true,
      Tmpfs: { ...host?.Tmpfs, [COUNTS]: 'mode=1777' },
      Mounts: [
        ...(host?.Mounts ?? []),
        ...Object.entries(mounts).map(([source, target]) => ({
          Type: 'bind' as const,
          Source: source,
          Target: target,
          ReadOnly: true,
        })),
      ],
    },
  };
}

function variable(text: string): readonly [string, string] {
  const end = text.indexOf('=');
  return end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)];
}

/** Asks as the user of the service, who alone may read what its programs wrote. */
async function countsIn(container: Container, ask: readonly string[]): Promise<Counts> {
  const end = await runInContainer(container, ask, DUMP_SECONDS * 1000).catch((cause: unknown) => {
    throw new MeasurementError(`the counts of the service cannot be read: ${engineRefusalOf(cause)}`, {
      code: 'WG-402',
      cause,
      next: 'Its container has probably ended; see what it printed last.',
    });
  });
  return countsPrinted(end ?? { exitCode: 1, printed: `no answer within ${DUMP_SECONDS} s` });
}
