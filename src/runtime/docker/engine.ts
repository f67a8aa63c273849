import { existsSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { homedir } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { codeOf, EnvironmentError, ifPossible, messageOf } from '../../foundation/errors.ts';
import { abortAfter } from '../../host/signals.ts';
import { isInWorkflow } from '../../host/workflow.ts';

export interface Engine {
  readonly api: Docker;
  readonly socket: string;
}

/** True if the engine reports that it runs without root. */
export function isRootless({ SecurityOptions: options }: { readonly SecurityOptions?: unknown }): boolean {
  return Array.isArray(options) && options.includes('name=rootless');
}

export type DockerAnswer = { readonly ok: true; readonly version: string } | DockerRefusal;

type Variables = Readonly<Record<string, string | undefined>>;

const ANSWER_WITHIN_MS = 3000;

const DEFAULT_SOCKET = '/var/run/docker.sock';

export async function dockerAnswers(environment: Variables = process.env): Promise<DockerAnswer> {
  const socket = socketOf(environment);
  const host = environment['DOCKER_HOST'];
  if (socket === undefined) {
    const why = `DOCKER_HOST is ${host}, but only an engine on this machine with a unix:// socket is supported`;
    return refusal(environment, why, ['Clear DOCKER_HOST (`env: { DOCKER_HOST: "" }`)', 'Unset DOCKER_HOST']);
  }
  if (!existsSync(socket)) {
    return refusal(environment, `there is no Docker socket at ${socket}${host ? ' (DOCKER_HOST)' : ''}`, [
      'Use a runner with Docker (`runs-on: ubuntu-24.04`)',
      'Start the engine',
    ]);
  }
  try {
    const { Version: version, Os: system = 'linux' } = await (await clientOf(socket, ANSWER_WITHIN_MS)).version();
    return system === 'linux'
      ? { ok: true, version }
      : refusal(environment, `the Docker engine runs ${system} containers, but the services need Linux containers`, [
          'Use a Linux runner (`runs-on: ubuntu-24.04`)',
          'Switch the engine to Linux containers',
        ]);
  } catch (thrown) {
    return engineNoAnswer({ socket, thrown, words: engineRefusalOf(thrown) }, environment);
  }
}

export async function connectEngine(environment: Variables = process.env): Promise<Engine> {
  const answer = await dockerAnswers(environment);
  if (!answer.ok) {
    throw new EnvironmentError(`the Docker engine cannot be used: ${answer.why}`, {
      code: 'WG-201',
      next: answer.next,
    });
  }
  const socket = socketOf(environment) ?? DEFAULT_SOCKET;
  return { api: await clientOf(socket), socket };
}

/** Loaded on demand: it is a quarter of the program, and most commands need no engine. */
async function clientOf(socketPath: string, withinMs = WHOLE_ANSWER_MS): Promise<Docker> {
  const { default: Client } = await import('dockerode');
  const client = new Client({ socketPath });
  failWithoutAnswer(client.modem, socketPath, withinMs);
  return client;
}

const WHOLE_ANSWER_MS = 60_000;

/** Sockets of engines that did not answer the last request in time: cleanup sends many more, and should end soon. */
const silent = new Set<string>();

/**
 * Makes every request fail if its response breaks off, or does not arrive within this time, or within three seconds after a timeout; for the output
 * of a program, only the beginning must arrive. Only the wait for the end of a container has no limit, and does not keep this program running. The
 * client itself would wait forever: it misses a broken connection, except for responses that it returns as streams.
 */
function failWithoutAnswer(modem: Docker['modem'], socket: string, withinMs: number): void {
  const dial = modem.dial.bind(modem);
  modem.dial = (request, done = () => undefined) => {
    if (request.hijack !== true && (request.isStream === true || request.openStdin === true)) {
      dial(request, done);
      return;
    }
    const waits = /\/wait\?/.test(request.path);
    const limitMs = silent.has(socket) ? Math.min(withinMs, ANSWER_WITHIN_MS) : withinMs;
    const late = waits ? undefined : abortAfter(limitMs);
    const signals = [request.abortSignal, late?.signal].filter((signal) => signal !== undefined);
    const failed = (thrown: Error) => {
      const isLate = late?.signal.aborted === true;
      late?.[Symbol.dispose]();
      if (isLate) {
        silent.add(socket);
      }
      done(isLate ? new Error(`no answer within ${limitMs / 1000} s`) : thrown, null);
    };
    const heard = (content: Answer) => {
      late?.[Symbol.dispose]();
      silent.delete(socket);
      done(null, content);
    };
    dial({ ...request, isStream: true, abortSignal: AbortSignal.any(signals) }, (failure, answer) => {
      if (failure !== null) {
        failed(failure);
      } else if (request.hijack === true) {
        heard(answer);
      } else {
        void contentOf(answer, waits).then(heard, failed);
      }
    });
  };
}

type Answer = Parameters<NonNullable<Parameters<Docker['modem']['dial']>[1]>>[1];

/** Reads a whole response and parses it as the client does: JSON to an object, anything else to bytes. */
async function contentOf(answer: Answer, waits: boolean): Promise<Answer> {
  if (!(answer instanceof IncomingMessage)) {
    return answer;
  }
  if (waits) {
    answer.socket.unref();
  }
  const body = await buffer(answer);
  return ifPossible(() => JSON.parse(body.toString('utf8')) ?? body) ?? body;
}

/** Work with the engine; throws EnvironmentError if the engine has disappeared since it was connected. */
export async function whileItAnswers<Result>({ socket }: Engine, work: () => PromiseLike<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    // A broken connection has many causes; only the engine itself can show whether it still runs.
    const answer = await dockerAnswers({ DOCKER_HOST: `unix://${socket}` });
    if (!answer.ok) {
      throw new EnvironmentError(`the Docker engine has stopped answering: ${answer.why}`, {
        code: 'WG-202',
        cause: thrown,
        next: 'Restart the engine, then measure again. Complete rounds and slots are in run.json. The next run removes leftover containers.',
      });
    }
    throw thrown;
  }
}

const ASK_EVERY_MS = 15_000;

/** Time for the work to clean up after its abort; a response that is being read may never end. */
const CLEAR_MS = 5000;

/** Long work with the engine, which is pinged meanwhile: without a response for a minute, throws EnvironmentError. */
export async function whileItStands<Result>(
  {
    engine,
    signal,
    pollEveryMs = ASK_EVERY_MS,
  }: { readonly engine: Engine; readonly signal: AbortSignal; readonly pollEveryMs?: number },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const gone = new AbortController();
  const refused = requested(engine, { everyMs: pollEveryMs, until: over.signal }).catch(async (thrown: unknown) => {
    gone.abort(thrown);
    await sleep(CLEAR_MS, undefined, { signal: over.signal });
    throw thrown;
  });
  try {
    return await Promise.race([work(AbortSignal.any([signal, gone.signal])), refused]);
  } catch (thrown) {
    signal.throwIfAborted();
    gone.signal.throwIfAborted();
    return await whileItAnswers(engine, () => Promise.reject(thrown));
  } finally {
    over.abort();
  }
}

async function requested(
  engine: Engine,
  { everyMs, until }: { readonly everyMs: number; readonly until: AbortSignal },
): Promise<never> {
  for (;;) {
    await sleep(everyMs, undefined, { signal: until });
    await whileItAnswers(engine, () => engine.api.version());
  }
}

/** True if the engine refused with this HTTP status: 404 for a missing object, 409 for a conflict. */
export function isEngineRefusal(thrown: unknown, ...statuses: readonly number[]): boolean {
  return (
    thrown instanceof Error &&
    'statusCode' in thrown &&
    typeof thrown.statusCode === 'number' &&
    statuses.includes(thrown.statusCode)
  );
}

/** Message of the engine, without the HTTP status that the client library adds. */
export function engineRefusalOf(thrown: unknown): string {
  return messageOf(thrown)
    .replace(/^\(HTTP code \d+\) [^-]*- /, '')
    .trim();
}

function socketOf(environment: Variables): string | undefined {
  const host = environment['DOCKER_HOST'];
  if (host) {
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

/** Reason that the engine cannot be used, in one sentence without a period, and the fix. */
interface DockerRefusal {
  readonly ok: false;
  readonly why: string;
  readonly next: string;
  /** Fix for programs that can only run in containers. */
  readonly start: string;
}

/** The socket exists, but no engine responds, or it refuses this user. */
export function engineNoAnswer(
  { socket, thrown, words }: { readonly socket: string; readonly thrown: unknown; readonly words: string },
  environment: Variables,
): DockerRefusal {
  const code = codeOf(thrown);
  if (code === 'EACCES' || code === 'EPERM') {
    return refusal(
      environment,
      `this user cannot open the Docker socket ${socket}; only members of the group docker can`,
      [`On the runner, ${ADD_USER}`, `As root, ${ADD_USER}`],
    );
  }
  const why =
    code === 'ECONNREFUSED'
      ? `nothing listens on the Docker socket ${socket}`
      : `the Docker engine behind ${socket} did not answer as expected: ${words}`;
  return refusal(environment, why, [
    'Start the engine in an earlier step (`- run: sudo systemctl start docker`)',
    'Start the engine',
  ]);
}

const ADD_USER = 'add the user to the group (`usermod --append --groups docker <user>`) and log in again';

/** Refusal with a fix for a workflow or a terminal, and one without an engine. */
function refusal(
  environment: Variables,
  why: string,
  [inWorkflow, atTerminal]: readonly [string, string],
): DockerRefusal {
  const [start, without] = isInWorkflow(environment)
    ? [inWorkflow, ': `with: { args: --runtime process }`']
    : [atTerminal, ' with --runtime process'];
  return { ok: false, why, next: `${start}, or measure plain processes${without}.`, start: `${start}.` };
}
