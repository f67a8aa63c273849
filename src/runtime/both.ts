import type { Service } from '../model/service.ts';
import type { CountingRuntime, Runtime } from './port.ts';

export interface Runtimes {
  readonly docker: Runtime;
  readonly process: Runtime;
}

/** One runtime that starts each service where it says that it runs. Whatever a service needs, and its load tool, is started by the same. */
export function bothRuntimes({ docker, process }: Runtimes): Runtime {
  const runtimeOf = ({ name, runtime }: Service): Runtime => {
    if (runtime === undefined) {
      throw new RangeError(`${name} has no runtime`);
    }
    return { docker, process }[runtime];
  };
  const counting: CountingRuntime = {
    counter: () => process.counting.counter(),
    start: (service, options) => runtimeOf(service).counting.start(service, options),
  };
  return {
    name: 'both',
    reason: 'requested with --runtime both',
    runner: docker.runner,
    async prepare(services, signal) {
      for (const runtime of [docker, process]) {
        await runtime.prepare(
          services.filter((service) => runtimeOf(service) === runtime),
          signal,
        );
      }
    },
    start: (service, ...how) => runtimeOf(service).start(service, ...how),
    counting,
    built: (service) => runtimeOf(service).built(service),
    control: (signal) => docker.control(signal),
    async [Symbol.asyncDispose]() {
      try {
        await docker[Symbol.asyncDispose]();
      } finally {
        await process[Symbol.asyncDispose]();
      }
    },
  };
}
