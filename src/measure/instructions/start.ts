import { MeasurementError } from '../../foundation/errors.ts';
import { formatDuration } from '../../foundation/numbers.ts';
import { managedRuntimeOf } from '../../host/machine/managed-runtime.ts';
import { unlessAborted } from '../../host/signals.ts';
import type { ScheduledRecords } from '../../model/load.ts';
import type { ExecutedCall, ExecutedFunction } from '../../model/run/functions.ts';
import { type CountedStart, tooSlowToCount, WINDOWS } from '../../model/run/instructions.ts';
import type { Operation } from '../../model/suite/suite.ts';
import type { CountDetail, Counts } from '../../runtime/port.ts';
import { untilAnswering } from '../trial/answers.ts';
import { preparedLoads } from '../trial/loads.ts';
import type { SlowStart } from '../trial/ready.ts';
import { type ReadySubject, runTrial, type Subject } from '../trial/runner.ts';
import { benchFor, type CountBench, isAlone, type StartName, versionTrial } from '../trial/versions.ts';
import { countedPerRequest } from './functions.ts';
import { countedLabel } from './lines.ts';
import { unhurried } from './time.ts';
import {
  isFalling,
  LONG_WARM_UP,
  MAX_LONG_WARM_UPS,
  MAX_WINDOWS,
  requestsOfWindow,
  rowsOfWindow,
  type SecondsOf,
  type Sizing,
  warmFrom,
} from './windows.ts';

export interface StartOptions {
  readonly sizing: Sizing;
  /** See CountingOptions. */
  readonly exchangesCores: boolean;
  readonly lockstep: Lockstep;
  /** True if its functions are named, which takes more time and, for Python and Node.js, more instructions. */
  readonly hasFunctions?: boolean;
  /** True if no start of this version has ended. */
  readonly isFirst: boolean;
  readonly startsToCome: number;
}

/** Starts a version under the counter, warms it up, and runs windows until enough of them agree. */
export async function countStart(
  roundBench: CountBench,
  name: StartName,
  options: StartOptions,
): Promise<ReportedStart> {
  const bench = benchFor(roundBench, name.service);
  const endMs = bench.clock.steadyMs() + (bench.countingSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  const starting = { ...options, name, endMs, isFromStart: false };
  let hasFailed = true;
  try {
    const counted = await countedStart(bench, starting).catch(async (thrown: unknown) => {
      if (thrown instanceof UncountedProgramsError) {
        bench.progress.line(`${countedLabel(name, bench)}: ${thrown.message}`);
        return await countedStart(bench, { ...starting, isFromStart: true });
      }
      throw thrown;
    });
    hasFailed = false;
    return counted;
  } finally {
    options.lockstep.leave({ hasFailed });
  }
}

interface Starting extends StartOptions {
  readonly name: StartName;
  readonly endMs: number;
  /** True if every program counts from its start, which takes longer. */
  readonly isFromStart: boolean;
}

async function countedStart(bench: CountBench, starting: Starting): Promise<ReportedStart> {
  const { name, exchangesCores, isFirst, hasFunctions = false, isFromStart } = starting;
  const { subjects, verify } = versionTrial(bench, name.service, [name.side]);
  for (const subject of isFirst && !isFromStart ? subjects : []) {
    await fillCaches(bench, subject);
  }
  return await runTrial(bench, {
    subjects: subjects.map((subject) => ({ ...subject, service: unhurried(subject.service, bench) })),
    start: ({ runtime, service }, signal) =>
      runtime.counting.start(service, { signal, exchangesCores, isFromStart, hasFunctions }),
    verify,
    slowStart: refusesManaged(bench, name.service),
    during: 'while its instructions were counted',
    // A start that has ended does not wait for the concurrent one.
    use: ([ready]) => unlessAborted(runWindows(bench, { ...ready, ...starting }), ready.signal),
  });
}

/** Starts a plain process once without the counter: anything that it compiles at its first start takes fifty times as long under it. */
async function fillCaches(bench: CountBench, subject: Subject): Promise<void> {
  if (subject.runtime.name === 'process') {
    await using running = await subject.runtime.start(subject.service, bench.signal);
    const slowStart = refusesManaged(bench, subject.service.name);
    await untilAnswering({ ...bench, slowStart }, subject.service, running, subject.operations);
  }
}

/** Under the counter, such a service often takes minutes to start, which rounds need more. */
function refusesManaged(bench: CountBench, name: string): SlowStart {
  return async ({ processes = [] }) => {
    const runtime = isAlone(bench) ? undefined : managedRuntimeOf(processes);
    if (runtime !== undefined) {
      const brief = tooSlowToCount(runtime);
      throw new MeasurementError(`${name}: ${brief}`, {
        code: 'WG-311',
        brief,
        next: 'To count it alone, use --profile instructions.',
      });
    }
    return undefined;
  };
}

/** Idle window at the end of each start, which shows the background work that the service also does during requests. */
const IDLE_SECONDS = 1;

/** Seed of the order of requests, instead of the run's seed: counts of different runs are compared, so all have the same requests. */
const ORDER = 1;

const MAX_WINDOW_SECONDS = 300;

/** A counted service is slow, and nothing of it is timed. */
const REQUEST_SECONDS = 60;

/** A counted start, with the counts of its functions if requested and known. */
export interface ReportedStart extends CountedStart {
  readonly functions?: readonly ExecutedFunction[];
  readonly calls?: readonly ExecutedCall[];
}

/** Programs started while a service was counted, and were not counted themselves. */
class UncountedProgramsError extends Error {}

type RunningStart = ReadySubject & Starting;

/** Runs the first requests of a start without counting, and returns how long each operation took. */
async function runFewest(bench: CountBench, running: RunningStart): Promise<SecondsOf> {
  const seconds: Record<string, number> = {};
  for (const operation of running.operations) {
    const startedMs = bench.clock.steadyMs();
    await runOperation(bench, running, operation, requestsOfWindow(operation));
    seconds[operation.name] = (bench.clock.steadyMs() - startedMs) / 1000;
  }
  return seconds;
}

interface MeasuredOperation {
  readonly operation: Operation;
  readonly requests: number;
  readonly windows: (Counts & { readonly seconds: number })[];
}

/** Warms a service up and runs windows until enough agree; while counts fall, it gets long warm-ups in between. */
async function runWindows(bench: CountBench, running: RunningStart): Promise<ReportedStart> {
  const { sizing } = running;
  await runFewest(bench, running);
  const requestsIn = sizing.requests(await runFewest(bench, running));
  // Functions are reported without another warm-up: earlier starts showed how many it needs.
  const mostWarmUps = running.hasFunctions ? 0 : MAX_LONG_WARM_UPS;
  let warmUps = 0;
  for (; warmUps < sizing.longWarmUps; warmUps += 1) {
    await runLongWarmUp(bench, running);
  }
  const measured: readonly MeasuredOperation[] = running.operations.map((operation) => ({
    ...{ operation, requests: requestsIn(operation), windows: [] },
  }));
  let coldWindows = 0;
  const counts = () =>
    measured.map(({ windows }) => windows.slice(coldWindows).map(({ instructions }) => instructions));
  const isLast = () => counts().some(({ length }) => length >= MAX_WINDOWS);
  const next = countsSince(bench, running);
  await next();
  let from: number | undefined;
  while (!(await running.lockstep.next(from !== undefined || isLast()))) {
    const startedMs = bench.clock.steadyMs();
    await runWindow(bench, running, measured, next);
    checkTime(bench, running, startedMs, measured);
    from ??= warmFrom(counts());
    if (from === undefined && warmUps < mostWarmUps && isFalling(counts())) {
      await next('pause');
      await runLongWarmUp(bench, running);
      await next();
      warmUps += 1;
      sizing.longWarmUps = Math.max(sizing.longWarmUps, warmUps);
      coldWindows = measured[0]?.windows.length ?? 0;
    }
  }
  return {
    ...running.name,
    ...(from !== undefined && { warmFrom: coldWindows + from }),
    ...(warmUps > 0 && { longWarmUps: warmUps }),
    idle: await idleCounts(bench, next),
    operations: measured.map(countedOperation),
    ...countedPerRequest(measured.map((one) => ({ ...one, share: one.operation.share }))),
  };
}

function countedOperation({ operation, requests, windows }: MeasuredOperation): CountedStart['operations'][number] {
  const members = Object.keys(windows[0]?.members ?? {}).map((name) => {
    const own = windows.map((window) => window.members?.[name]);
    const counts = {
      instructions: own.map((one) => one?.instructions ?? 0),
      syscalls: own.map((one) => one?.syscalls ?? 0),
    };
    return [name, counts] as const;
  });
  return {
    ...{ operation: operation.name, requests },
    instructions: windows.map(({ instructions }) => instructions),
    syscalls: windows.map(({ syscalls }) => syscalls),
    allocations: windows.map(({ allocations }) => allocations),
    seconds: windows.map(({ seconds }) => seconds),
    ...(members.length > 0 && { members: Object.fromEntries(members) }),
  };
}

/** Throws MeasurementError after the first window if there is too little time for the required windows of this start and the next ones. */
function checkTime(
  { clock }: CountBench,
  { service, endMs, startsToCome }: RunningStart,
  startedMs: number,
  measured: readonly MeasuredOperation[],
): void {
  const isFirst = measured.every(({ windows }) => windows.length === 1);
  const nowMs = clock.steadyMs();
  const neededMs = ((1 + startsToCome) * WINDOWS - 1) * (nowMs - startedMs);
  if (isFirst && neededMs > endMs - nowMs) {
    const left = formatDuration(Math.max(0, endMs - nowMs) / 1000);
    throw new MeasurementError(
      `${service.name}: counting takes about ${formatDuration(neededMs / 1000)} more, and the budget leaves ${left}`,
      { code: 'WG-115', next: 'Raise --budget, or select fewer services with --services.' },
    );
  }
}

async function runLongWarmUp(bench: CountBench, running: RunningStart): Promise<void> {
  const { requests, piece, seconds } = LONG_WARM_UP;
  const endMs = bench.clock.steadyMs() + seconds * 1000;
  for (let requested = 0; requested < requests && bench.clock.steadyMs() < endMs; requested += piece) {
    for (const operation of running.operations) {
      await runOperation(bench, running, operation, requestsOfWindow(operation, piece));
    }
  }
}

async function idleCounts({ clock, signal }: CountBench, next: ReturnType<typeof countsSince>) {
  await clock.sleep(IDLE_SECONDS * 1000, signal);
  const { seconds, instructions, syscalls, allocations, members } = await next();
  return { seconds, instructions, syscalls, allocations, ...(members && { members: { ...members } }) };
}

async function runWindow(
  bench: CountBench,
  running: RunningStart,
  measured: readonly MeasuredOperation[],
  next: ReturnType<typeof countsSince>,
): Promise<void> {
  for (const one of measured) {
    await runOperation(bench, running, one.operation, one.requests);
    one.windows.push(await next(running.hasFunctions ? 'functions' : 'counts'));
  }
}

/** Counts since the last call, and the seconds: reading pauses the service. After a pause it counts from the next call. */
function countsSince({ clock }: CountBench, { running, name, isFromStart }: RunningStart) {
  let lastMs = clock.steadyMs();
  let isCounting = false;
  return async (detail?: CountDetail) => {
    if (running.counts === undefined) {
      throw new RangeError(`${name.service} was not started to be counted`);
    }
    const counts = await running.counts(isFromStart && detail === 'pause' ? 'counts' : detail);
    if (isCounting && counts.uncounted > 0) {
      throw new UncountedProgramsError('it starts programs outside requests, so it is counted from its start');
    }
    isCounting = detail !== 'pause';
    const nowMs = clock.steadyMs();
    const seconds = (nowMs - lastMs) / 1000;
    lastMs = nowMs;
    return { ...counts, seconds };
  };
}

/** One user sends the requests of a window one after another, over a persistent connection. */
async function runOperation(
  { secrets, countingSeconds = MAX_WINDOW_SECONDS }: CountBench,
  { service, running, signal }: RunningStart,
  requested: Operation,
  requests: number,
): Promise<void> {
  // A load takes whole seconds.
  const seconds = Math.max(1, Math.floor(Math.min(MAX_WINDOW_SECONDS, countingSeconds)));
  const operation = rowsOfWindow(requested, ORDER, requests);
  const pace = { kind: 'users' as const, workers: 1, requestsPerUser: requests, rampSeconds: 0 };
  const loaded = { service, secrets, running, operations: [operation], pace, seconds };
  const read = await preparedLoads({ ...loaded, settings: { timeoutSeconds: REQUEST_SECONDS } })(signal);
  const [{ records }] = (await read()) as [ScheduledRecords];
  const failed = records.failure.filter((kind) => kind > 0);
  if (failed.length > 0 || records.failure.length < requests) {
    const kind = records.failureKinds[(failed[0] ?? 0) - 1] ?? 'not sent';
    throw new MeasurementError(
      `${service.name}: ${failed.length} of ${requests} requests of ${operation.name} failed while instructions were counted (${kind})`,
      {
        code: 'WG-311',
        next: 'Under Valgrind, it takes about fifty times as long: check whether the service has its own request timeout.',
      },
    );
  }
}

/**
 * Concurrent counted starts run their windows at the same times, and equally many: each window has a counterpart in the other start. Otherwise the
 * last windows of the slower one would be counted on a quieter machine, where threads that wake each other count less.
 */
export class Lockstep {
  #starts: number;
  #hasFailed = false;
  #windows = 0;
  readonly #waiting: { readonly isDone: boolean; readonly resume: (areDone: boolean) => void }[] = [];

  constructor(starts: number) {
    this.#starts = starts;
  }

  /** Waits until every start has got this far; true if all are done, or another has failed. */
  next(isDone: boolean): Promise<boolean> {
    return new Promise((resume) => {
      this.#waiting.push({ isDone, resume });
      this.#release();
    });
  }

  leave({ hasFailed = false }: { readonly hasFailed?: boolean } = {}): void {
    this.#starts -= 1;
    this.#hasFailed ||= hasFailed;
    this.#release();
  }

  #release(): void {
    if (this.#waiting.length >= this.#starts) {
      const all = this.#waiting.splice(0);
      const areDone = all.every(({ isDone }) => isDone) || (this.#hasFailed && this.#windows > 0);
      this.#windows += 1;
      for (const { resume } of all) {
        resume(areDone);
      }
    }
  }
}
