import { setTimeout as sleep } from 'node:timers/promises';
import { endOfText, plainText } from '../../foundation/text.ts';
import { freePort } from '../../host/machine/ports.ts';
import { aborted } from '../../host/signals.ts';
import { type NeedPlace, type Program, programEnvironment, type Service } from '../../model/service.ts';
import { startWhole } from '../cleanups.ts';
import { anonymousName } from '../docker/container.ts';
import { containerEnd, type Ended, endOfLog, lostContainer } from '../ended.ts';
import type { Limits, RuntimeOptions } from '../port.ts';
import type { Cluster } from './cluster.ts';
import { execOf } from './kubectl.ts';
import { LOCAL } from './load.ts';
import { endOf, hostOf } from './pods.ts';
import { listensOn, openReader, type PodReader } from './reading.ts';
import { limitsFor, READER, servicePod, type TemplatePlace } from './templates/service-pod.ts';

/** Place where programs are started. */
export interface PodPlace extends TemplatePlace {
  readonly cluster: Cluster;
  readonly options: RuntimeOptions;
  /** Image as nodes pull it. */
  readonly imageOf: (program: Program) => string;
}

/** Program that runs in a separate pod. Disposing of it removes the pod. */
export interface PodProgram extends AsyncDisposable {
  /** Address of its pod. */
  readonly host: string;
  /** Port of this machine that leads to it. */
  readonly ownPort: number;
  readonly reader: PodReader;
  /** Settles when it ends unexpectedly; never rejects. */
  readonly ended: Promise<Ended>;
  logs(lines?: number): Promise<string>;
  tries(command: readonly string[]): Promise<string | undefined>;
}

const LOG_LINES = 400;
const TRIED_CHARACTERS = 500;

/** Starts a program on the node of the services, which reaches the given places; leaves nothing behind on failure. */
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
  const name = anonymousName();
  return await startWhole({ name: program.name, log }, async (cleanups) => {
    cleanups.add(() => pods.remove(name));
    const environment = programEnvironment(program, places, options.lookups);
    const image = imageOf(program);
    const started = { name, program, template, image, limits, environment, places, node: cluster.node.name };
    const pod = await pods.start(servicePod(cluster.common, started), signal);
    const reader = cleanups.use(await openReader(kubectl, { pod: name, container: READER }));
    const port = await freePort();
    const stopping = new AbortController();
    const own = { cluster, program, name, container, limits, reader, stopping: stopping.signal, log };
    const forwarded = forward(own, port);
    cleanups.add(() => {
      stopping.abort();
      return forwarded;
    });
    return {
      host: hostOf(pod),
      ownPort: port,
      reader,
      ended: endOfPod(own),
      logs: async (lines = LOG_LINES) => endOfLog(await logOf(own, lines), lines),
      tries: async (command) => {
        const end = await kubectl.call(execOf({ pod: name, container }, command));
        const printed = endOfText(end.complaint || end.out, TRIED_CHARACTERS);
        return end.exitCode === 0 ? undefined : `ended with exit code ${end.exitCode}: ${printed}`;
      },
      [Symbol.asyncDispose]: () => cleanups[Symbol.asyncDispose](),
    };
  });
}

/** Program whose pod was started. */
interface StartedPod {
  readonly cluster: Cluster;
  readonly program: Program;
  /** Name of the pod. */
  readonly name: string;
  readonly container: string;
  readonly limits: Limits;
  readonly reader: PodReader;
  readonly stopping: AbortSignal;
  readonly log: (line: string) => void;
}

const LISTEN_POLL_MS = 50;

/**
 * Forwards a port of this machine to a program, for all requests except load. kubectl exits when nothing listens in the pod: it is started once
 * something does, and again if it ends. Settles once it was stopped.
 */
async function forward({ cluster, name, program, reader, stopping, log }: StartedPod, port: number): Promise<void> {
  const args = ['port-forward', `--address=${LOCAL}`, `pod/${name}`, `${port}:${program.port}`];
  const isStopped = aborted(stopping);
  let isLogged = false;
  try {
    while (!stopping.aborted) {
      if (listensOn(await reader.read(), program.port)) {
        const channel = await cluster.kubectl.open(args, () => undefined);
        await Promise.race([channel.ended, isStopped]);
        await channel.stop();
        const { exitCode, lastLines } = await channel.ended;
        if (exitCode !== 0 && !stopping.aborted && !isLogged) {
          isLogged = true;
          log(`${program.name}: kubectl port-forward ended: ${plainText(lastLines, TRIED_CHARACTERS)}`);
        }
      }
      await sleep(LISTEN_POLL_MS);
    }
  } catch {
    // Without its pod there is no target, which is reported elsewhere.
  }
}

function logOf({ cluster, name, container }: StartedPod, lines: number): Promise<string> {
  return cluster.kubectl.run(['logs', name, `--container=${container}`, `--tail=${lines}`]);
}

/** Settles when the program ends unexpectedly, and never when it is stopped from here; never rejects. */
async function endOfPod(own: StartedPod): Promise<Ended> {
  const { cluster, container, limits, stopping } = own;
  const { name } = own.program;
  const seen = await cluster.pods.ended(own.name, container);
  if (stopping.aborted) {
    return new Promise(() => undefined);
  }
  const end = typeof seen === 'string' ? undefined : endOf(seen, container);
  if (end === undefined) {
    return lostContainer(name, typeof seen === 'string' ? seen : 'it ended', 'cluster');
  }
  const exitCode = end.reason === 'OOMKilled' ? 'out-of-memory' : end.exitCode;
  const log = await logOf(own, LOG_LINES).catch(() => '');
  return containerEnd({ name, exitCode, limitMiB: limits.memoryMiB, log });
}
