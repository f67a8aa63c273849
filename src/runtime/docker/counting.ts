import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Container, ContainerCreateOptions, HostConfig } from 'dockerode';
import { pack } from 'tar-stream';
import { EnvironmentError, MeasurementError, messageOf } from '../../foundation/errors.ts';
import { type Service, withMembers } from '../../model/service.ts';
import { DRIVER } from '../driver/source.ts';
import type { CountingMode, CountingRuntime, Counts, RunningService } from '../port.ts';
import {
  ASKING_OPTIONS,
  COUNTED_MEMORY,
  countingOptions,
  countingRuntime,
  countsPrinted,
  DUMP_SECONDS,
  STEADY_NODE,
  type SteadyPath,
  steadyEnvironment,
  type ValgrindFiles,
} from '../valgrind/valgrind.ts';
import { anonymousName, containerLabels, ignoring, limitsOf, runInContainer, withFilesOf } from './container.ts';
import { type Engine, engineRefusalOf } from './engine.ts';
import type { DockerPlace } from './needs.ts';
import { environmentIn, type ImageSettings } from './program.ts';
import type { ContainerCounting } from './service.ts';

/** Folder in the container's memory, removed with it; its programs write there as any user. */
const COUNTS = '/wiregauge/counts';

const LEAST_CPU_SHARES = 2;

/** Starts services in containers under this machine's Valgrind, with the starter for those without it. */
export function countingContainers(
  {
    options,
    imageOf,
    volume,
  }: Pick<DockerPlace, 'options' | 'imageOf'> & { readonly volume: ReturnType<typeof counterVolume> },
  start: (service: Service, counting: ContainerCounting, signal?: AbortSignal) => Promise<RunningService>,
): CountingRuntime {
  return countingRuntime(async (service, files, { signal, exchangesCores = false, ...mode }) => {
    const { cores, owner, tools } = options;
    const counter = await volume.filled(imageOf(service), { files, driverFolder: tools.folder, owner });
    const ask = [COUNTS, ...vgdbCommand(files), ...ASKING_OPTIONS];
    const counting: ContainerCounting = {
      cores: exchangesCores ? { service: cores.load, load: cores.service } : cores,
      recast: (settings, image) => countedSettings(settings, image, { counter, mode }),
      counts: (container, of, detail = 'counts') => countsIn(container, [LAUNCHER, detail, ...ask], of),
    };
    const roomy = withMembers(service, (one) => {
      const memoryMiB = COUNTED_MEMORY * limitsOf(options, one.limits).memoryMiB;
      return { ...one, limits: { ...one.limits, memoryMiB } };
    });
    return await start(roomy, counting, signal);
  });
}

/** Settings of a container that runs the entry point of its image under Valgrind, which is mounted in separate folders. */
export function countedSettings(
  settings: ContainerCreateOptions,
  image: ImageSettings,
  { counter, mode }: { readonly counter: string; readonly mode?: CountingMode },
): ContainerCreateOptions {
  const { HostConfig: host } = settings;
  const own = environmentIn(settings, image);
  const environment = { ...steadyEnvironment(own, STEADY_PATH, mode), VALGRIND_LIB: TOOLS };
  return {
    ...settings,
    Entrypoint: [LAUNCHER, ...countingOptions(COUNTS, mode), ...[image.Entrypoint ?? []].flat()],
    Cmd: settings.Cmd ?? image.Cmd ?? [],
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    HostConfig: {
      ...host,
      // The load tool of the other counted service has priority on its core.
      CpuShares: LEAST_CPU_SHARES,
      // vgdb ignores programs with PID 1.
      Init: true,
      Tmpfs: { ...host?.Tmpfs, [COUNTS]: 'mode=1777' },
      Mounts: [...(host?.Mounts ?? []), { Type: 'volume', Source: counter, Target: COUNTER_FOLDER, ReadOnly: true }],
    },
  };
}

/** Runs as the user of the service, the only one who may read its files. */
async function countsIn(container: Container, ask: readonly string[], of: string): Promise<Counts> {
  const end = await runInContainer(container, ask, DUMP_SECONDS * 1000).catch((cause: unknown) => {
    throw new MeasurementError(`the counts of ${of} cannot be read: ${engineRefusalOf(cause)}`, {
      code: 'WG-402',
      cause,
      next: 'Its container has probably ended; check its last output.',
    });
  });
  return countsPrinted(end ?? { exitCode: 1, printed: `no answer within ${DUMP_SECONDS} s` }, of);
}

/** Folder of the counter in a container: no image has this name, so nothing of the image is hidden. */
const COUNTER_FOLDER = '/wiregauge/counter';

const LAUNCHER = `${COUNTER_FOLDER}/${DRIVER}`;

const TOOLS = `${COUNTER_FOLDER}/tools`;

const VGDB = `${COUNTER_FOLDER}/vgdb`;

const PROGRAMS = 'programs';

/** PATH of programs in a container; an engine uses this one if the image sets none. */
const STEADY_PATH: SteadyPath = {
  programs: `${COUNTER_FOLDER}/${PROGRAMS}`,
  usual: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
};

/** Independent of the image: it is started by its own loader, with its own libraries. */
function vgdbCommand({ vgdb, loader }: ValgrindFiles): readonly string[] {
  const program = `${VGDB}/${basename(vgdb)}`;
  return loader === undefined ? [program] : [`${VGDB}/${basename(loader)}`, '--library-path', VGDB, program];
}

interface CounterFiles {
  readonly files: ValgrindFiles;
  readonly driverFolder: string;
  readonly owner: string;
}

/** Counter in a volume, filled through the engine, which may see different files than this program. Its labels mark it as left by a killed run. */
export function counterVolume(engine: Engine) {
  let name: Promise<string> | undefined;
  return {
    /** Name of the volume, created at the first call with the help of any image, which is not started. */
    filled: (image: string, counter: CounterFiles): Promise<string> => (name ??= makeVolume(engine, image, counter)),
    async [Symbol.asyncDispose](): Promise<void> {
      const made = await name?.catch(() => undefined);
      name = undefined;
      if (made !== undefined) {
        await removeVolume(engine, made);
      }
    },
  };
}

export async function removeVolume({ api }: Engine, name: string): Promise<void> {
  await api.getVolume(name).remove().catch(ignoring(404));
}

async function makeVolume(engine: Engine, image: string, counter: CounterFiles): Promise<string> {
  const { owner } = counter;
  const name = anonymousName();
  const archive = await archiveOf(counter).catch((cause: unknown) => {
    throw new EnvironmentError(`the instruction counter cannot be read: ${messageOf(cause)}`, {
      code: 'WG-107',
      cause,
      next: 'Run it again; if the file is part of Valgrind, reinstall Valgrind.',
    });
  });
  try {
    await engine.api.createVolume({ Name: name, Labels: containerLabels(owner) });
    const host: HostConfig = { Mounts: [{ Type: 'volume', Source: name, Target: COUNTER_FOLDER }] };
    await withFilesOf(engine, { image, owner, host }, (container) =>
      container.putArchive(archive, { path: COUNTER_FOLDER }),
    );
    return name;
  } catch (thrown) {
    await removeVolume(engine, name).catch(() => undefined);
    throw new EnvironmentError(`the instruction counter cannot be copied to the engine: ${engineRefusalOf(thrown)}`, {
      code: 'WG-309',
      cause: thrown,
      next: 'Check that its disk has 40 MiB free and that you can create volumes (`docker volume create`), or use `--runtime process`.',
    });
  }
}

/** Archive of files for a container, owned by root and readable by every user. */
async function archiveOf({ files, driverFolder }: CounterFiles): Promise<Readable> {
  const { tools, vgdb, loader, libraries } = files;
  const archive = pack();
  for (const folder of ['', 'tools/', 'vgdb/', `${PROGRAMS}/`]) {
    archive.entry({ name: `./${folder}`, type: 'directory', mode: MODE });
  }
  archive.entry({ name: `./${PROGRAMS}/${STEADY_NODE}`, type: 'symlink', linkname: `../${DRIVER}` });
  const counting = (await readdir(tools)).filter((name) => /^(callgrind|vgpreload_core)-/.test(name));
  const copies: readonly (readonly [name: string, path: string])[] = [
    [DRIVER, join(driverFolder, DRIVER)],
    ...counting.map((name) => [`tools/${name}`, join(tools, name)] as const),
    ...[vgdb, loader ?? [], libraries].flat(2).map((path) => [`vgdb/${basename(path)}`, path] as const),
  ];
  for (const [name, path] of copies) {
    archive.entry({ name: `./${name}`, mode: MODE }, await readFile(path));
  }
  archive.finalize();
  return Readable.from(archive);
}

const MODE = 0o755;
