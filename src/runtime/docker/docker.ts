import { readRunner } from '../../host/machine/runner.ts';
import { controlLoop } from '../control.ts';
import type { RunningService, Runtime } from '../ports.ts';
import { attachService } from '../process/processes-attached.ts';
import { openSite, type Site } from '../process/processes-site.ts';
import { type ImageOptions, imagesIn } from './build/docker-images.ts';
import { connectEngine, type Engine, whileItAnswers } from './docker-engine.ts';
import { KeptContainers } from './docker-needs.ts';
import { startContainerService } from './docker-service.ts';

/** What a Docker runtime is opened with. */
export type DockerRuntimeOptions = ImageOptions;

/**
 * Runs services in containers of the Docker engine on this machine, and the load tools beside those that already run as plain
 * processes; throws EnvironmentError where the engine does not answer.
 */
export async function dockerRuntime(options: DockerRuntimeOptions): Promise<Runtime> {
  const engine = await connectEngine();
  const { Version: version } = await engine.api.version();
  const images = imagesIn(engine, options);
  const kept = new KeptContainers();
  const place = { engine, options, imageOf: images.of, kept };
  const running = new Set<RunningService>();
  let site: Promise<Site> | undefined;
  return {
    name: 'docker',
    reason: options.reason,
    runner: readRunner(options.cores, version),
    prepare: (services, signal) => images.prepare(services, signal),
    async start(service, signal) {
      if (service.address !== undefined) {
        site ??= openSite(options);
        const attached = attachService(await site, service);
        running.add(attached);
        return attached;
      }
      const started = await whileItAnswers(engine, () => startContainerService({ place, service, signal }));
      const tracked = forgetting(started, engine, () => running.delete(tracked));
      running.add(tracked);
      return tracked;
    },
    control: (signal) => controlLoop(options, signal),
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((service) => service[Symbol.asyncDispose]()));
      await whileItAnswers(engine, () => kept[Symbol.asyncDispose]());
    },
  };
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
