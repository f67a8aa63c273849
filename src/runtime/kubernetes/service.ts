import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../foundation/errors.ts';
import { endOfText, plainText } from '../../foundation/text.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import { freePort } from '../../host/machine/ports.ts';
import { causeFirst } from '../../model/secrets/printed.ts';
import { programEnvironment, type Service } from '../../model/service.ts';
import { type Cleanup, cleanUp } from '../docker/service.ts';
import type { ContainerEnd } from '../ended.ts';
import { metricsPages } from '../metrics-page.ts';
import type { Limits, RunningService, RuntimeOptions } from '../port.ts';
import { anonymousPod, type Cluster } from './cluster.ts';
import { LOCAL, RemoteLoad } from './load.ts';
import { READER, SERVICE, servicePod } from './manifests.ts';
import { execOf, openReader, type PodReader } from './pod-reader.ts';
import { endOf, type Pods } from './pods.ts';
import { listensOn, readingOf } from './reading.ts';

/** A service to start in a cluster. */
export interface PodStart {
  readonly cluster: Cluster;
  readonly options: RuntimeOptions;
  readonly service: Service;
  readonly image: string;
  readonly signal?: AbortSignal | undefined;
}

const LOG_LINES = 400;
const END_LINES = 5;
const KEPT_CHARACTERS = 8000;
const TRIED_CHARACTERS = 500;

/** Starts a service in a pod of its own; nothing is left of it if that fails. */
export async function startPodService(start: PodStart): Promise<RunningService> {
  const { cluster, options, service, image, signal } = start;
  const { kubectl, pods } = cluster;
  const limits = limitsOf(options.limits, service);
  const name = anonymousPod();
  const cleanups: Cleanup[] = [() => pods.remove(name)];
  try {
    const environment = programEnvironment(service, [], options.lookups);
    const manifest = servicePod(cluster.common, { name, service, image, limits, environment, node: cluster.node.name });
    const { status } = await pods.start(manifest, signal);
    const reader = await openReader(kubectl, { pod: name, container: READER });
    cleanups.push(async () => await reader[Symbol.asyncDispose]());
    const folder = await ownedFolder(options.owner);
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const load = new RemoteLoad(cluster, {
      folder,
      port: service.port,
      atMs: async () => (await reader.read()).atNs / 1e6,
    });
    cleanups.push(async () => await load[Symbol.asyncDispose]());
    const port = await freePort();
    const address = `${LOCAL}:${port}`;
    const stopping = new AbortController();
    cleanups.push(forward({ cluster, name, port, service, reader, stopping, log: options.log }));
    const logs = (lines: number) => kubectl.run(['logs', name, `--container=${SERVICE}`, `--tail=${lines}`]);
    return {
      address,
      loadAddress: `${status.podIP?.includes(':') ? `[${status.podIP}]` : status.podIP}:${service.port}`,
      folder: options.root,
      ended: endOfPod(pods, { name, of: service.name, limits, stopping: stopping.signal, logs: () => logs(LOG_LINES) }),
      cpuSeconds: async () => (await reader.read()).cpuNs / 1e9,
      reading: async () => {
        const [use, loads] = await Promise.all([reader.read(), load.cpuSeconds()]);
        return readingOf(use, loads);
      },
      play: (loads, stop) => load.play(loads, stop),
      pages: metricsPages({ service, address }),
      logs: async () => endOfText((await logs(LOG_LINES)).trimEnd(), KEPT_CHARACTERS),
      tries: async (command) => {
        const end = await kubectl.call(execOf({ pod: name, container: SERVICE }, command));
        const printed = endOfText(end.complaint || end.out, TRIED_CHARACTERS);
        return end.exitCode === 0 ? undefined : `ended with exit code ${end.exitCode}: ${printed}`;
      },
      [Symbol.asyncDispose]: () => cleanUp(cleanups),
    };
  } catch (thrown) {
    await cleanUp(cleanups).catch((failure: unknown) =>
      options.log(`cleanup of ${service.name} failed: ${messageOf(failure)}`),
    );
    throw thrown;
  }
}

/** CPUs of a service are those of all cores that it may use its share of. */
function limitsOf(usual: Limits, { limits, cores }: Service): Limits {
  const cpus = limits?.cpus ?? usual.cpus;
  return { cpus: typeof cores === 'number' ? cores * cpus : cpus, memoryMiB: limits?.memoryMiB ?? usual.memoryMiB };
}

interface Forwarding {
  readonly cluster: Cluster;
  readonly name: string;
  readonly port: number;
  readonly service: Service;
  readonly reader: PodReader;
  readonly stopping: AbortController;
  readonly log: (line: string) => void;
}

const LISTEN_POLL_MS = 50;

/**
 * Leads a port of this machine to the service, for all requests that are no load. kubectl gives up when nothing listens in the pod: it is
 * started once something does, and again if it ends. Returns what ends it.
 */
function forward({ cluster, name, port, service, reader, stopping, log }: Forwarding): () => Promise<void> {
  let isLogged = false;
  const forwarding = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if (listensOn(await reader.read(), service.port)) {
        const args = ['port-forward', `--address=${LOCAL}`, `pod/${name}`, `${port}:${service.port}`];
        const channel = await cluster.kubectl.open(args, () => undefined);
        const stop = (): void => void channel.stop();
        stopping.signal.addEventListener('abort', stop, { once: true });
        if (stopping.signal.aborted) {
          stop();
        }
        const { exitCode, lastLines } = await channel.ended;
        if (exitCode !== 0 && !stopping.signal.aborted && !isLogged) {
          isLogged = true;
          log(`${service.name}: kubectl port-forward ended: ${plainText(lastLines, TRIED_CHARACTERS)}`);
        }
        stopping.signal.removeEventListener('abort', stop);
      }
      await sleep(LISTEN_POLL_MS);
    }
  };
  // Without its pod there is nothing to lead to, and others say so.
  const over = forwarding().catch(() => undefined);
  return () => {
    stopping.abort();
    return over;
  };
}

interface PodEnding {
  readonly name: string;
  /** Name of the service. */
  readonly of: string;
  readonly limits: Limits;
  readonly stopping: AbortSignal;
  readonly logs: () => Promise<string>;
}

/** Settles when the service ends unexpectedly, and never when it is stopped from here; never rejects. */
async function endOfPod(pods: Pods, { name, of, limits, stopping, logs }: PodEnding): Promise<ContainerEnd> {
  const seen = await pods.ended(name, SERVICE);
  if (stopping.aborted) {
    return new Promise(() => undefined);
  }
  const end = typeof seen === 'string' ? undefined : endOf(seen, SERVICE);
  if (end === undefined) {
    const reason = typeof seen === 'string' ? seen : 'it ended';
    return { of: 'container', name: of, kind: 'unknown', reason, place: 'cluster' };
  }
  const printed = causeFirst(await logs().catch(() => ''), END_LINES).join('\n');
  return end.reason === 'OOMKilled'
    ? { of: 'container', name: of, kind: 'out-of-memory', limitMiB: limits.memoryMiB, printed }
    : { of: 'container', name: of, kind: 'exit', code: end.exitCode, printed };
}
