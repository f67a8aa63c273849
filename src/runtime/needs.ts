import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { MeasurementError, messageOf } from '../foundation/index.ts';
import type { Need, NeedPlace, Service } from '../model/index.ts';
import { type Ended, EngineLost, endSentence, isLost, type NeedEnd, WHEN_LOST } from './ended.ts';

/** An engine's proxy takes every connection, and drops it at once where nothing listens behind it. */
const HOLD_MS = 100;

const LIMIT_MS = 2000;

/** Why a port of 127.0.0.1 takes no connection that stays open; undefined where it does. */
export function portRefusal(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const end = (refusal: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(refusal);
    };
    let timer = setTimeout(() => end('it takes no connection'), LIMIT_MS);
    socket.once('connect', () => {
      clearTimeout(timer);
      timer = setTimeout(() => end(undefined), HOLD_MS);
    });
    // Whoever greets first, as a mail server does, is there.
    socket.once('data', () => end(undefined));
    socket.once('end', () => end('it drops every connection'));
    socket.once('error', (error) => end(messageOf(error)));
  });
}

/** Why a port of 127.0.0.1 does not answer a GET with success over HTTP; undefined where it does. */
export async function pathRefusal(port: number, path: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    // A connection kept open would still be there when the measurement starts.
    const headers = { connection: 'close' };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', headers, signal });
    await answer.body?.cancel();
    return answer.ok ? undefined : `it answered ${answer.status}`;
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown.cause : undefined;
    return messageOf(cause ?? thrown) || 'no answer';
  }
}

/** Something that a service needs, started by a runtime. Disposing of it removes it. */
export interface RunningNeed extends AsyncDisposable {
  readonly need: Need;
  /** Where the service reaches it. */
  readonly place: NeedPlace;
  /** The port of 127.0.0.1 by which this program reaches it. */
  readonly ownPort: number;
  /** Settles when it ends by itself; never rejects. */
  readonly ended: Promise<Ended>;
  /** CPU time so far. */
  cpuSeconds(): Promise<number>;
  /** The last lines that it printed. */
  logs(): Promise<string>;
  /** Why a command in its container, or beside it, did not succeed; undefined where it did. */
  tries(command: readonly string[]): Promise<string | undefined>;
}

const PAUSE_MS = 100;

/**
 * Waits until a need is ready. Throws MeasurementError, naming it and the service, where it ends first or does not get ready in time;
 * rejects with the signal's reason where that aborts.
 */
export async function untilNeedReady(standing: RunningNeed, service: string, signal?: AbortSignal): Promise<void> {
  const { need } = standing;
  const name = `${need.name} (needed by ${service})`;
  let ended: Ended | undefined;
  void standing.ended.then((end) => {
    ended = end;
  });
  const { timeoutSeconds } = need.ready;
  let refusal: string | undefined = 'no answer';
  for (const until = performance.now() + timeoutSeconds * 1000; performance.now() < until; await sleep(PAUSE_MS)) {
    signal?.throwIfAborted();
    refusal = await refusalOf(standing);
    if (ended !== undefined) {
      const words = `${name}: ended before it was ready: ${endSentence(ended)}`;
      const look = `Look at what it printed, and at \`needs.${need.name}\` in the description of ${service}.`;
      throw isLost(ended)
        ? new EngineLost(words, { next: WHEN_LOST })
        : new MeasurementError(words, { next: unreadIn(need) ?? look });
    }
    if (refusal === undefined) {
      return;
    }
  }
  throw new MeasurementError(
    `${name}: not ready after ${timeoutSeconds} s: ${checkName(need)}: ${refusal}${await lastLines(standing)}`,
    {
      next:
        unreadIn(need) ??
        `Look at what it printed, and at \`needs.${need.name}.ready\` in the description of ${service}.`,
    },
  );
}

function unreadIn({ process, ready: { check } }: Need): string | undefined {
  return (
    unreadVariable(process?.command ?? []) ?? (check.kind === 'command' ? unreadVariable(check.command) : undefined)
  );
}

async function refusalOf(standing: RunningNeed): Promise<string | undefined> {
  const { check } = standing.need.ready;
  if (check.kind === 'path') {
    return await pathRefusal(standing.ownPort, check.path);
  }
  return check.kind === 'command'
    ? await standing.tries(check.command).catch(messageOf)
    : await portRefusal(standing.ownPort);
}

function checkName({ ready: { check }, port }: Need): string {
  if (check.kind === 'path') {
    return `GET ${check.path} at port ${port}`;
  }
  return check.kind === 'command' ? check.command.join(' ') : `a connection to port ${port}`;
}

async function lastLines(standing: RunningNeed): Promise<string> {
  const lines = (await standing.logs()).trim();
  return lines === '' ? '; it printed nothing' : `; it printed:\n${lines}`;
}

/** Needs that are kept over a run: each is started when it is first asked for, and anew after it has ended by itself. */
export class KeptNeeds<Started extends RunningNeed> implements AsyncDisposable {
  readonly #standing = new Map<string, Promise<Started>>();

  async get(key: string, start: () => Promise<Started>): Promise<Started> {
    const known = this.#standing.get(key) ?? this.#begin(key, start());
    return await known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const standing = await Promise.allSettled(this.#standing.values());
    this.#standing.clear();
    const kept = standing.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    // Against the order of their start, as they may need each other.
    for (const one of kept.toReversed()) {
      await one[Symbol.asyncDispose]();
    }
  }

  #begin(key: string, starting: Promise<Started>): Promise<Started> {
    const forget = (): void => {
      if (this.#standing.get(key) === starting) {
        this.#standing.delete(key);
      }
    };
    this.#standing.set(key, starting);
    starting
      .then(async (standing) => {
        await standing.ended;
        forget();
        await standing[Symbol.asyncDispose]();
      })
      .catch(forget);
    return starting;
  }
}

/** How a runtime starts what a service needs. */
export interface NeedStarter<Started extends RunningNeed> {
  readonly kept: KeptNeeds<Started>;
  /** Starts one that can reach the places. */
  start(need: Need, places: readonly NeedPlace[]): Promise<Started>;
  /** Lets one that is kept be reached by the service that is about to be started. */
  join(standing: Started): Promise<void>;
}

/** All that one start of a service needs, ready. Disposing of it removes what is not kept. */
export interface RunningNeeds extends AsyncDisposable {
  readonly places: readonly NeedPlace[];
  /** Settles when one of them ends by itself; undefined where there is none. */
  readonly ended: Promise<NeedEnd> | undefined;
  /** CPU time of all of them so far; undefined where there is none. */
  cpuSeconds(): Promise<number | undefined>;
}

/**
 * Starts what a service needs, one after the other in the order of the list, each when the one before is ready. Throws as
 * untilNeedReady does; what was started is removed then.
 */
export async function startNeeds<Started extends RunningNeed>(
  { name, needs = [] }: Pick<Service, 'name' | 'needs'>,
  starter: NeedStarter<Started>,
  signal?: AbortSignal,
): Promise<RunningNeeds> {
  const standing: Started[] = [];
  const own: Started[] = [];
  try {
    for (const need of needs) {
      const start = (): Promise<Started> => startReady({ name, need, standing }, starter, signal);
      const isKept = need.fresh === 'run';
      const started = isKept ? await starter.kept.get(`${name}/${need.name}`, start) : await start();
      standing.push(started);
      if (isKept) {
        await starter.join(started);
      } else {
        own.push(started);
      }
    }
  } catch (thrown) {
    await removeAll(own).catch(() => undefined);
    throw thrown;
  }
  return {
    places: standing.map(({ place }) => place),
    ended: standing.length === 0 ? undefined : Promise.race(standing.map(endOf)),
    cpuSeconds: () => cpuSecondsOf(standing),
    [Symbol.asyncDispose]: () => removeAll(own),
  };
}

interface NeedStart {
  /** The service's. */
  readonly name: string;
  readonly need: Need;
  readonly standing: readonly RunningNeed[];
}

async function startReady<Started extends RunningNeed>(
  { name, need, standing }: NeedStart,
  starter: NeedStarter<Started>,
  signal: AbortSignal | undefined,
): Promise<Started> {
  signal?.throwIfAborted();
  const places = standing.map(({ place }) => place).filter((place) => need.needs.includes(place.name));
  const started = await starter.start(need, places);
  try {
    await untilNeedReady(started, name, signal);
    return started;
  } catch (thrown) {
    await Promise.allSettled([started[Symbol.asyncDispose]()]);
    throw thrown;
  }
}

async function endOf({ need, ended }: RunningNeed): Promise<NeedEnd> {
  return { name: need.name, end: await ended };
}

async function cpuSecondsOf(standing: readonly RunningNeed[]): Promise<number | undefined> {
  const seconds = await Promise.all(standing.map((one) => one.cpuSeconds()));
  return standing.length === 0 ? undefined : seconds.reduce((total, one) => total + one, 0);
}

/** Against the order of their start; what cannot be removed does not keep the rest from it. */
async function removeAll(standing: readonly RunningNeed[]): Promise<void> {
  const ends: PromiseSettledResult<void>[] = [];
  for (const one of standing.toReversed()) {
    ends.push(...(await Promise.allSettled([one[Symbol.asyncDispose]()])));
  }
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
}

const OURS = /\$\{?(HOST|PORT|DATA)\b/;

const READERS = /(^|\/)((ba|da|a|z|k)?sh|env|envsubst)$/;

/**
 * What to do about a command that names HOST, PORT or DATA as a shell would read it, but has no shell to read it: a sentence;
 * undefined where all is well.
 */
export function unreadVariable(command: readonly string[]): string | undefined {
  const [found] = command.join(' ').match(OURS) ?? [];
  if (found === undefined || command.some((word) => READERS.test(word))) {
    return undefined;
  }
  const name = found.replace(/\W/g, '');
  return `No shell reads the command, so that $${name} stays as it is in it; let one: [sh, -c, 'exec ${command.join(' ')}'].`;
}
