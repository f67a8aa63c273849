import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { EnvironmentError, type KnownError, MeasurementError, messageOf } from '../../foundation/errors.ts';
import { parsedJson } from '../../foundation/json.ts';
import { plainText } from '../../foundation/text.ts';
import { MARK } from '../docker/container.ts';
import type { Kubectl, KubectlChannel } from './kubectl.ts';
import { type PodManifest, RUN } from './manifests.ts';

const stateSchema = z.object({
  running: z.object({}).optional(),
  waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
  terminated: z
    .object({ reason: z.string().optional(), exitCode: z.number(), message: z.string().optional() })
    .optional(),
});

const statuses = z.array(z.object({ name: z.string(), state: stateSchema.default({}) })).default([]);

const podSchema = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string().default(''),
    creationTimestamp: z.string(),
    deletionTimestamp: z.string().optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  spec: z.object({ nodeName: z.string().optional() }),
  status: z.object({
    phase: z.string().optional(),
    reason: z.string().optional(),
    message: z.string().optional(),
    podIP: z.string().optional(),
    conditions: z.array(z.object({ type: z.string(), status: z.string(), message: z.string().optional() })).default([]),
    initContainerStatuses: statuses,
    containerStatuses: statuses,
  }),
});

/** Pod as described by the cluster. */
export type Pod = z.infer<typeof podSchema>;

const listSchema = z.object({ items: z.array(podSchema), metadata: z.object({ resourceVersion: z.string() }) });

const eventSchema = z.object({ type: z.string(), object: podSchema });

/** Time for large images, and for nodes that an autoscaler adds. */
const START_SECONDS = 180;

const POLL_MS = 50;

const AGAIN_MS = 1000;

/** Pods of a run, watched by one connection. Disposing of it ends that. */
export class Pods implements AsyncDisposable {
  readonly #kubectl: Kubectl;
  readonly #run: string;
  readonly #seen = new Map<string, Pod>();
  /** Reasons by pod; settles everything that waits for its end. */
  readonly #lost = new Map<string, string>();
  #watch: KubectlChannel | undefined;
  #isClosed = false;
  #failure: unknown;

  private constructor(kubectl: Kubectl, run: string) {
    this.#kubectl = kubectl;
    this.#run = run;
  }

  /** Throws EnvironmentError if pods may not be listed. */
  static async open(kubectl: Kubectl, run: string): Promise<Pods> {
    const pods = new Pods(kubectl, run);
    await pods.#open();
    return pods;
  }

  /** Creates a pod and waits until all its containers run, or have ended. Throws KnownError with the obstacle. */
  async start(manifest: PodManifest, signal?: AbortSignal): Promise<Pod> {
    const { name } = manifest.metadata;
    await this.#kubectl.run(['create', '--filename=-'], { input: JSON.stringify(manifest), signal });
    const until = performance.now() + START_SECONDS * 1000;
    for (;;) {
      signal?.throwIfAborted();
      if (this.#failure !== undefined) {
        throw this.#failure;
      }
      const lost = this.#lost.get(name);
      if (lost !== undefined) {
        throw new EnvironmentError(`the pod ${name} cannot be started: ${lost}`, { code: 'WG-214' });
      }
      const pod = this.#seen.get(name);
      const obstacle = pod && obstacleOf(pod);
      if (obstacle !== undefined) {
        throw obstacle;
      }
      if (pod !== undefined && hasStarted(pod)) {
        return pod;
      }
      if (performance.now() > until) {
        throw notStarted(name, pod);
      }
      await sleep(POLL_MS);
    }
  }

  /** Settles once a container of a pod has ended, with the pod; with a reason if the pod itself is gone. Never rejects. */
  async ended(name: string, container: string): Promise<Pod | string> {
    for (;;) {
      const pod = this.#seen.get(name);
      const lost = this.#lost.get(name) ?? (this.#failure === undefined ? undefined : messageOf(this.#failure));
      const reason = lost ?? (pod && takenAway(pod));
      if (reason !== undefined) {
        return reason;
      }
      if (pod !== undefined && endOf(pod, container) !== undefined) {
        return pod;
      }
      if (pod?.status.phase === 'Failed') {
        return reasonOf(pod);
      }
      await sleep(POLL_MS, undefined, { ref: false });
    }
  }

  /** Removes a pod and waits until its node has ended it, since the next one needs its resources. Does nothing if it is gone. */
  async remove(name: string): Promise<void> {
    await this.#kubectl.run(['delete', 'pod', name, '--ignore-not-found', '--wait=true', '--timeout=60s']);
    this.#lost.set(name, 'it was removed');
  }

  /** Removes all leftovers of the run. */
  async removeAll(): Promise<void> {
    const selected = `--selector=${RUN}=${this.#run}`;
    await this.#kubectl.run(['delete', 'pods', selected, '--ignore-not-found', '--wait=true', '--timeout=60s']);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#failure ??= new EnvironmentError('the cluster is no longer watched', { code: 'WG-214' });
    await this.#watch?.stop();
  }

  /** Lists all pods and watches them from there; restarts when the server ends the watch, as it does every hour. */
  async #open(): Promise<void> {
    const selector = `${RUN}=${this.#run}`;
    const listed = listSchema.parse(
      JSON.parse(await this.#kubectl.run(['get', 'pods', `--selector=${selector}`, '--output=json'])),
    );
    const present = new Set(listed.items.map(({ metadata }) => metadata.name));
    for (const name of this.#seen.keys()) {
      if (!present.has(name)) {
        this.#lost.set(name, 'it was deleted');
      }
    }
    for (const pod of listed.items) {
      this.#seen.set(pod.metadata.name, pod);
    }
    const args = ['get', 'pods', `--selector=${selector}`, '--watch', '--output-watch-events', '--output=json'];
    this.#watch = await this.#kubectl.open(
      args,
      objectsIn((text) => this.#note(text)),
    );
    void this.#watch.ended.then(async () => {
      if (!this.#isClosed) {
        await sleep(AGAIN_MS, undefined, { ref: false });
      }
      if (!this.#isClosed) {
        await this.#open().catch((thrown: unknown) => {
          this.#failure = thrown;
        });
      }
    });
    if (this.#isClosed) {
      await this.#watch.stop();
    }
  }

  #note(text: string): void {
    const event = eventSchema.safeParse(parsedJson(text));
    if (event.success) {
      const { type, object: pod } = event.data;
      const { name } = pod.metadata;
      this.#seen.set(name, pod);
      if (type === 'DELETED') {
        this.#lost.set(name, reasonOf(pod));
      }
    }
  }
}

/** Collects the lines of consecutive printed JSON objects, each from "{" to "}" at the beginning of a line. */
export function objectsIn(heard: (text: string) => void): (line: string) => void {
  let lines: string[] = [];
  return (line) => {
    lines.push(line);
    if (line === '}' || (lines.length === 1 && line.startsWith('{') && line.endsWith('}'))) {
      heard(lines.join('\n'));
      lines = [];
    }
  };
}

/** Wiregauge's pods in the namespace, from any run. */
export async function allPods(kubectl: Kubectl): Promise<readonly Pod[]> {
  return listSchema.parse(JSON.parse(await kubectl.run(['get', 'pods', `--selector=${MARK}=1`, '--output=json'])))
    .items;
}

/** Address of a pod, as used in URLs. */
export function hostOf({ status: { podIP = '' } }: Pod): string {
  return podIP.includes(':') ? `[${podIP}]` : podIP;
}

/** End of a container of a pod; undefined while it runs. */
export function endOf({ status }: Pod, container: string) {
  return status.containerStatuses.find(({ name }) => name === container)?.state.terminated;
}

function hasStarted({ status }: Pod): boolean {
  const all = status.containerStatuses;
  return (
    status.podIP !== undefined &&
    all.length > 0 &&
    all.every(({ state }) => state.waiting === undefined && (state.running ?? state.terminated) !== undefined)
  );
}

/** Reason that the cluster ends a pod; undefined if it does not. Its programs then end, too, but not by their own fault. */
export function takenAway(pod: Pod): string | undefined {
  return pod.metadata.deletionTimestamp === undefined && pod.status.reason === undefined ? undefined : reasonOf(pod);
}

const LONGEST = 500;

function reasonOf({ status }: Pod): string {
  const disruption = status.conditions.find(
    ({ type, status: state }) => type === 'DisruptionTarget' && state === 'True',
  );
  const words = [status.reason, status.message || disruption?.message].filter((one) => one !== undefined && one !== '');
  return words.length === 0 ? 'it was deleted' : plainText(words.join(': '), LONGEST);
}

const NO_IMAGE =
  /^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|ImageInspectError|RegistryUnavailable)$/;

const NO_CONTAINER = /^(CreateContainerConfigError|CreateContainerError|RunContainerError)$/;

/** Reason that a pod does not start, if waiting does not help. */
export function obstacleOf(pod: Pod): KnownError | undefined {
  const { metadata, status } = pod;
  if (status.phase === 'Failed' && status.reason !== undefined) {
    return new EnvironmentError(`the pod ${metadata.name} cannot be started: ${reasonOf(pod)}`, {
      code: 'WG-214',
      next: 'Check the node: `kubectl describe node`. It may have too little room.',
    });
  }
  for (const { name, state } of status.initContainerStatuses) {
    const { exitCode = 0, message = '' } = state.terminated ?? {};
    if (exitCode !== 0) {
      const words = plainText(message || 'it printed nothing', LONGEST);
      return new MeasurementError(`the init container ${name} ended with exit code ${exitCode}: ${words}`, {
        code: 'WG-309',
        next: 'Check what it needs: only ConfigMaps, Secrets and `needs` are there.',
      });
    }
  }
  for (const { state } of [...status.initContainerStatuses, ...status.containerStatuses]) {
    const { reason = '', message = '' } = state.waiting ?? {};
    const words = plainText(`${reason}: ${message}`, LONGEST);
    if (NO_IMAGE.test(reason)) {
      return new EnvironmentError(`an image cannot be pulled by the node: ${words}`, {
        code: 'WG-212',
        next: 'Check WIREGAUGE_KUBERNETES_REGISTRY, and that the namespace may pull from there (imagePullSecrets of its service account).',
      });
    }
    if (NO_CONTAINER.test(reason)) {
      return new MeasurementError(`a container cannot be started on the node: ${words}`, {
        code: 'WG-309',
        next: 'Check `command` and `user` of the service; without `manifests`, its image must start with a read-only root folder. With them, check the names of ConfigMaps and Secrets.',
      });
    }
  }
  return undefined;
}

/** Error for a pod that is not running when its time is over. */
export function notStarted(name: string, pod: Pod | undefined): EnvironmentError {
  const scheduled = pod?.status.conditions.find(({ type }) => type === 'PodScheduled');
  const running = pod?.status.initContainerStatuses.find(({ state }) => state.running !== undefined);
  const waits = pod?.status.containerStatuses.flatMap(({ state }) => state.waiting?.reason ?? []) ?? [];
  const waiting = running === undefined ? waits.join(', ') : `the init container ${running.name} still runs`;
  const why = scheduled?.status === 'False' ? scheduled.message : waiting;
  const isFull = /Insufficient/.test(why ?? '');
  return new EnvironmentError(
    `the pod ${name} has not started after ${START_SECONDS} s: ${plainText(why || 'no reason is known', LONGEST)}`,
    {
      code: 'WG-214',
      next: isFull
        ? 'A node needs room for both versions at once, with their members and needs, and for 1 CPU of load: add a larger node, or set lower `limits` for the services or fewer load generators.'
        : `Run: kubectl describe pod ${name}.`,
    },
  );
}
