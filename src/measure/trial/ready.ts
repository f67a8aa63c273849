import { ConfigError, KnownError, MeasurementError, messageOf } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import { portsOf } from '../../host/machine/ports.ts';
import { unlessAborted } from '../../host/signals.ts';
import type { Reply, TargetRequest } from '../../model/load.ts';
import { beginningOf } from '../../model/secrets/mask.ts';
import { relevantLines } from '../../model/secrets/printed.ts';
import type { Readiness, Service } from '../../model/service.ts';
import type { Operation } from '../../model/suite/suite.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';
import type { RunningService } from '../../runtime/port.ts';
import { unreadVariable } from '../../runtime/ready.ts';
import type { TrialBench } from './bench.ts';
import { endError, endOf, type StartedEnd, startByHand } from './early-exit.ts';
import { PreparationError, type Preparing } from './preparing.ts';

interface Probe extends Pick<TrialBench, 'client' | 'clock' | 'signal'> {
  readonly service: Service;
  readonly operation: Operation;
  /** Requests that it must answer instead, if any. */
  readonly preparing?: Preparing;
  readonly firstRequestMs?: Map<string, number> | undefined;
  readonly slowStart?: SlowStart | undefined;
}

/** Speeds up a slow start: called until it returns a result, which is disposed of once the service is ready. */
export type SlowStart = (running: RunningService) => Promise<AsyncDisposable | undefined>;

export const SLOW_SECONDS = 5;

const USUAL: Readiness = { check: { kind: 'usual' } };

/** Pause between two checks; 2% of the elapsed time if that is longer, so that checks do not slow the start-up. */
const PAUSE_MS = 25;

/** Waits until the service answers a real request, or passes its own check. Returns true if `slowStart` had an effect. */
export async function untilReady(running: RunningService, probe: Probe): Promise<boolean> {
  const { service, clock, signal, slowStart } = probe;
  let help: AsyncDisposable | undefined;
  let ended: StartedEnd | undefined;
  void endOf({ service, running }).then((end) => {
    ended = end;
  });
  const startedMs = clock.steadyMs();
  const endAt = patienceWith(running, service.ready, startedMs);
  let refusal: Refusal = { words: 'no answer' };
  const isUpWithout = refusalWatch();
  let over = await endAt(startedMs);
  while (over === undefined) {
    signal.throwIfAborted();
    const found = await unlessAborted(refusalOf(running, probe), signal);
    if (found === undefined) {
      await help?.[Symbol.asyncDispose]();
      return help !== undefined;
    }
    refusal = found;
    if (clock.steadyMs() - startedMs >= SLOW_SECONDS * 1000) {
      help ??= await slowStart?.(running);
    }
    if (ended !== undefined) {
      const byHand = startByHand(service, { inContainer: ended.end.of === 'container', folder: running.folder });
      const what = `${ended.whose}: ended before ${ended.until} ready`;
      throw await endError(ended, what, unreadIn(service) ?? byHand);
    }
    if (isUpWithout(found, clock.steadyMs())) {
      throw found.failed ?? wrongPath(running, probe);
    }
    await clock.sleep(Math.max(PAUSE_MS, 0.02 * (clock.steadyMs() - startedMs)), signal);
    over = await endAt(clock.steadyMs());
  }
  throw await notReady(running, probe, { ...refusal, over });
}

/** Time for which a service may answer 404, or refuse to be prepared, before it counts as up: some do so while they start. */
const REFUSING_MS = 3000;

/** True if a service has only sent such responses for so long that it must be ready. */
function refusalWatch(): (refusal: Refusal, nowMs: number) => boolean {
  let sinceMs: number | undefined;
  return ({ isNotFound = false, failed }, nowMs) => {
    sinceMs = isNotFound || failed !== undefined ? (sinceMs ?? nowMs) : undefined;
    return sinceMs !== undefined && nowMs - sinceMs >= REFUSING_MS;
  };
}

function wrongPath({ address, folder }: RunningService, { service, operation }: Probe): WrongPathError {
  const call = PROTOCOLS[service.protocol].target(operation, service, address).requests[0]?.call ?? '';
  return new WrongPathError(
    `${service.name}: is up at ${address}, and answers 404 to ${beginningOf(call, LONGEST_PATH)} (${operation.name})`,
    { service, folder },
  );
}

async function notReady(
  running: RunningService,
  probe: Probe,
  refusal: Refusal & { readonly over: string },
): Promise<MeasurementError> {
  const { service } = probe;
  const other = otherPorts(running);
  const brief = `${service.name}: not ready ${refusal.over}: ${checkName(probe)} at ${running.address}: ${other?.words ?? refusal.words}`;
  // The output of an attached service is not visible.
  const log = service.address === undefined ? (await running.logs()).trim() : undefined;
  const lines =
    log === '' ? '; it printed nothing' : `; it printed:\n${log?.split('\n').slice(-LINES_SHOWN).join('\n')}`;
  return new MeasurementError(`${brief}${log === undefined ? '' : lines}`, {
    code: 'WG-302',
    brief,
    printed: relevantLines(log ?? '', process.env),
    next: [unreadIn(service) ?? other?.next ?? nextStep(service), refusal.next ?? []].flat().join(' '),
  });
}

function nextStep({ address, ready }: Service): string {
  if (address !== undefined) {
    return `Start it before the measurement; it must listen at ${address}.`;
  }
  return (ready ?? USUAL).check.kind === 'usual'
    ? 'Check what it printed; it must answer the first operation of the suite.'
    : 'Check what it printed, and `ready` in its configuration.';
}

function unreadIn({ process }: Service): string | undefined {
  return unreadVariable(process?.command ?? []);
}

function checkName({ service, operation }: Probe): string {
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

function requestedName({ address }: RunningService, probe: Probe): string {
  return `${probe.service.name}: ${checkName(probe)} at ${address}`;
}

interface Refusal {
  readonly words: string;
  readonly next?: string | undefined;
  /** True if the first operation was answered with 404. */
  readonly isNotFound?: boolean;
  /** Refusal of a `prepare` request that waiting does not change. */
  readonly failed?: PreparationError | undefined;
}

async function refusalOf(running: RunningService, probe: Probe): Promise<Refusal | undefined> {
  try {
    return await failedCheck(running, probe);
  } catch (cause) {
    // Waiting does not fix a call that is in no contract, or a path that only redirects.
    if (cause instanceof ConfigError || cause instanceof RedirectedError) {
      throw cause;
    }
    return { ...refusedBy(cause), failed: cause instanceof PreparationError && cause.isFinal ? cause : undefined };
  }
}

function refusedBy(cause: unknown): Refusal {
  return { words: messageOf(cause) || 'no answer', next: cause instanceof KnownError ? cause.next : undefined };
}

async function failedCheck(running: RunningService, probe: Probe): Promise<Refusal | undefined> {
  const { check } = probe.service.ready ?? USUAL;
  switch (check.kind) {
    case 'usual':
      return await (probe.preparing?.isDone === false ? probe.preparing.send() : answersFirst(running, probe));
    case 'path':
      return await answers(running, probe, { call: `GET ${check.path}`, body: undefined });
    case 'call':
      return await answers(running, probe, { call: check.call, body: {} });
    case 'command': {
      const words = await running.tries(check.command);
      return words === undefined ? undefined : { words };
    }
  }
}

async function answersFirst(running: RunningService, probe: Probe): Promise<Refusal | undefined> {
  const { client, clock, service, operation, firstRequestMs } = probe;
  const protocol = PROTOCOLS[service.protocol];
  const request = protocol.target(operation, service, running.address).requests[0];
  if (request === undefined) {
    return undefined;
  }
  const sentMs = clock.steadyMs();
  const reply = await client.call(service, running.address, request);
  const tookMs = clock.steadyMs() - sentMs;
  try {
    protocol.canonical(reply, operation);
    firstRequestMs?.set(operation.name, tookMs);
    return undefined;
  } catch (thrown) {
    const path = redirectedPath(reply, request, running);
    if (path !== undefined) {
      throw new RedirectedError(`${requestedName(running, probe)}: ${messageOf(thrown)}`, {
        next: `Request ${path} instead: redirects are not followed. To measure the redirect itself, set \`expect: { status: 3xx }\`.`,
      });
    }
    if (reply.status === '404') {
      return { ...refusedBy(thrown), isNotFound: true };
    }
    throw thrown;
  }
}

/** Ignores the body: a health check need not return JSON. */
async function answers(running: RunningService, probe: Probe, request: TargetRequest): Promise<Refusal | undefined> {
  const reply = await probe.client.call(probe.service, running.address, request);
  const { status, body } = reply;
  const path = redirectedPath(reply, request, running);
  if (path !== undefined) {
    throw new RedirectedError(`${requestedName(running, probe)}: answered ${status}, a redirect to ${path}`, {
      next: `Set \`ready: { path: ${path} }\`: redirects are not followed.`,
    });
  }
  if (!/^(2\d\d|OK)$/.test(status)) {
    return { words: `answered ${status}` };
  }
  // The health service responds in time that it is not healthy yet.
  const health = request.call === HEALTH ? wordOf(body) : 'SERVING';
  return health === 'SERVING' ? undefined : { words: `answered ${health}` };
}

/** Error for a service that redirects to another of its paths: it is ready, and the other path should be requested. */
class RedirectedError extends MeasurementError {
  static override readonly code = 'WG-304';
}

const LONGEST_PATH = 200;

/** Path of the same service to which a response redirects; undefined without a redirect, or if it leads elsewhere or to itself. */
function redirectedPath(
  { status, answer }: Reply,
  { call }: TargetRequest,
  { address }: RunningService,
): string | undefined {
  const location = /^3\d\d$/.test(status) ? answer?.location : undefined;
  const requested = `http://${address}${call.replace(/^\S+ /, '')}`;
  if (location === undefined || !URL.canParse(location, requested)) {
    return undefined;
  }
  const here = new URL(requested);
  const { host, pathname, search } = new URL(location, requested);
  return host === here.host && pathname !== here.pathname
    ? beginningOf(`${pathname}${search}`, LONGEST_PATH)
    : undefined;
}

const HEALTH = 'grpc.health.v1.Health/Check';

function wordOf(body: Json | undefined): string {
  const status = typeof body === 'object' && body !== null && 'status' in body ? body['status'] : undefined;
  return typeof status === 'string' ? status : 'UNKNOWN';
}

const LINES_SHOWN = 40;

const IDLE_SECONDS = 20;

/** Longest start-up of a service that makes progress, in seconds. */
export const MAX_SECONDS = 180;

/** CPU time within IDLE_SECONDS that counts as progress: 10% of a core. Responses to our own checks need less. */
const WORKING_SECONDS = 0.1 * IDLE_SECONDS;

const SAMPLE_MS = 1000;

/**
 * Limit for the start of a service: `timeoutSeconds` if set, else as long as it makes progress, which is CPU time, or a line of output that differs
 * from all others in more than its numbers. The function returns the reason to stop waiting, like "after 20 s"; undefined to continue.
 */
export function patienceWith(running: RunningService, ready: Readiness | undefined, startedMs: number) {
  const timeoutSeconds = ready?.timeoutSeconds;
  const lines = new Set(['']);
  let sampledMs = startedMs;
  let progress = { atMs: startedMs, cpuSeconds: 0 };
  const notice = async (nowMs: number): Promise<void> => {
    const cpuSeconds = await running.cpuSeconds?.().catch(() => undefined);
    if (cpuSeconds === undefined) {
      return;
    }
    const known = lines.size;
    for (const line of (await running.logs()).split('\n')) {
      lines.add(line.replace(/\d/g, ''));
    }
    if (cpuSeconds - progress.cpuSeconds >= WORKING_SECONDS || lines.size > known) {
      progress = { atMs: nowMs, cpuSeconds };
    }
  };
  return async (nowMs: number): Promise<string | undefined> => {
    const seconds = (nowMs - startedMs) / 1000;
    const limitSeconds = timeoutSeconds ?? MAX_SECONDS;
    if (seconds >= limitSeconds) {
      return `after ${limitSeconds} s`;
    }
    if (timeoutSeconds === undefined && nowMs - sampledMs >= SAMPLE_MS) {
      sampledMs = nowMs;
      await notice(nowMs);
    }
    if (timeoutSeconds !== undefined || nowMs - progress.atMs < IDLE_SECONDS * 1000) {
      return undefined;
    }
    const idle = progress.atMs === startedMs ? '' : `, the last ${IDLE_SECONDS} s without progress`;
    return `after ${Math.floor(seconds)} s${idle}`;
  };
}

/** Other ports that a started program listens on, and the fix; undefined if it listens on its own, or none is visible. */
export function otherPorts({ processes = [], loadAddress }: Pick<RunningService, 'processes' | 'loadAddress'>):
  | {
      readonly ports: readonly number[];
      readonly words: string;
      readonly next: string;
    }
  | undefined {
  // Others are members.
  const ports = processes.slice(0, 1).flatMap(portsOf);
  // Inside its container's network, the one of `port`.
  const given = Number(/:(\d+)$/.exec(loadAddress)?.[1]);
  return ports.length === 0 || ports.includes(given)
    ? undefined
    : {
        ports,
        words: `it listens on port ${ports.join(', ')} instead of ${given}, the value of $PORT`,
        next: `Make it listen on the port in the environment variable PORT, which differs from start to start, or pass that port with a flag: \`command: [sh, -c, 'exec ./server --port "$PORT"']\`. If its port is fixed, set \`process: { port: ${ports[0]} }\`, or \`port: ${ports[0]}\` if it runs in a container.`,
      };
}

/** Error for a service that is up, and answers its first operation with nothing but 404. */
export class WrongPathError extends MeasurementError {
  static override readonly code = 'WG-307';

  readonly of: { readonly service: Service; readonly folder: string | undefined };

  constructor(message: string, of: WrongPathError['of']) {
    super(message, { next: NEXT });
    this.of = of;
  }
}

const NEXT =
  'Correct the path of the operation: `wiregauge init --dry-run` prints the routes in the sources. If the service answers 404 only while it starts, name a path that shows when it is ready: `ready: { path: /health }`.';

/** Wrong path of an error, which its message may contain without secrets or the folders of versions. */
export function wrongPathIn(thrown: unknown): WrongPathError | undefined {
  if (thrown instanceof WrongPathError) {
    return thrown;
  }
  return thrown instanceof KnownError ? wrongPathIn(thrown.cause) : undefined;
}

/** Wrong path that all concurrent starts share; undefined for a single start, or if another one had a different result. */
export function sharedWrongPath(starts: readonly PromiseSettledResult<unknown>[]): WrongPathError | undefined {
  const wrong = starts.flatMap((start) => (start.status === 'rejected' ? (wrongPathIn(start.reason) ?? []) : []));
  return starts.length > 1 && wrong.length === starts.length ? wrong[0] : undefined;
}
