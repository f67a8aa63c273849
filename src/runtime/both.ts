import type { Service } from '../model/service.ts';
import type { CountingRuntime, Runtime } from './port.ts';

export interface Runtimes {
  readonly docker: Runtime;
  readonly process: Runtime;
}

/** Runtime that starts each service in its own runtime, along with its needs and load tool. */
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
