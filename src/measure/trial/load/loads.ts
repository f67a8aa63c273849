import { EnvironmentError, MeasurementError, messageOf } from '../../../foundation/errors.ts';
import { generatorFor } from '../../../load/generators.ts';
import { readRecords } from '../../../load/record-file.ts';
import type { Load, LoadEnd, ScheduledRecords, Target } from '../../../model/load.ts';
import { operationRate, operationWorkers, type Pace } from '../../../model/plan.ts';
import type { Reading } from '../../../model/runner.ts';
import type { Service } from '../../../model/service.ts';
import { overNetwork } from '../../../model/suite/network.ts';
import type { Operation } from '../../../model/suite/suite.ts';
import { PROTOCOLS } from '../../../protocols/protocols.ts';
import type { RunningService } from '../../../runtime/port.ts';
import { resolvedTarget, type Secrets } from '../../../secrets/secrets.ts';

/** A service under load: all operations of a suite together, at one pace, for so long. */
export interface Loading {
  readonly service: Service;
  /** `host:port` as the load tool reaches it. */
  readonly address: string;
  readonly secrets: Secrets;
  readonly pace: Pace;
  readonly seconds: number;
  /** Moves the requests of an open load within their intervals, by operation; see OpenLoad. */
  readonly jitterSeed?: ((operation: string) => number) | undefined;
}

const REQUEST_TIMEOUT_SECONDS = 30;

/** The part of a load that one operation has. */
export function loadOf(loading: Loading, operation: Operation): Load {
  const { pace, seconds } = loading;
  const workers = operationWorkers(pace.workers, operation);
  const jitterSeed = loading.jitterSeed?.(operation.name);
  if (pace.mode === 'saturate') {
    const count = Math.ceil(MOST_PER_SECOND * operation.share * seconds) + SPARE_REQUESTS;
    const due = dueOf(operation, { count, jitterSeed });
    return { ...sentTo(loading, due), kind: 'saturate', seconds, workers, weight: operation.share };
  }
  if (pace.mode === 'users') {
    const { requestsPerUser, rampSeconds } = pace;
    // The users who are counted for an operation have so many requests, however the shares are rounded to users.
    const weight = requestsPerUser === undefined ? operation.share : workers;
    return { ...sentTo(loading, operation), kind: 'users', seconds, workers, weight, requestsPerUser, rampSeconds };
  }
  if (pace.mode === 'stages') {
    const { stages, thinkSeconds } = pace;
    return {
      ...sentTo(loading, operation),
      kind: 'stages',
      seconds,
      workers,
      weight: operation.share,
      stages,
      thinkSeconds,
    };
  }
  const ratePerSecond = operationRate(pace.ratePerSecond, operation);
  const due = dueOf(operation, { count: Math.ceil(ratePerSecond * seconds) + SPARE_REQUESTS, jitterSeed });
  const jitter = jitterSeed !== undefined && { jitterSeed };
  return { ...sentTo(loading, due), kind: 'open', seconds, ratePerSecond, workers, ...jitter };
}

function sentTo({ service, address, secrets, pace }: Loading, operation: Operation) {
  const protocol = PROTOCOLS[service.protocol];
  const target = resolvedTarget(protocol.target(operation, service, address), secrets);
  const { stream } = operation;
  return {
    target: { ...(protocol.encoded?.(target, service) ?? target), ...(stream !== undefined && { stream }) },
    timeoutSeconds: timeoutOf(target),
    ...overNetwork(pace),
  };
}

/** No load tool sends as many from one core. What a block cannot come to would take longer to hand over than the block itself. */
const MOST_PER_SECOND = 100_000;

/** Tools send a little longer than planned. */
const SPARE_REQUESTS = 100;

interface Due {
  readonly count: number;
  readonly jitterSeed: number | undefined;
}

/** Of a feed that is longer than the load, what it comes to: other rows in each block, and the same for both versions. */
function dueOf(operation: Operation, { count, jitterSeed = 0 }: Due): Operation {
  const { arguments: rows } = operation;
  if (rows.length <= count) {
    return operation;
  }
  const first = jitterSeed % rows.length;
  return { ...operation, arguments: [...rows, ...rows].slice(first, first + count) };
}

function timeoutOf({ requests }: Target): number {
  const deadlineMs = requests[0]?.deadlineMs;
  return deadlineMs === undefined ? REQUEST_TIMEOUT_SECONDS : deadlineMs / 1000;
}

/** Operations of a started service that are loaded side by side. */
export interface LoadedService extends Omit<Loading, 'address'> {
  readonly running: RunningService;
  readonly operations: readonly Operation[];
  /** Of each load, in place of the usual. */
  readonly settings?: Partial<Pick<Load, 'fresh' | 'timeoutSeconds'>>;
  /** Whether the loads are so short that none of their requests may have been sent. */
  readonly mayBeEmpty?: boolean;
}

/** Reads the records of loads that were sent; to be called when no load is under way, since that takes CPU time. */
export type ReadRecords = () => Promise<ScheduledRecords[]>;

/**
 * Prepares the loads and gives what sends them, all from one instant. That rejects as RunningService.play does, and reading as
 * recordsOf does.
 */
export function preparedLoads(loaded: LoadedService): (signal: AbortSignal) => Promise<ReadRecords> {
  const { service, running, operations, settings } = loaded;
  const loading = { ...loaded, address: running.loadAddress };
  const loads = operations.map((operation) => ({ operation, load: { ...loadOf(loading, operation), ...settings } }));
  const tool = generatorFor(service.protocol);
  return async (signal) => {
    const blocks = loads.map(({ load }) => ({ tool, load }));
    const ends = await running.play(blocks, signal);
    return async () => {
      const parts: ScheduledRecords[] = [];
      for (const [index, load] of loads.entries()) {
        signal.throwIfAborted();
        parts.push(await recordsOf({ ...loaded, ...load, end: ends[index] as LoadEnd }));
      }
      return parts;
    };
  };
}

/** Reading of the counters of a service; throws MeasurementError if they cannot be read, after `waiting`. */
export async function readingOf(
  { running, service: { name } }: Pick<LoadedService, 'running' | 'service'>,
  waiting = async (): Promise<void> => undefined,
): Promise<Reading> {
  try {
    return await running.reading();
  } catch (cause) {
    await waiting();
    throw new MeasurementError(`${name}: its counters cannot be read: ${messageOf(cause)}`, {
      code: 'WG-402',
      cause,
      next: 'Measure again. If it fails each time, measure with `--runtime process` instead of `docker`, or vice versa.',
    });
  }
}

/** A load that was played, and how it ended. */
export interface Played {
  readonly service: Service;
  readonly operation: Operation;
  readonly load: Load;
  readonly secrets: Secrets;
  readonly end: LoadEnd;
  /** Whether it is so short that none of its requests may have been sent. */
  readonly mayBeEmpty?: boolean;
}

/**
 * The records of a load with the schedule that they were to follow. Throws MeasurementError if it could not be sent, and
 * EnvironmentError if its records are cut off.
 */
export async function recordsOf(played: Played): Promise<ScheduledRecords> {
  const { operation, load, secrets, end } = played;
  refuseFailed(played);
  const file = await end.records();
  const records = readRecords(file, { expected: load.target.expected, mask: secrets.mask });
  if (records === undefined || (records.startMs.length === 0 && played.mayBeEmpty !== true)) {
    throw cutOff(played, records?.startMs.length ?? 0);
  }
  return {
    operation: operation.name,
    records: { ...records, failureKinds: records.failureKinds.map(secrets.mask) },
    ratePerSecond: load.kind === 'open' ? load.ratePerSecond : undefined,
    planned: plannedRequests(load),
    ...(load.target.stream !== undefined && { messages: load.target.stream.messages }),
  };
}

function refuseFailed({ service, operation, load, end }: Played): void {
  if (end.isOverTime) {
    throw new MeasurementError(
      `${service.name}: requests of ${operation.name} had no end within ${Math.round((end.endedMs - end.startedMs) / 1000)} s under load`,
      {
        code: 'WG-308',
        next: `Each request may take ${load.timeoutSeconds} s (\`deadlineMs\` of the operation). Check whether the service ends its responses when it is busy.`,
      },
    );
  }
  if (end.complaint !== '') {
    throw new MeasurementError(`${generatorFor(service.protocol)} against ${service.name} failed: ${end.complaint}`, {
      code: 'WG-401',
      next: 'Measure again. If it fails each time, `wiregauge doctor` checks this machine and its load driver.',
    });
  }
}

function cutOff({ service }: Played, requests: number): EnvironmentError {
  return new EnvironmentError(
    `the records of ${generatorFor(service.protocol)} against ${service.name} are cut off after ${requests} requests`,
    {
      code: 'WG-401',
      next: 'Check whether the disk of the temporary folder is full. Free some space, or set TMPDIR to another disk.',
    },
  );
}

/** undefined if the time alone ends the load. */
function plannedRequests(load: Load): number | undefined {
  switch (load.kind) {
    case 'open':
      // Blocks last parts of a second, so a schedule may end between two requests.
      return Math.floor(load.ratePerSecond * load.seconds);
    case 'users':
      return load.requestsPerUser === undefined ? undefined : load.workers * load.requestsPerUser;
    case 'saturate':
    case 'stages':
      return undefined;
  }
}
