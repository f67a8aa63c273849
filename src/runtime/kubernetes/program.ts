import { setTimeout as sleep } from 'node:timers/promises';
import { endOfText, plainText } from '../../foundation/text.ts';
import { freePort } from '../../host/machine/ports.ts';
import { type NeedPlace, type Program, programEnvironment, type Service } from '../../model/service.ts';
import { startWhole } from '../cleanups.ts';
import { type ContainerEnd, containerEnd, endOfLog } from '../ended.ts';
import type { Limits, RuntimeOptions } from '../port.ts';
import { anonymousPod, type Cluster } from './cluster.ts';
import { execOf } from './kubectl.ts';
import { LOCAL } from './load.ts';
import { endOf, hostOf, type Pods } from './pods.ts';
import { listensOn, openReader, type PodReader } from './reading.ts';
import { limitsFor, READER, servicePod, type TemplatePlace } from './templates/service-pod.ts';

/** Where programs are started. */
export interface PodPlace extends TemplatePlace {
  readonly cluster: Cluster;
  readonly options: RuntimeOptions;
  /** Image as nodes pull it. */
  readonly imageOf: (program: Program) => string;
}

/** A program that runs in a pod of its own. Disposing of it removes the pod. */
export interface PodProgram extends AsyncDisposable {
  /** Address of its pod. */
  readonly host: string;
  /** The port of this machine that leads to it. */
  readonly ownPort: number;
  readonly reader: PodReader;
  /** Settles when it ends unexpectedly; never rejects. */
  readonly ended: Promise<ContainerEnd>;
  logs(lines?: number): Promise<string>;
  tries(command: readonly string[]): Promise<string | undefined>;
}

const LOG_LINES = 400;
const TRIED_CHARACTERS = 500;

/** Starts a program on the node of the services, from where it reaches the places; nothing is left of it if that fails. */
export async function startPodProgram(
  { cluster, options, imageOf, templateOf }: PodPlace,
  program: Program & Pick<Service, 'cores'>,
  places: readonly NeedPlace[],
  signal?: AbortSignal,
): Promise<PodProgram> {
  const { kubectl, pods } = cluster;
  const { log } = options;
  const template = templateOf(program);
  const { container } = template;
  const limits = limitsFor(options, program, template);
  const name = anonymousPod();
  return await startWhole({ name: program.name, log }, async (cleanups) => {
    cleanups.add(() => pods.remove(name));
    const environment = programEnvironment(program, places, options.lookups);
    const image = imageOf(program);
    const started = { name, program, template, image, limits, environment, places, node: cluster.node.name };
    const pod = await pods.start(servicePod(cluster.common, started), signal);
    const reader = cleanups.use(await openReader(kubectl, { pod: name, container: READER }));
    const port = await freePort();
    const stopping = new AbortController();
    cleanups.add(forward({ cluster, name, port, program, reader, stopping, log }));
    const logs = (lines: number) => kubectl.run(['logs', name, `--container=${container}`, `--tail=${lines}`]);
    const ending = {
      name,
      container,
      of: program.name,
      limits,
      stopping: stopping.signal,
      logs: () => logs(LOG_LINES),
    };
    return {
      host: hostOf(pod),
      ownPort: port,
      reader,
      ended: endOfPod(pods, ending),
      logs: async (lines = LOG_LINES) => endOfLog(await logs(lines), lines),
      tries: async (command) => {
        const end = await kubectl.call(execOf({ pod: name, container }, command));
        const printed = endOfText(end.complaint || end.out, TRIED_CHARACTERS);
        return end.exitCode === 0 ? undefined : `ended with exit code ${end.exitCode}: ${printed}`;
      },
      [Symbol.asyncDispose]: () => cleanups[Symbol.asyncDispose](),
    };
  });
}

interface Forwarding {
  readonly cluster: Cluster;
  readonly name: string;
  readonly port: number;
  readonly program: Program;
  readonly reader: PodReader;
  readonly stopping: AbortController;
  readonly log: (line: string) => void;
}

const LISTEN_POLL_MS = 50;

/**
 * Leads a port of this machine to a program, for all requests that are no load. kubectl gives up when nothing listens in the pod: it is
 * started once something does, and again if it ends. Returns what ends it.
 */
function forward({ cluster, name, port, program, reader, stopping, log }: Forwarding): () => Promise<void> {
  let isLogged = false;
  const forwarding = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      if (listensOn(await reader.read(), program.port)) {
        const args = ['port-forward', `--address=${LOCAL}`, `pod/${name}`, `${port}:${program.port}`];
        const channel = await cluster.kubectl.open(args, () => undefined);
        const stop = (): void => void channel.stop();
        stopping.signal.addEventListener('abort', stop, { once: true });
        if (stopping.signal.aborted) {
          stop();
        }
        const { exitCode, lastLines } = await channel.ended;
        if (exitCode !== 0 && !stopping.signal.aborted && !isLogged) {
          isLogged = true;
          log(`${program.name}: kubectl port-forward ended: ${plainText(lastLines, TRIED_CHARACTERS)}`);
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
  readonly container: string;
  /** Name of the program. */
  readonly of: string;
  readonly limits: Limits;
  readonly stopping: AbortSignal;
  readonly logs: () => Promise<string>;
}

/** Settles when the program ends unexpectedly, and never when it is stopped from here; never rejects. */
async function endOfPod(pods: Pods, { name, container, of, limits, stopping, logs }: PodEnding): Promise<ContainerEnd> {
  const seen = await pods.ended(name, container);
  if (stopping.aborted) {
    return new Promise(() => undefined);
  }
  const end = typeof seen === 'string' ? undefined : endOf(seen, container);
  if (end === undefined) {
    const reason = typeof seen === 'string' ? seen : 'it ended';
    return { of: 'container', name: of, kind: 'unknown', reason, place: 'cluster' };
  }
  const exitCode = end.reason === 'OOMKilled' ? 'out-of-memory' : end.exitCode;
  return containerEnd({ name: of, exitCode, limitMiB: limits.memoryMiB, log: await logs().catch(() => '') });
}
