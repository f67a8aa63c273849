import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchFailure, MeasurementError, messageOf } from '../foundation/errors.ts';
import type { MemberCounters } from '../model/runner.ts';
import type { Need, NeedPlace } from '../model/service.ts';
import { type Ended, EngineLost, endSentence, needName, WHEN_LOST } from './ended.ts';

/** An engine's proxy accepts every connection, and drops it at once if nothing listens behind it. */
const HOLD_MS = 100;

const LIMIT_MS = 2000;

/** Reason that a port of 127.0.0.1 accepts no lasting connection; undefined if it does. */
export function portRefusal(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const end = (refusal: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(refusal);
    };
    let timer = setTimeout(() => end('it accepts no connections'), LIMIT_MS);
    socket.once('connect', () => {
      clearTimeout(timer);
      timer = setTimeout(() => end(undefined), HOLD_MS);
    });
    // A server that sends first, such as a mail server, is ready.
    socket.once('data', () => end(undefined));
    socket.once('end', () => end('it closes every connection'));
    socket.once('error', (error) => end(messageOf(error)));
  });
}

/** Reason that a port of 127.0.0.1 does not answer a GET successfully over HTTP; undefined if it does. */
export async function pathRefusal(port: number, path: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    // A persistent connection would still exist when the measurement starts.
    const headers = { connection: 'close' };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', headers, signal });
    await answer.body?.cancel();
    return answer.ok ? undefined : `it answered ${answer.status}`;
  } catch (thrown) {
    return fetchFailure(thrown);
  }
}

/** Need or member of a service that a runtime started. Disposing of it removes it. */
export interface RunningNeed extends AsyncDisposable {
  readonly need: Need;
  /** Address for the service. */
  readonly place: NeedPlace;
  /** Port of 127.0.0.1 by which this program reaches it. */
  readonly ownPort: number;
  /** Settles when it ends unexpectedly; never rejects. */
  readonly ended: Promise<Ended>;
  /** True if anything listens on its port; left out if the kernel's list is not readable from here. */
  listens?(): boolean;
  /** Use so far; after its end, the last known use. */
  used(): Promise<MemberCounters>;
  /** Last lines that it printed. */
  logs(): Promise<string>;
  /** Reason that a command in its container, or its environment, failed; undefined on success. */
  tries(command: readonly string[]): Promise<string | undefined>;
}

const PAUSE_MS = 100;

/** Waits until a need is ready. Throws MeasurementError if it ends first or takes too long. */
export async function untilNeedReady(running: RunningNeed, service: string, signal?: AbortSignal): Promise<void> {
  const { need, place } = running;
  const keys = place.family ?? 'needs';
  const name = needName(place, service);
  let ended: Ended | undefined;
  void running.ended.then((end) => {
    ended = end;
  });
  const { timeoutSeconds } = need.ready;
  let refusal: string | undefined = 'no answer';
  for (const until = performance.now() + timeoutSeconds * 1000; performance.now() < until; await sleep(PAUSE_MS)) {
    signal?.throwIfAborted();
    refusal = await refusalOf(running);
    if (ended !== undefined) {
      throw endBeforeReady(running, service, ended);
    }
    if (refusal === undefined) {
      return;
    }
  }
  throw new MeasurementError(
    `${name}: not ready after ${timeoutSeconds} s: ${checkName(need)}: ${refusal}${await lastLines(running)}`,
    {
      code: 'WG-302',
      next: unreadIn(need) ?? `Check its output, and \`${keys}.${need.name}.ready\` of ${service}.`,
    },
  );
}

function endBeforeReady(running: RunningNeed, service: string, ended: Ended): MeasurementError {
  const { need, place } = running;
  const words = `${needName(place, service)}: ended before it was ready: ${endSentence(ended)}`;
  const look = `Check its output, and \`${place.family ?? 'needs'}.${need.name}\` of ${service}.`;
  return ended.kind === 'lost'
    ? new EngineLost(words, { next: WHEN_LOST })
    : new MeasurementError(words, { code: 'WG-303', next: unreadIn(need) ?? look });
}

/** Member that no longer passes its check, with its last output; undefined if all do. */
export async function ailmentAmong(all: readonly RunningNeed[], service: string): Promise<string | undefined> {
  for (const one of all) {
    const refusal = await refusalOf(one);
    if (refusal !== undefined) {
      const lines = await lastLines(one).catch(() => '');
      return `${needName(one.place, service)} is no longer ready: ${checkName(one.need)}: ${refusal}${lines}`;
    }
  }
  return undefined;
}

function unreadIn({ process, ready: { check } }: Need): string | undefined {
  return (
    unreadVariable(process?.command ?? []) ?? (check.kind === 'command' ? unreadVariable(check.command) : undefined)
  );
}

async function refusalOf(running: RunningNeed): Promise<string | undefined> {
  const { check } = running.need.ready;
  if (check.kind === 'path') {
    return await pathRefusal(running.ownPort, check.path);
  }
  if (check.kind === 'command') {
    return await running.tries(check.command).catch(messageOf);
  }
  // On a busy machine an engine's proxy takes longer than this to drop a connection.
  return running.listens?.() === false ? 'nothing listens there' : await portRefusal(running.ownPort);
}

function checkName({ ready: { check }, port }: Need): string {
  if (check.kind === 'path') {
    return `GET ${check.path} on port ${port}`;
  }
  return check.kind === 'command' ? check.command.join(' ') : `a connection to port ${port}`;
}

async function lastLines(running: RunningNeed): Promise<string> {
  const lines = (await running.logs()).trim();
  return lines === '' ? '; it printed nothing' : `; it printed:\n${lines}`;
}

const OURS = /\$\{?(HOST|PORT|DATA)\b/;

const READERS = /(^|\/)((ba|da|a|z|k)?sh|env|envsubst)$/;

/** Advice for a command with HOST, PORT or DATA but without a shell that expands them. */
export function unreadVariable(command: readonly string[]): string | undefined {
  const [found] = command.join(' ').match(OURS) ?? [];
  if (found === undefined || command.some((word) => READERS.test(word))) {
    return undefined;
  }
  const name = found.replace(/\W/g, '');
  return `$${name} is not expanded, because no shell runs the command. Use a shell: [sh, -c, 'exec ${command.join(' ')}'].`;
}
