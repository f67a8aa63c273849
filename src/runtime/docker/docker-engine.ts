import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import Docker from 'dockerode';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { type DockerRefusal, engineNoAnswer, noSocket, otherContainers, otherMachine } from './docker-refusal.ts';

/** A connection to the engine on this machine. */
export interface Engine {
  readonly api: Docker;
  /** Path of the engine's socket. */
  readonly socket: string;
}

/** Whether the engine can be used, and if not, why, and what to do about it. */
export type DockerAnswer = { readonly ok: true; readonly version: string } | DockerRefusal;

type Variables = Readonly<Record<string, string | undefined>>;

const ANSWER_WITHIN_MS = 3000;
const DEFAULT_SOCKET = '/var/run/docker.sock';

/** Asks the engine for its version, and waits no longer than three seconds. */
export async function dockerAnswers(environment: Variables = process.env): Promise<DockerAnswer> {
  const socket = socketOf(environment);
  if (socket === undefined) {
    return otherMachine(environment);
  }
  if (!existsSync(socket)) {
    return noSocket(socket, environment);
  }
  try {
    const { Version: version, Os: system = 'linux' } = await within(new Docker({ socketPath: socket }).version());
    return system === 'linux' ? { ok: true, version } : otherContainers(system, environment);
  } catch (thrown) {
    return engineNoAnswer({ socket, thrown, words: engineRefusalOf(thrown) }, environment);
  }
}

/** Connects to the engine; throws EnvironmentError where it does not answer. */
export async function connectEngine(environment: Variables = process.env): Promise<Engine> {
  const answer = await dockerAnswers(environment);
  const socket = socketOf(environment);
  if (!answer.ok) {
    throw new EnvironmentError(`the Docker engine cannot be used: ${answer.why}`, { next: answer.next });
  }
  return { api: new Docker({ socketPath: socket }), socket: socket ?? DEFAULT_SOCKET };
}

/** Does something with the engine; throws EnvironmentError where the engine has gone away since it was connected to. */
export async function whileItAnswers<Result>({ socket }: Engine, work: () => PromiseLike<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    // A connection that breaks off may be one of many reasons; only the engine itself tells whether it is still there.
    const answer = await dockerAnswers({ DOCKER_HOST: `unix://${socket}` });
    if (!answer.ok) {
      throw new EnvironmentError(`the Docker engine has stopped answering: ${answer.why}`, {
        cause: thrown,
        next: 'Start the engine again; what was measured so far is in run.json.',
      });
    }
    throw thrown;
  }
}

/** Whether the engine refused with this HTTP status: 404 for what does not exist, 409 for what is already under way. */
export function isEngineRefusal(thrown: unknown, ...statuses: readonly number[]): boolean {
  return (
    thrown instanceof Error &&
    'statusCode' in thrown &&
    typeof thrown.statusCode === 'number' &&
    statuses.includes(thrown.statusCode)
  );
}

/** What the engine said, without the HTTP status that the client library puts before it. */
export function engineRefusalOf(thrown: unknown): string {
  return messageOf(thrown)
    .replace(/^\(HTTP code \d+\) [^-]*- /, '')
    .trim();
}

function socketOf(environment: Variables): string | undefined {
  const host = environment['DOCKER_HOST'];
  if (host !== undefined && host !== '') {
    return host.startsWith('unix://') ? host.slice('unix://'.length) || DEFAULT_SOCKET : undefined;
  }
  // In this order: the engine of the machine, Docker Desktop, an engine without root.
  const candidates = [
    DEFAULT_SOCKET,
    `${homedir()}/.docker/run/docker.sock`,
    `${environment['XDG_RUNTIME_DIR']}/docker.sock`,
  ];
  return candidates.find((candidate) => existsSync(candidate)) ?? DEFAULT_SOCKET;
}

async function within<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ANSWER_WITHIN_MS / 1000} s`)), ANSWER_WITHIN_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
