import { randomBytes } from 'node:crypto';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { counted } from '../../foundation/numbers.ts';
import { plainText } from '../../foundation/text.ts';
import { ownerPlace } from '../../host/machine/proc.ts';
import type { RunnerFingerprint } from '../../model/runner.ts';
import { programsOf, type Service } from '../../model/service.ts';
import { anonymousName, OWNER, PLACE } from '../docker/container.ts';
import { connectEngine, type Engine } from '../docker/engine.ts';
import type { ImageOptions } from '../docker/images/images.ts';
import type { Limits } from '../port.ts';
import { refuseFullQuota, refuseMissingRights } from './checks.ts';
import { type Generator, Generators } from './generators.ts';
import { driverImage, type Push, pusher } from './images.ts';
import { execOf, Kubectl } from './kubectl.ts';
import {
  DRIVER_PATH,
  loadPod,
  networkPolicy,
  nodePod,
  type PodManifest,
  type PodOwner,
  type RunPods,
  TOOLS_CONTAINER,
} from './manifests.ts';
import { hostOf, Pods } from './pods.ts';
import { openReader, runnerOf } from './reading.ts';
import { clusterSettings } from './settings.ts';
import { servicePods, type TemplatePlace } from './templates/service-pod.ts';

/** Resources that the runtimes of a run share: both versions get their load from the same pods, and run on one node. */
export interface Cluster extends AsyncDisposable {
  readonly kubectl: Kubectl;
  readonly pods: Pods;
  readonly engine: Engine;
  readonly push: Push;
  readonly common: RunPods;
  readonly generators: Generators;
  /** Node of the services, with a pod there and its address. */
  readonly node: { readonly pod: PodOwner; readonly name: string; readonly host: string };
  readonly runner: RunnerFingerprint;
}

export interface ClusterOptions extends ImageOptions {
  readonly services: readonly Service[];
  /** Number of services that run at once. */
  readonly atOnce: number;
}

const open = new Map<string, { users: number; readonly cluster: Promise<Cluster> }>();

/** Cluster of an owner, opened by its first runtime and closed with its last. Throws KnownError if it cannot be used. */
export async function sharedCluster(options: ClusterOptions & TemplatePlace, signal: AbortSignal): Promise<Cluster> {
  const { owner } = options;
  const opened = open.get(owner);
  const shared = opened ?? { users: 0, cluster: openCluster(options, signal) };
  open.set(owner, shared);
  shared.users += 1;
  const close = async (): Promise<void> => {
    shared.users -= 1;
    if (shared.users === 0) {
      open.delete(owner);
      await (await shared.cluster)[Symbol.asyncDispose]();
    }
  };
  try {
    const cluster = await shared.cluster;
    if (opened !== undefined) {
      await refuseLacks(cluster.kubectl, options, [], signal);
    }
    return { ...cluster, [Symbol.asyncDispose]: close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** Architectures as nodes name them. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Each of two versions that are loaded in turns has a driver in each load pod. */
const DRIVERS = 2;

/** Settings of pods that are only counted. */
const PLANNED: RunPods = { run: '', annotations: {}, tools: '', architecture: '' };

async function openCluster(options: ClusterOptions & TemplatePlace, signal: AbortSignal): Promise<Cluster> {
  const { owner, limits, log } = options;
  const settings = clusterSettings(process.env);
  const kubectl = new Kubectl(settings, owner);
  const run = randomBytes(6).toString('hex');
  // Checked before anything is built and pushed.
  const load = loadPod(PLANNED, '', generatorLimits(limits), '');
  const loads = Array.from({ length: settings.generators === 'auto' ? 1 : settings.generators }, () => load);
  await refuseLacks(kubectl, options, [nodePod(PLANNED, ''), ...loads], signal);
  const pods = await Pods.open(kubectl, run);
  const node = anonymousName();
  const close = async (): Promise<void> => {
    await pods[Symbol.asyncDispose]();
    await pods.removeAll();
  };
  try {
    const engine = await connectEngine();
    const push = pusher(engine, settings, log);
    const tools = await push(await driverImage(engine, options, signal), signal);
    const annotations = { [OWNER]: owner, [PLACE]: ownerPlace() };
    const common = { run, annotations, tools, architecture: ARCHITECTURES[process.arch] ?? process.arch };
    const there = await pods.start(nodePod(common, node), signal);
    const onNode = there.spec.nodeName ?? '';
    const pod = { name: node, uid: there.metadata.uid };
    const policy = JSON.stringify(networkPolicy(common, pod));
    const made = await kubectl.call(['create', '--filename=-'], { input: policy, signal });
    if (made.exitCode !== 0) {
      log(
        `no NetworkPolicy was created, so any pod of the cluster can reach the services, and code of pull requests can reach the cluster: ${plainText(made.complaint, LONGEST)}`,
      );
    }
    const start = async (stop: AbortSignal): Promise<Generator> => {
      const started = await pods.start(loadPod(common, anonymousName(), generatorLimits(limits), onNode), stop);
      return { pod: started.metadata.name, node: started.spec.nodeName ?? '' };
    };
    const remove = ({ pod }: Generator): Promise<void> => pods.remove(pod);
    const generators = await Generators.open({ number: settings.generators, start, remove, log }, signal);
    const nodes = generators.all.map((one) => one.node);
    const sharing = nodes.filter((one) => one === onNode);
    log(
      sharing.length > 0
        ? `node ${onNode} runs the services: ${sharing.length} of ${counted(nodes.length, 'load generator')} share it, since no other had room`
        : `node ${onNode} runs the services, ${[...new Set(nodes)].join(', ')} the load generators`,
    );
    await using reader = await openReader(kubectl, { pod: node, container: TOOLS_CONTAINER });
    const runner = {
      ...runnerOf(await reader.read(), process.arch, `kubernetes ${await serverVersion(kubectl)}`),
      rttMs: await rttMs({ kubectl, log, signal }, generators.all, hostOf(there)),
    };
    return {
      ...{ kubectl, pods, engine, push, common, generators, runner },
      node: { pod, name: onNode, host: hostOf(there) },
      async [Symbol.asyncDispose]() {
        if (generators.skew !== undefined) {
          log(generators.skew);
        }
        await close();
      },
    };
  } catch (thrown) {
    await close().catch((failure: unknown) => log(`pods were not removed: ${messageOf(failure)}`));
    throw thrown;
  }
}

const LONGEST = 300;

/** Port without a listener in the pod on the node: it refuses connections after one round trip, the time that a service takes to accept one. */
const REFUSING_PORT = 1;

/** Round-trip time from the farthest load generator to an address; undefined if it cannot be measured, which the log says. */
async function rttMs(
  { kubectl, log, signal }: Pick<Cluster, 'kubectl'> & Pick<ClusterOptions, 'log'> & { readonly signal: AbortSignal },
  generators: readonly Generator[],
  host: string,
): Promise<number | undefined> {
  try {
    const command = [DRIVER_PATH, 'rtt', `${host}:${REFUSING_PORT}`];
    const all = generators.map(({ pod }) =>
      kubectl.run(execOf({ pod, container: TOOLS_CONTAINER }, command), { signal }),
    );
    const times = (await Promise.all(all)).map(Number);
    if (!times.every((one) => one > 0 && Number.isFinite(one))) {
      throw new EnvironmentError('the load driver printed no time', { code: 'WG-214' });
    }
    return Math.max(...times) / 1e6;
  } catch (thrown) {
    signal.throwIfAborted();
    log(`the round-trip time from the load generators to the services is unknown: ${messageOf(thrown)}`);
    return undefined;
  }
}

function generatorLimits(limits: Limits): Limits {
  return { ...limits, memoryMiB: DRIVERS * limits.memoryMiB };
}

/** Throws EnvironmentError if permissions or quotas do not suffice for a version: for those pods, and each service as often as services run at once. */
async function refuseLacks(
  kubectl: Kubectl,
  options: ClusterOptions & TemplatePlace,
  own: readonly PodManifest[],
  signal: AbortSignal,
): Promise<void> {
  const { services, atOnce, templateOf } = options;
  const objects = programsOf(services).flatMap((program) => templateOf(program).objects);
  await refuseMissingRights(kubectl, [...new Set(objects.map(({ kind }) => `${kind.toLowerCase()}s`))], signal);
  const alternatives = services.map((service) =>
    Array.from({ length: atOnce }, () => servicePods(PLANNED, options, service)).flat(),
  );
  await refuseFullQuota(kubectl, own, alternatives);
}

async function serverVersion(kubectl: Kubectl): Promise<string> {
  const found = /"gitVersion":\s*"(v[\w.+-]+)"/.exec(await kubectl.run(['get', '--raw=/version']));
  return found?.[1] ?? 'unknown';
}
