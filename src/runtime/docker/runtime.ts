import { messageOf } from '../../foundation/index.ts';
import { ownerPlace, readRunner } from '../../host/index.ts';
import { controlLoop } from '../control.ts';
import type { RunningService, Runtime } from '../port.ts';
import { attachService } from '../process/attached.ts';
import { openSite, type Site } from '../process/site.ts';
import { MARK, OWNER, PLACE, removeContainer, removeNetwork } from './container.ts';
import { countingContainers } from './counting.ts';
import { connectEngine, type Engine, whileItAnswers } from './engine.ts';
import { type ImageOptions, imagesIn } from './images/images.ts';
import { KeptContainers } from './needs.ts';
import { type ServiceStart, startContainerService } from './service.ts';

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
  const startTracked = async (start: Omit<ServiceStart, 'place'>): Promise<RunningService> => {
    const started = await whileItAnswers(engine, () => startContainerService({ place, ...start }));
    const tracked = forgetting(started, engine, () => running.delete(tracked));
    running.add(tracked);
    return tracked;
  };
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
      return await startTracked({ service, signal });
    },
    counting: countingContainers(options, (service, counting, signal) => startTracked({ service, counting, signal })),
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

type Mark = Readonly<Record<string, string>>;

type Log = (line: string) => void;

/**
 * Removes the containers of this user's owners that no longer live, and their networks, with a line for each; not those of another user,
 * or of a runner that shares only the engine. Throws EnvironmentError if the engine does not answer; what cannot be removed gets a line
 * that says so, since it is no reason not to measure.
 */
export async function removeOrphanContainers(isAlive: (owner: string) => boolean, log: Log): Promise<void> {
  const { api } = await connectEngine();
  const filters = { label: [`${MARK}=1`, `${PLACE}=${ownerPlace()}`, OWNER] };
  const isOrphan = (labels: Mark | undefined): boolean => labels?.[OWNER] !== undefined && !isAlive(labels[OWNER]);
  for (const { Id: id, Labels: labels, Names: names } of await api.listContainers({ all: true, filters })) {
    if (isOrphan(labels)) {
      const name = names[0]?.replace(/^\//, '') ?? id.slice(0, 12);
      await removing({ what: `the container ${name}`, log }, () => removeContainer(api.getContainer(id)));
    }
  }
  // After the containers, as one that anything is in stays.
  for (const { Id: id, Labels: labels, Name: name } of await api.listNetworks({ filters })) {
    if (isOrphan(labels)) {
      await removing({ what: `the network ${name}`, log }, () => removeNetwork(api.getNetwork(id)));
    }
  }
}

async function removing({ what, log }: { readonly what: string; readonly log: Log }, remove: () => Promise<void>) {
  log(`removing ${what}, left by a run that no longer exists`);
  await remove().catch((thrown: unknown) => log(`${what} cannot be removed: ${messageOf(thrown)}`));
}
