import { EnvironmentError, MeasurementError, messageOf } from '../../foundation/errors.ts';
import type { Clock } from '../../host/machine/clock.ts';
import { type Load, type LoadEnd, partOf, type ScheduledRecords } from '../../model/load.ts';
import { type Block, operationRate, operationsAt, operationWorkers } from '../../model/plan.ts';
import type { Reading } from '../../model/runner.ts';
import { resolvedTarget, type Secrets } from '../../model/secrets/secrets.ts';
import type { Service } from '../../model/service.ts';
import type { Operation, Tier } from '../../model/suite/suite.ts';
import { generatorFor, PROTOCOLS } from '../../protocols/protocols.ts';
import { EngineLost } from '../../runtime/ended.ts';
import type { RunningService } from '../../runtime/port.ts';
import type { MeasuredBlock } from '../samples/machine.ts';
import { lateWhileFree } from '../samples/marks.ts';
import { readRecords } from '../samples/record-file.ts';
import type { TrialBench } from './bench.ts';
import { NothingSent } from './failure.ts';
import type { ReadySubject } from './runner.ts';
import { WallTime } from './time.ts';

/** Block of load on all operations of a service together. */
export interface LoadedService extends Block {
  readonly service: Service;
  readonly running: RunningService;
  readonly operations: readonly Operation[];
  readonly secrets: Secrets;
  /** Shifts the requests of an open load within their intervals, by operation; see OpenLoad. */
  readonly jitterSeed?: ((operation: string) => number) | undefined;
  /** Settings of each load that override the default ones. */
  readonly settings?: Partial<Pick<Load, 'fresh' | 'timeoutSeconds'>>;
  /** True if the loads are so short that possibly none of their requests is sent. */
  readonly mayBeEmpty?: boolean;
}

export interface Loading extends Omit<LoadedService, 'running' | 'operations'> {
  readonly running: Pick<RunningService, 'loadAddress'>;
}

const REQUEST_TIMEOUT_MS = 30_000;

export function loadOf(loading: Loading, operation: Operation): Load {
  const { pace, seconds } = loading;
  const workers = operationWorkers(pace.workers, operation);
  if (pace.kind === 'open') {
    const ratePerSecond = operationRate(pace.ratePerSecond, operation);
    const jitterSeed = loading.jitterSeed?.(operation.name);
    const sent = sentTo(loading, operation, ratePerSecond * seconds);
    return { ...pace, ...sent, seconds, ratePerSecond, workers, ...(jitterSeed !== undefined && { jitterSeed }) };
  }
  const { share } = operation;
  // Users with a number of requests send it, however the shares are rounded to users.
  const weight = pace.kind === 'users' && pace.requestsPerUser !== undefined ? workers : share;
  const most = pace.kind === 'saturate' ? MAX_PER_SECOND * share * seconds : undefined;
  return { ...pace, ...sentTo(loading, operation, most), seconds, workers, weight };
}

/** Target of an operation with at most `requests` requests; undefined: any number. */
function sentTo({ service, running, secrets, jitterSeed }: Loading, operation: Operation, requests?: number) {
  const protocol = PROTOCOLS[service.protocol];
  const due = requests === undefined ? operation : dueOf(operation, requests, jitterSeed?.(operation.name));
  const target = resolvedTarget(protocol.target(due, service, running.loadAddress), secrets);
  const { stream } = operation;
  return {
    target: { ...(protocol.encoded?.(target, service) ?? target), ...(stream !== undefined && { stream }) },
    timeoutSeconds: (target.requests[0]?.deadlineMs ?? REQUEST_TIMEOUT_MS) / 1000,
  };
}

/** No load tool sends more from one core. The rest of such a block would take longer to transfer than the block itself. */
const MAX_PER_SECOND = 100_000;

/** Tools send a little longer than planned. */
const SPARE_REQUESTS = 100;

/** Rows of a feed longer than the load that are due: different ones in each block, and the same for both versions. */
function dueOf(operation: Operation, requests: number, jitterSeed = 0): Operation {
  const { arguments: rows } = operation;
  const count = Math.ceil(requests) + SPARE_REQUESTS;
  if (rows.length <= count) {
    return operation;
  }
  const first = jitterSeed % rows.length;
  return { ...operation, arguments: [...rows, ...rows].slice(first, first + count) };
}

/** Sends prepared loads from one instant, and then reads their records when no load is running, since that takes CPU time. */
export function preparedLoads(
  loaded: LoadedService,
): (signal: AbortSignal) => Promise<() => Promise<ScheduledRecords[]>> {
  const { service, running, operations, settings } = loaded;
  const loads = operations.map((operation) => ({ operation, load: { ...loadOf(loaded, operation), ...settings } }));
  const tool = generatorFor(service.protocol);
  return async (signal) => {
    const blocks = loads.map(({ load }) => ({ tool, load }));
    const ends = await running.play(blocks, signal);
    return async () => {
      const parts: ScheduledRecords[] = [];
      for (const [index, end] of ends.entries()) {
        signal.throwIfAborted();
        const { operation, load } = loads[index % loads.length] as (typeof loads)[number];
        const part = await recordsOf(loaded, operation, end.generator?.load ?? load, end);
        end.generator?.late(lateWhileFree(part));
        parts.push(part);
      }
      return parts;
    };
  };
}

/** Reading of the counters of a service; throws MeasurementError if they cannot be read, EngineLost if it was lost, after `waiting`. */
async function readingOf(
  { running, service: { name } }: Pick<LoadedService, 'running' | 'service'>,
  waiting = async (): Promise<void> => undefined,
): Promise<Reading> {
  try {
    return await running.reading();
  } catch (cause) {
    await waiting();
    if (cause instanceof EngineLost) {
      throw cause;
    }
    throw new MeasurementError(`${name}: its counters cannot be read: ${messageOf(cause)}`, {
      code: 'WG-402',
      cause,
      next: 'Measure again. If it fails each time, measure with `--runtime process` instead of `docker`, or vice versa.',
    });
  }
}

/** Records of a load with their schedule. Throws MeasurementError if it was not sent, EnvironmentError if they are truncated. */
export async function recordsOf(
  { service, secrets, mayBeEmpty }: Pick<LoadedService, 'service' | 'secrets' | 'mayBeEmpty'>,
  operation: Operation,
  load: Load,
  end: LoadEnd,
): Promise<ScheduledRecords> {
  const tool = generatorFor(service.protocol);
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
    throw new MeasurementError(`${tool} against ${service.name} failed: ${end.complaint}`, {
      code: 'WG-401',
      next: 'Measure again. If it fails each time, `wiregauge doctor` checks this machine and its load driver.',
    });
  }
  const records = readRecords(await end.records(), { expected: load.target.expected, mask: secrets.mask });
  const requests = records?.startMs.length ?? 0;
  if (records === undefined || (requests === 0 && mayBeEmpty !== true)) {
    throw new EnvironmentError(
      `the records of ${tool} against ${service.name} are cut off after ${requests} requests`,
      {
        code: 'WG-401',
        next: 'Check whether the disk of the temporary folder is full. Free some space, or set TMPDIR to another disk.',
      },
    );
  }
  const originMs = records.originMs - (end.generator?.aheadMs ?? 0);
  return {
    operation: operation.name,
    records: { ...records, originMs, failureKinds: records.failureKinds.map(secrets.mask) },
    ratePerSecond: load.kind === 'open' ? partOf(load.ratePerSecond, load.share ?? WHOLE) : undefined,
    planned: plannedRequests(load),
    workers: load.workers,
    ...(load.target.stream !== undefined && { messages: load.target.stream.messages }),
  };
}

const WHOLE = { index: 0, of: 1 };

/** Undefined if only the time ends the load. */
function plannedRequests(load: Load): number | undefined {
  switch (load.kind) {
    case 'open':
      // Blocks may last fractions of a second, so a schedule may end between two requests.
      return partOf(Math.floor(load.ratePerSecond * load.seconds), load.share ?? WHOLE);
    case 'users':
      return load.requestsPerUser === undefined ? undefined : load.workers * load.requestsPerUser;
    case 'saturate':
    case 'stages':
      return undefined;
  }
}

const READING_MS = 1000;

/**
 * Sends a block, with readings before and after it. The result reads its records, which takes CPU time: call it when no load is running. A watched
 * block has its own connections and a reading each second, and each of its operations must send a request.
 */
export async function runBlock(
  {
    secrets,
    clock,
    wallTime = new WallTime(clock),
  }: Pick<TrialBench, 'clock' | 'secrets'> & { readonly wallTime?: WallTime },
  subject: Pick<ReadySubject, 'service' | 'running' | 'operations' | 'signal'>,
  block: Block & Pick<Tier, 'operations'>,
  { jitterSeed, isWatched = false }: Pick<LoadedService, 'jitterSeed'> & { readonly isWatched?: boolean } = {},
): Promise<() => Promise<MeasuredBlock>> {
  const { service, running, signal } = subject;
  const { pace, seconds } = block;
  const loaded = { service, secrets, running, operations: operationsAt(subject, block), pace, seconds };
  const how = isWatched ? { settings: { fresh: true } } : { jitterSeed, mayBeEmpty: true };
  const send = preparedLoads({ ...loaded, ...how });
  // A service that ends takes its counters with it: its end is the better message, and arrives within this pause.
  const pause = isWatched ? () => clock.sleep(READING_MS, signal) : undefined;
  const read = () => wallTime.spend('counters', () => readingOf(subject, pause));
  const before = await read();
  const over = new AbortController();
  const unread = new AbortController();
  const sending = send(AbortSignal.any([signal, unread.signal])).finally(() => over.abort());
  const reading = (isWatched ? readEachSecond(clock, read, over.signal) : sending.then(() => [])).catch(
    (thrown: unknown) => {
      unread.abort(thrown);
      throw thrown;
    },
  );
  // Both are awaited if one fails, since the code that ends the service waits for both.
  await Promise.allSettled([sending, reading]);
  const [records, between] = await Promise.all([sending, reading]);
  const after = await read();
  return async () => {
    const parts = await records();
    if (parts.every((part) => part.records.startMs.length === 0)) {
      throw new NothingSent(
        `no request was sent to ${service.name} in a block of ${seconds} s: the load tool got no CPU time`,
        { next: 'Stop other programs on this machine, and measure again.' },
      );
    }
    return { parts, before, between, after };
  };
}

async function readEachSecond(clock: Clock, read: () => Promise<Reading>, over: AbortSignal): Promise<Reading[]> {
  const startedMs = clock.steadyMs();
  const readings: Reading[] = [];
  for (let second = 1; ; second += 1) {
    const dueMs = startedMs + second * READING_MS;
    await clock.sleep(Math.max(0, dueMs - clock.steadyMs()), over).catch(() => undefined);
    if (over.aborted) {
      return readings;
    }
    readings.push(await read());
  }
}
