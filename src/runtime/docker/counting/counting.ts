import type { Container, ContainerCreateOptions } from 'dockerode';
import { MeasurementError } from '../../../foundation/errors.ts';
import type { Member, Service } from '../../../model/service.ts';
import type { CountingMode, CountingRuntime, Counts, RunningService } from '../../port.ts';
import { type ValgrindFiles, valgrindFiles } from '../../valgrind/files.ts';
import {
  ASKING_OPTIONS,
  COUNTED_MEMORY,
  countingOptions,
  countsPrinted,
  DUMP_SECONDS,
  requireOwnStart,
  requireValgrind,
  steadyEnvironment,
} from '../../valgrind/valgrind.ts';
import { limitsOf, runInContainer } from '../container.ts';
import { engineRefusalOf } from '../engine.ts';
import type { DockerPlace } from '../needs.ts';
import { environmentIn, type ImageSettings } from '../program.ts';
import type { ContainerCounting } from '../service.ts';
import { COUNTER_FOLDER, type counterVolume, LAUNCHER, STEADY_PATH, TOOLS, vgdbCommand } from './volume.ts';

/** Folder in the container's memory, gone with it; its programs write there as whatever user they run. */
const COUNTS = '/wiregauge/counts';

const LEAST_CPU_SHARES = 2;

export interface CountingPlace extends Pick<DockerPlace, 'options' | 'imageOf'> {
  readonly volume: ReturnType<typeof counterVolume>;
}

/** Starts services in containers under this machine's Valgrind, by what starts them without it. */
export function countingContainers(
  { options, imageOf, volume }: CountingPlace,
  start: (service: Service, counting: ContainerCounting, signal?: AbortSignal) => Promise<RunningService>,
): CountingRuntime {
  let found: Promise<ValgrindFiles> | undefined;
  const filesHere = (): Promise<ValgrindFiles> => {
    found ??= requireValgrind().then(valgrindFiles);
    return found;
  };
  return {
    async counter() {
      const { name, version, architecture } = await requireValgrind();
      return { name, version, architecture };
    },
    async start(service, { signal, exchangesCores = false, ...mode } = {}) {
      requireOwnStart(service);
      const { cores, owner, tools } = options;
      const files = await filesHere();
      const counter = await volume.filled(imageOf(service), { files, driverFolder: tools.folder, owner });
      const ask = [COUNTS, ...vgdbCommand(files), ...ASKING_OPTIONS];
      const counting: ContainerCounting = {
        cores: exchangesCores ? { service: cores.load, load: cores.service } : cores,
        recast: (settings, image) => countedSettings(settings, image, { counter, mode }),
        counts: (container, of, detail = 'counts') => countsIn(container, [LAUNCHER, detail, ...ask], of),
      };
      const roomy = <One extends Service | Member>(one: One): One => {
        const memoryMiB = COUNTED_MEMORY * limitsOf(options, one.limits).memoryMiB;
        return { ...one, limits: { ...one.limits, memoryMiB } };
      };
      return await start({ ...roomy(service), members: service.members?.map(roomy) }, counting, signal);
    },
  };
}

interface Counted {
  readonly counter: string;
  readonly mode?: CountingMode;
}

/** Settings of a container with the entry point of its image behind Valgrind, which is in folders of its own. */
export function countedSettings(
  settings: ContainerCreateOptions,
  image: ImageSettings,
  { counter, mode }: Counted,
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
      // On its core, the load tool of the other counted service has priority.
      CpuShares: LEAST_CPU_SHARES,
      // vgdb ignores programs with the number 1.
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
