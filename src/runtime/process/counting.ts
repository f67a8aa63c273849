import { lstat, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { runChild } from '../../host/child.ts';
import { onDisk } from '../../host/files/output.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import type { Service } from '../../model/service.ts';
import { DRIVER } from '../driver/source.ts';
import type { CountDetail, CountingRuntime, RunningService } from '../port.ts';
import { valgrindFiles } from '../valgrind/files.ts';
import { countedPrograms, countsOfAll } from '../valgrind/members.ts';
import {
  ASKING_OPTIONS,
  countingOptions,
  countsPrinted,
  DUMP_SECONDS,
  requireOwnStart,
  requireValgrind,
  STEADY_NODE,
} from '../valgrind/valgrind.ts';
import type { ServiceOptions } from './service.ts';
import type { Site } from './site.ts';

/** The load tool of the other counted service has priority on its core: a program that waits for a request sleeps, which costs system calls. */
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
  const look = async () => {
    const valgrind = await requireValgrind();
    return { ...valgrind, tools: (await valgrindFiles(valgrind)).tools };
  };
  let found: ReturnType<typeof look> | undefined;
  const place = () => (found ??= look());
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
      const launcher = [...LAST_IN_LINE, ...valgrind.before, 'env', `VALGRIND_LIB=${valgrind.tools}`, driver];
      const beforeOf = (program: string) => [...launcher, ...countingOptions(own(program), mode)];
      const programs = join(folder, 'programs');
      const counts = (detail: CountDetail = 'counts') =>
        countsOfAll(service, async (program, title) => {
          const argv = [driver, detail, own(program), valgrind.vgdb, ...ASKING_OPTIONS];
          const end = await runChild({ argv, cwd: '/', environment: process.env }, { limitSeconds: DUMP_SECONDS });
          return countsPrinted({ exitCode: end.exitCode, printed: end.lastLines }, title);
        });
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
