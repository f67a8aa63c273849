import { MeasurementError, messageOf } from '../core/errors.ts';
import type { Protocol } from '../core/protocol.ts';
import type { Service } from '../core/service.ts';
import type { Operation } from '../core/suite.ts';
import type { Client, Clock, RunningService } from './ports.ts';

/** What is needed to ask a started service for an answer. */
export interface Asking {
  readonly client: Client;
  readonly clock: Clock;
  readonly protocol: Protocol;
  readonly service: Service;
  readonly operation: Operation;
  readonly signal: AbortSignal;
}

const READY_LIMIT_MS = 20_000;
const PAUSE_MS = 25;

/**
 * Waits until the service answers a real request with success.
 * Throws MeasurementError where it ends first or does not answer in 20 s, with the last lines that it printed.
 */
export async function untilReady(running: RunningService, asking: Asking): Promise<void> {
  let ended: string | undefined;
  void running.ended.then((sentence) => {
    ended = sentence;
  });
  const limitMs = asking.clock.nowMs() + READY_LIMIT_MS;
  let refusal = 'no answer';
  while (asking.clock.nowMs() < limitMs) {
    asking.signal.throwIfAborted();
    refusal = (await refusalOf(running, asking)) ?? '';
    if (refusal === '') {
      return;
    }
    if (ended !== undefined) {
      throw new MeasurementError(`${asking.service.name}: ended before it was ready: ${ended}`, {
        next: `Start it by hand and look: ${asking.service.process.command.join(' ')}`,
      });
    }
    await asking.clock.sleep(PAUSE_MS, asking.signal);
  }
  throw new MeasurementError(
    `${asking.service.name}: not ready after ${READY_LIMIT_MS / 1000} s: ${asking.operation.name} at ${running.address}: ${refusal}${withLogs(await running.logs())}`,
    { next: 'Look at what it printed; it must answer the first operation of the suite.' },
  );
}

/** Why the service is not ready, undefined where it is. */
async function refusalOf(running: RunningService, asking: Asking): Promise<string | undefined> {
  const { requests } = asking.protocol.target(asking.operation, asking.service, running.address);
  const request = requests[0];
  if (request === undefined) {
    return undefined;
  }
  try {
    asking.protocol.canonical(await asking.client.call(asking.service, running.address, request));
    return undefined;
  } catch (cause) {
    return messageOf(cause) || 'no answer';
  }
}

function withLogs(logs: string): string {
  return logs.trim() === '' ? '; it printed nothing' : `; it printed:\n${logs.trim()}`;
}
