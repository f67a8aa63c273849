import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { searchHere } from '../../host/machine/orphans.ts';
import { type Program, programsOf } from '../../model/service.ts';
import { StartedServices } from '../cleanups.ts';
import { builtImage } from '../docker/images/contents.ts';
import { imagesIn } from '../docker/images/images.ts';
import { IDLE_SECONDS, isLeft } from '../docker/runtime.ts';
import { KeptNeeds } from '../needs.ts';
import type { Runtime } from '../port.ts';
import type { RunningNeed } from '../ready.ts';
import { type ClusterOptions, sharedCluster } from './cluster.ts';
import { pushedImages } from './images.ts';
import { execOf, Kubectl } from './kubectl.ts';
import { DRIVER_PATH, TOOLS_CONTAINER } from './manifests.ts';
import { allPods } from './pods.ts';
import { startPodService } from './service.ts';
import { clusterSettings } from './settings.ts';
import { IMAGE_ONLY, withLimits } from './templates/service-pod.ts';
import { podTemplates, templateKey, withConfigs } from './templates/templates.ts';

async function refuseCounting(): Promise<never> {
  throw new EnvironmentError('--runtime kubernetes: instructions cannot be counted', {
    code: 'WG-311',
    next: 'Use --runtime docker or process for that.',
  });
}

/** Runs services in pods of a Kubernetes cluster, with images that the Docker engine of this machine builds. Throws KnownError if it cannot be used. */
export async function kubernetesRuntime(options: ClusterOptions, signal: AbortSignal): Promise<Runtime> {
  let templates = await podTemplates(options, signal);
  const templateOf = (program: Program) => templates.get(templateKey(program)) ?? IMAGE_ONLY;
  const cluster = await sharedCluster({ ...options, templateOf }, signal);
  const { engine, kubectl } = cluster;
  const own = imagesIn(engine, options);
  const images = pushedImages(own, cluster.push);
  const kept = new KeptNeeds<RunningNeed>();
  const running = new StartedServices();
  return {
    name: 'kubernetes',
    reason: options.reason,
    runner: cluster.runner,
    async prepare(services, stop) {
      await images.prepare(services, stop);
      templates = await withConfigs(templates, cluster, stop);
    },
    async start(service, ...how) {
      const place = { cluster, options, imageOf: images.of, templateOf, kept };
      return running.add(await startPodService(place, service, ...how));
    },
    withLimits: (service) => withLimits({ ...options, templateOf }, service),
    counting: { counter: refuseCounting, start: refuseCounting },
    built: async (service) => {
      const programs = programsOf([service]);
      const built = await Promise.all(programs.map((program) => builtImage(engine, options, program, own.of(program))));
      return built.map((one) => ({
        ...one,
        // Programs open their files on the node.
        async watchable(paths) {
          throw new RangeError(`opens of ${paths[0]} cannot be seen in a cluster`);
        },
      }));
    },
    async control(signal) {
      const command = execOf({ pod: cluster.node.pod.name, container: TOOLS_CONTAINER }, [DRIVER_PATH, 'control']);
      return Number(await kubectl.run(command, { signal })) / 1e6;
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
        .finally(() => kept[Symbol.asyncDispose]())
        .finally(() => cluster[Symbol.asyncDispose]());
    },
  };
}

/**
 * Removes pods in the namespace whose owner no longer runs, and ended ones that are over an hour old, with a line for each. A failed removal is only
 * logged, since measuring is still possible. Throws KnownError if the cluster cannot be used.
 */
export async function removeOrphanPods(
  isAlive: (owner: string) => boolean,
  owner: string,
  log: (line: string) => void,
): Promise<void> {
  const kubectl = new Kubectl(clusterSettings(process.env), owner);
  const search = searchHere(isAlive);
  const left = (await allPods(kubectl)).flatMap(({ metadata, status }) => {
    const { name, annotations: labels, creationTimestamp } = metadata;
    const isIdle = status.phase === 'Succeeded' || status.phase === 'Failed';
    const createdAt = Date.parse(creationTimestamp) / 1000;
    // For a runner in a container, the owner of its pods cannot be checked.
    const isLong = isIdle && Date.now() / 1000 - createdAt > IDLE_SECONDS;
    return isLong || isLeft({ labels, createdAt, isIdle }, search, Date.now()) ? [name] : [];
  });
  if (left.length === 0) {
    return;
  }
  for (const name of left) {
    log(`removing the pod ${name}, left over from an earlier run`);
  }
  await kubectl
    .run(['delete', 'pods', ...left, '--ignore-not-found', '--wait=true', '--timeout=60s'])
    .catch((thrown: unknown) => log(`not all pods were removed: ${messageOf(thrown)}`));
}
