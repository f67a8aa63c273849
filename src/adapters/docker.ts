import type { RunningService, Runtime, RuntimeOptions } from '../app/ports.ts';
import { MeasurementError } from '../core/errors.ts';
import type { ImageSource, Service } from '../core/service.ts';
import { controlLoop } from './control.ts';
import { buildImage } from './docker-build.ts';
import type { BuildArgs } from './docker-build-args.ts';
import { connectEngine, type Engine, whileItAnswers } from './docker-engine.ts';
import { imageName } from './docker-image.ts';
import { startService } from './docker-service.ts';
import { readRunner } from './runner.ts';

/** What a Docker runtime is opened with. */
export interface DockerRuntimeOptions extends RuntimeOptions {
  /** Given to every image's build; see parseBuildArgs. */
  readonly buildArgs: BuildArgs;
}

/** Runs services in containers of the Docker engine on this machine; throws EnvironmentError where that does not answer. */
export async function dockerRuntime(options: DockerRuntimeOptions): Promise<Runtime> {
  const engine = await connectEngine();
  const { Version: version } = await engine.api.version();
  const images = new Map<string, string>();
  const running = new Set<RunningService>();
  return {
    name: 'docker',
    reason: options.reason,
    runner: readRunner(options.cores, version),
    async prepare(services, signal) {
      for (const { image: source } of services) {
        if (!images.has(sourceKey(source))) {
          const { root, buildArgs, log } = options;
          const began = performance.now();
          images.set(sourceKey(source), await buildImage(engine, { root, source, buildArgs, log }, signal));
          log(`image ${imageName(source)}: ready after ${((performance.now() - began) / 1000).toFixed(1)} s`);
        }
      }
    },
    async start(service) {
      const image = imageOf(images, service);
      const started = await whileItAnswers(engine, () => startService({ engine, options, service, image }));
      const tracked = forgetting(started, engine, () => running.delete(tracked));
      running.add(tracked);
      return tracked;
    },
    control: (signal) => controlLoop(options, signal),
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((service) => service[Symbol.asyncDispose]()));
    },
  };
}

function sourceKey({ context, dockerfile, target }: ImageSource): string {
  return JSON.stringify([context, dockerfile, target]);
}

function imageOf(images: ReadonlyMap<string, string>, service: Service): string {
  const image = images.get(sourceKey(service.image));
  if (image === undefined) {
    throw new MeasurementError(`the image of ${service.name} was not built before its start`);
  }
  return image;
}

function forgetting(service: RunningService, engine: Engine, forget: () => void): RunningService {
  return {
    ...service,
    async [Symbol.asyncDispose]() {
      forget();
      await whileItAnswers(engine, () => service[Symbol.asyncDispose]());
    },
  };
}

export { parseBuildArgs } from './docker-build-args.ts';
export { removeOrphanContainers } from './docker-cleanup.ts';
export { dockerAnswers } from './docker-engine.ts';
export { loadToolsFromImage } from './docker-tools.ts';
