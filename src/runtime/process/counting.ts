import { rm } from 'node:fs/promises';
import { MeasurementError } from '../../foundation/index.ts';
import { ownedFolder } from '../../host/index.ts';
import type { Service } from '../../model/index.ts';
import type { CountingRuntime, RunningService } from '../port.ts';
import { CountReader, countingCommand, requireValgrind, type ValgrindPlace } from '../valgrind/valgrind.ts';
import type { ServiceOptions } from './service.ts';
import type { Site } from './site.ts';

/** Starts plain processes under Valgrind, by what starts them without it. */
export function countingProcesses(
  { options: { owner } }: Site,
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
      if (service.entry !== undefined) {
        throw new MeasurementError(
          `${service.name} consists of several programs, and instructions are counted of one`,
          {
            next: 'Its rounds have the CPU time of each member.',
          },
        );
      }
      const valgrind = await place();
      const folder = await ownedFolder(owner);
      const remove = () => rm(folder, { recursive: true, force: true });
      const reader = new CountReader(valgrind, folder);
      const counting = { before: countingCommand(valgrind, folder), counts: () => reader.next(), remove };
      try {
        return await start(service, { signal, counting });
      } catch (thrown) {
        await remove();
        throw thrown;
      }
    },
  };
}
