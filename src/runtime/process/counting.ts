import { lstat, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { runChild } from '../../host/child.ts';
import { onDisk } from '../../host/files/output.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import type { Service } from '../../model/service.ts';
import { DRIVER } from '../driver/source.ts';
import type { CountDetail, CountingRuntime, Counts, RunningService } from '../port.ts';
import { valgrindFiles } from '../valgrind/files.ts';
import { countedPrograms, countedTitle, countsOfAll } from '../valgrind/members.ts';
import {
  ASKING_OPTIONS,
  countingOptions,
  countsPrinted,
  DUMP_SECONDS,
  requireOwnStart,
  requireValgrind,
  STEADY_NODE,
  type ValgrindPlace,
} from '../valgrind/valgrind.ts';
import type { ServiceOptions } from './service.ts';
import type { Site } from './site.ts';

/** On its core, the load tool of the other counted service has priority: a program that waits for a request sleeps, which costs system calls. */
const LAST_IN_LINE: readonly string[] = ['nice', '-n', '19'];

/** Starts plain processes under Valgrind, by what starts them without it. */
export function countingProcesses(
  site: Site,
  start: (service: Service, options: ServiceOptions) => Promise<RunningService>,
): CountingRuntime {
  const {
    owner,
    tools: { folder: driverFolder },
  } = site.options;
  let found: Promise<ToolPlace> | undefined;
  const place = (): Promise<ToolPlace> => {
    found ??= toolPlace();
    return found;
  };
  return {
    async counter() {
      const { name, version, architecture } = await place();
      return { name, version, architecture };
    },
    async start(service, { signal, exchangesCores = false, ...mode } = {}) {
      requireOwnStart(service);
      const valgrind = await place();
      const folder = await ownedFolder(owner);
      const own = (program: string) => join(folder, 'counts', program);
      const names = countedPrograms(service);
      const remove = async () => {
        await Promise.all(names.map((name) => removeMaps(own(name))));
        await rm(folder, { recursive: true, force: true });
      };
      const driver = join(driverFolder, DRIVER);
      const beforeOf = (program: string) => [...launcher(valgrind, driver), ...countingOptions(own(program), mode)];
      const programs = join(folder, 'programs');
      const counts = async (detail: CountDetail = 'counts') => {
        const requested = names.map(async (program): Promise<[string, Counts]> => {
          const ask = [driver, detail, own(program), valgrind.vgdb, ...ASKING_OPTIONS];
          return [program, await countsBy(ask, countedTitle(service, program))];
        });
        return countsOfAll(service, new Map(await Promise.all(requested)));
      };
      const placed = exchangesCores
        ? { ...site, onServiceCore: site.onLoadCore, onLoadCore: site.onServiceCore }
        : site;
      try {
        await onDisk(folder, async () => {
          await Promise.all([programs, ...names.map(own)].map((one) => mkdir(one, { recursive: true })));
          await symlink(driver, join(programs, STEADY_NODE));
        });
        return await start(service, { signal, counting: { site: placed, beforeOf, programs, mode, counts, remove } });
      } catch (thrown) {
        await remove();
        throw thrown;
      }
    },
  };
}

interface ToolPlace extends ValgrindPlace {
  /** The folder of its tools. */
  readonly tools: string;
}

async function toolPlace(): Promise<ToolPlace> {
  const valgrind = await requireValgrind();
  return { ...valgrind, tools: (await valgrindFiles(valgrind)).tools };
}

function launcher({ before, tools }: ToolPlace, driver: string): readonly string[] {
  return [...LAST_IN_LINE, ...before, 'env', `VALGRIND_LIB=${tools}`, driver];
}

async function countsBy(ask: readonly string[], of: string): Promise<Counts> {
  const end = await runChild({ argv: ask, cwd: '/', environment: process.env }, { limitSeconds: DUMP_SECONDS });
  return countsPrinted({ exitCode: end.exitCode, printed: end.lastLines }, of);
}

async function removeMaps(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const programs = new Set(names.flatMap((name) => /^counts\.(\d+)/.exec(name)?.[1] ?? []));
  for (const map of [...programs].map((program) => `/tmp/perf-${program}.map`)) {
    const found = await lstat(map).catch(() => undefined);
    if (found?.isFile() && found.uid === process.getuid?.()) {
      await rm(map, { force: true });
    }
  }
}
