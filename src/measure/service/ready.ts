import type { Json } from '../../foundation/index.ts';
import { ConfigError, KnownError, MeasurementError, messageOf } from '../../foundation/index.ts';
import type { Clock } from '../../host/index.ts';
import type { Operation, Readiness, Service, TargetRequest } from '../../model/index.ts';
import type { Client, Protocol } from '../../protocols/index.ts';
import type { RunningService } from '../../runtime/index.ts';
import { unreadVariable } from '../../runtime/index.ts';
import { tellingLines } from '../../secrets/index.ts';
import { endOf, evidenceOf, moreMemory, type StartedEnd } from './early-exit.ts';

/** What is needed to ask a started service for an answer. */
export interface Asking {
  readonly client: Client;
  readonly clock: Clock;
  readonly protocol: Protocol;
  readonly service: Service;
  readonly operation: Operation;
  readonly signal: AbortSignal;
}

const USUAL: Readiness = { check: { kind: 'usual' }, timeoutSeconds: 20 };
const PAUSE_MS = 25;

/**
 * Waits until the service answers a real request with success, or passes the check that it says itself.
 * Throws MeasurementError where it, or something that it needs, ends first, or it is not ready in time, with the last lines that it
 * printed.
 */
export async function untilReady(running: RunningService, asking: Asking): Promise<void> {
  const { service, clock, signal } = asking;
  const { timeoutSeconds } = service.ready ?? USUAL;
  let ended: StartedEnd | undefined;
  void endOf({ service, running }).then((end) => {
    ended = end;
  });
  const limitMs = clock.nowMs() + timeoutSeconds * 1000;
  let refusal: Refusal = { words: 'no answer' };
  while (clock.nowMs() < limitMs) {
    signal.throwIfAborted();
    const found = await refusalOf(running, asking);
    if (found === undefined) {
      return;
    }
    refusal = found;
    if (ended !== undefined) {
      throw await endedEarly(ended, service);
    }
    await clock.sleep(PAUSE_MS, signal);
  }
  throw await notReady(running, asking, refusal);
}

async function endedEarly(ended: StartedEnd, service: Service): Promise<MeasurementError> {
  const { words, brief, printed } = await evidenceOf(ended);
  const what = `${ended.whose}: ended before ${ended.until} ready`;
  return new MeasurementError(`${what}: ${words}`, {
    brief: `${what}: ${brief}`,
    printed,
    next: moreMemory(ended) ?? unreadIn(service) ?? `Start it by hand and look: ${howToStart(service)}`,
  });
}

async function notReady(running: RunningService, asking: Asking, refusal: Refusal): Promise<MeasurementError> {
  const { service } = asking;
  const { timeoutSeconds } = service.ready ?? USUAL;
  const brief = `${service.name}: not ready after ${timeoutSeconds} s: ${checkName(asking)} at ${running.address}: ${refusal.words}`;
  // What a service that was not started from here prints is not seen.
  const log = service.address === undefined ? (await running.logs()).trim() : undefined;
  return new MeasurementError(`${brief}${withLog(log)}`, {
    brief,
    printed: tellingLines(log ?? '', process.env),
    next: [unreadIn(service) ?? nextStep(service), ...(refusal.next ?? [])].join(' '),
  });
}

function nextStep({ address, ready }: Service): string {
  if (address !== undefined) {
    return `Start it before the measurement, so that it listens at ${address}.`;
  }
  return (ready ?? USUAL).check.kind === 'usual'
    ? 'Look at what it printed; it must answer the first operation of the suite.'
    : 'Look at what it printed, and at `ready` in its description.';
}

function unreadIn({ process }: Service): string | undefined {
  return unreadVariable(process?.command ?? []);
}

function howToStart({ process, image }: Service): string {
  if (process !== undefined) {
    return process.command.join(' ');
  }
  if (image === undefined) {
    return 'what it is made of';
  }
  return 'reference' in image
    ? `docker run --rm ${image.reference}`
    : `docker build --file ${image.dockerfile}${image.target === undefined ? '' : ` --target ${image.target}`} ${image.context}, then docker run --rm with the id that it prints`;
}

/** What is tried, in words. */
function checkName({ service, operation }: Asking): string {
  const { check } = service.ready ?? USUAL;
  switch (check.kind) {
    case 'usual':
      return operation.name;
    case 'path':
      return `GET ${check.path}`;
    case 'call':
      return check.call;
    case 'command':
      return check.command.join(' ');
  }
}

/** Why a service is not ready, and what may be done about it. */
interface Refusal {
  readonly words: string;
  readonly next?: readonly string[];
}

/** Why the service is not ready, undefined where it is. */
async function refusalOf(running: RunningService, asking: Asking): Promise<Refusal | undefined> {
  try {
    const words = await failedCheck(running, asking);
    return words === undefined ? undefined : { words };
  } catch (cause) {
    // No wait mends a call that is in no contract.
    if (cause instanceof ConfigError) {
      throw cause;
    }
    const next = cause instanceof KnownError && cause.next !== undefined ? [cause.next] : [];
    return { words: messageOf(cause) || 'no answer', next };
  }
}

async function failedCheck(running: RunningService, asking: Asking): Promise<string | undefined> {
  const { check } = asking.service.ready ?? USUAL;
  switch (check.kind) {
    case 'usual':
      return await answersFirst(running, asking);
    case 'path':
      return await answers(running, asking, { call: `GET ${check.path}`, body: undefined });
    case 'call':
      return await answers(running, asking, { call: check.call, body: {} });
    case 'command':
      return await running.tries(check.command);
  }
}

async function answersFirst(
  running: RunningService,
  { protocol, client, service, operation }: Asking,
): Promise<undefined> {
  const request = protocol.target(operation, service, running.address).requests[0];
  if (request !== undefined) {
    protocol.canonical(await client.call(service, running.address, request), operation);
  }
}

/** Whatever the body is: a health check need not answer with JSON. */
async function answers(
  { address }: RunningService,
  { client, service }: Asking,
  request: TargetRequest,
): Promise<string | undefined> {
  const { status, body } = await client.call(service, address, request);
  if (!/^(2\d\d|OK)$/.test(status)) {
    return `answered ${status}`;
  }
  // The health service answers in time that it is not healthy yet.
  const health = request.call === HEALTH ? wordOf(body) : 'SERVING';
  return health === 'SERVING' ? undefined : `answered ${health}`;
}

const HEALTH = 'grpc.health.v1.Health/Check';

function wordOf(body: Json | undefined): string {
  const status = typeof body === 'object' && body !== null && 'status' in body ? body['status'] : undefined;
  return typeof status === 'string' ? status : 'UNKNOWN';
}

const LINES_TOLD = 40;

function withLog(log: string | undefined): string {
  if (log === undefined) {
    return '';
  }
  return log === '' ? '; it printed nothing' : `; it printed:\n${log.split('\n').slice(-LINES_TOLD).join('\n')}`;
}
