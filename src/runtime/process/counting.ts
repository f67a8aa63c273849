import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ownedFolder, runChild } from '../../host/index.ts';
import { DRIVER } from '../../load/index.ts';
import type { Service } from '../../model/index.ts';
import type { CountDetail, CountingRuntime, Counts, RunningService } from '../port.ts';
import {
  countingOptions,
  countsPrinted,
  DUMP_SECONDS,
  requireOwnStart,
  requireValgrind,
  type ValgrindPlace,
} from '../valgrind/valgrind.ts';
import type { ServiceOptions } from './service.ts';
import type { Site } from './site.ts';

/** Starts plain processes under Valgrind, by what starts them without it. */
export function countingProcesses(
  { options: { owner, tools } }: Site,
  start: (service: Service, options: ServiceOptions) => Promise<RunningService>,
): CountingRuntime {
  let found: Promise<ValgrindPlace> | undefined;
  const place = (): Promise<ValgrindPlace> => {
    found ??= requireValgrind();
    return found;
  };
  return {
    async counter() {
      const { name, version, architecture } = await place();
      return { name, version, architecture };
    },
    async start(service, signal) {
      requireOwnStart(service);
      const valgrind = await place();
      const folder = await ownedFolder(owner);
      const remove = () => rm(folder, { recursive: true, force: true });
      const before = [...valgrind.before, valgrind.valgrind, ...countingOptions(folder)];
      const driver = join(tools.driverFolder ?? '', DRIVER);
      const counts = (detail: CountDetail = 'counts') => countsBy([driver, detail, folder, valgrind.vgdb]);
      const counting = { before, counts, remove };
      try {
        return await start(service, { signal, counting });
      } catch (thrown) {
        await remove();
        throw thrown;
      }
    },
  };
}

async function countsBy(ask: readonly string[]): Promise<Counts> {
  const end = await runChild({ argv: ask, cwd: '/', environment: process.env }, { limitSeconds: DUMP_SECONDS });
  return countsPrinted({ exitCode: end.exitCode, printed: end.lastLines });
}
