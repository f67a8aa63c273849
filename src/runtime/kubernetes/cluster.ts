import { randomBytes } from 'node:crypto';
import { messageOf } from '../../foundation/errors.ts';
import { ownerPlace } from '../../host/machine/proc.ts';
import type { RunnerFingerprint } from '../../model/runner.ts';
import { OWNER, PLACE } from '../docker/container.ts';
import { connectEngine, type Engine } from '../docker/engine.ts';
import type { ImageOptions } from '../docker/images/images.ts';
import { type Generator, Generators } from './generators.ts';
import { driverImage, Pushing } from './images.ts';
import { Kubectl } from './kubectl.ts';
import { loadPod, nodePod, type RunPods, TOOLS_CONTAINER } from './manifests.ts';
import { Pods } from './pods.ts';
import { openReader, runnerOf } from './reading.ts';
import { clusterSettings } from './settings.ts';

/** All that the runtimes of a run share: both versions are loaded from the same pods, and run on one node. */
export interface Cluster extends AsyncDisposable {
  readonly kubectl: Kubectl;
  readonly pods: Pods;
  readonly engine: Engine;
  readonly pushing: Pushing;
  readonly common: RunPods;
  readonly generators: Generators;
  /** Of the services. */
  readonly node: { readonly pod: string; readonly name: string };
  readonly runner: RunnerFingerprint;
}

/** A name for a pod: all of one length, and drawn anew, so that it does not distinguish the versions. */
export function anonymousPod(): string {
  return `wiregauge-${randomBytes(6).toString('hex')}`;
}

const open = new Map<string, { users: number; readonly cluster: Promise<Cluster> }>();

/** The cluster of an owner, opened by its first runtime and closed with its last. Throws KnownError if it cannot be used. */
export async function sharedCluster(options: ImageOptions, signal: AbortSignal): Promise<Cluster> {
  const { owner } = options;
  const shared = open.get(owner) ?? { users: 0, cluster: openCluster(options, signal) };
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
    return { ...(await shared.cluster), [Symbol.asyncDispose]: close };
  } catch (thrown) {
    open.delete(owner);
    throw thrown;
  }
}

/** Architectures as nodes name them. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Each of both versions that are loaded in turn has a driver in each pod for load. */
const DRIVERS = 2;

async function openCluster(options: ImageOptions, signal: AbortSignal): Promise<Cluster> {
  const { owner, limits, log } = options;
  const settings = clusterSettings(process.env);
  const kubectl = new Kubectl(settings, owner);
  const run = randomBytes(6).toString('hex');
  // Before anything is built and pushed.
  const pods = await Pods.open(kubectl, run);
  const node = anonymousPod();
  const close = async (): Promise<void> => {
    await pods[Symbol.asyncDispose]();
    await pods.removeAll();
  };
  try {
    const engine = await connectEngine();
    const pushing = new Pushing(engine, settings);
    const tools = await driverImage({ engine, pushing, options }, signal);
    const annotations = { [OWNER]: owner, [PLACE]: ownerPlace() };
    const common = { run, annotations, tools, architecture: ARCHITECTURES[process.arch] ?? process.arch };
    const { spec } = await pods.start(nodePod(common, node), signal);
    const onNode = spec.nodeName ?? '';
    const start = async (stop: AbortSignal): Promise<Generator> => {
      const manifest = loadPod(common, anonymousPod(), { ...limits, memoryMiB: DRIVERS * limits.memoryMiB });
      const { metadata, spec } = await pods.start(manifest, stop);
      return { pod: metadata.name, node: spec.nodeName ?? '' };
    };
    const generators = await Generators.open({ number: settings.generators, start, log }, signal);
    const nodes = new Set(generators.all.map((one) => one.node));
    log(
      nodes.has(onNode)
        ? `node ${onNode}: services and load generators share it, since no other had room`
        : `node ${onNode} runs the services, ${[...nodes].join(', ')} the load generators`,
    );
    await using reader = await openReader(kubectl, { pod: node, container: TOOLS_CONTAINER });
    const runner = runnerOf(await reader.read(), process.arch, `kubernetes ${await serverVersion(kubectl)}`);
    return {
      ...{ kubectl, pods, engine, pushing, common, generators, runner },
      node: { pod: node, name: onNode },
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

async function serverVersion(kubectl: Kubectl): Promise<string> {
  const found = /"gitVersion":\s*"(v[\w.+-]+)"/.exec(await kubectl.run(['get', '--raw=/version']));
  return found?.[1] ?? 'unknown';
}
