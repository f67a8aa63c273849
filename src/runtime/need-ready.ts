import { setTimeout as sleep } from 'node:timers/promises';
import { MeasurementError, messageOf } from '../foundation/errors.ts';
import type { NeedPlace } from '../model/needs.ts';
import type { Need } from '../model/service.ts';
import { pathRefusal, portRefusal } from './need-check.ts';
import { unreadVariable } from './unread-variable.ts';

/** Something that a service needs, started by a runtime. Disposing of it removes it. */
export interface StandingNeed extends AsyncDisposable {
  readonly need: Need;
  /** Where the service reaches it. */
  readonly place: NeedPlace;
  /** The port of 127.0.0.1 by which this program reaches it. */
  readonly ownPort: number;
  /** Settles with a sentence when it ends by itself; never rejects. */
  readonly ended: Promise<string>;
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
export async function untilNeedReady(standing: StandingNeed, service: string, signal?: AbortSignal): Promise<void> {
  const { need } = standing;
  const name = `${need.name} (needed by ${service})`;
  let ended: string | undefined;
  void standing.ended.then((sentence) => {
    ended = sentence;
  });
  const { timeoutSeconds } = need.ready;
  let refusal: string | undefined = 'no answer';
  for (const until = performance.now() + timeoutSeconds * 1000; performance.now() < until; await sleep(PAUSE_MS)) {
    signal?.throwIfAborted();
    refusal = await refusalOf(standing);
    if (ended !== undefined) {
      throw new MeasurementError(`${name}: ended before it was ready: ${ended}`, {
        next:
          unreadIn(need) ?? `Look at what it printed, and at \`needs.${need.name}\` in the description of ${service}.`,
      });
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

async function refusalOf(standing: StandingNeed): Promise<string | undefined> {
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

async function lastLines(standing: StandingNeed): Promise<string> {
  const lines = (await standing.logs()).trim();
  return lines === '' ? '; it printed nothing' : `; it printed:\n${lines}`;
}
