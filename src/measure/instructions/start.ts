import { MeasurementError } from '../../foundation/index.ts';
import { generatorFor } from '../../load/index.ts';
import type { CountedStart, ExecutedFunction, LoadEnd, Operation, Service, Side } from '../../model/index.ts';
import type { CountDetail, RunningService, Runtime } from '../../runtime/index.ts';
import { benchFor, type RoundBench } from '../rounds/bench.ts';
import { sharedOperations } from '../rounds/blocks.ts';
import { untilItEnds } from '../service/early-exit.ts';
import { type Asking, untilReady } from '../service/ready.ts';
import { askingFor, canonicalAnswers } from '../service/verify.ts';
import { loadOf, recordsOf } from '../slots/loads.ts';
import { functionsPerRequest } from './functions.ts';
import { countedLabel } from './lines.ts';
import { Lockstep } from './lockstep.ts';
import { addWindow, type MemberWindows } from './members.ts';
import { unhurried } from './time.ts';
import { MOST_WINDOWS, type Requests, requestsOfWindow, rowsOfWindow, type Sizing, warmFrom } from './windows.ts';

/** One start of one version of a service. */
export interface StartName {
  readonly service: string;
  readonly side: Side;
  /** From 1. */
  readonly start: number;
}

/** Without a request, at the end of each start: what a service does then it does beside requests, too. */
const IDLE_SECONDS = 2;

/** Decides the order of requests, in the place of the run's seed: counts of different runs are compared, so all have the same requests. */
const ORDER = 1;

const MOST_WINDOW_SECONDS = 300;

/** A service that is counted is slow, and nothing of it is timed. */
const REQUEST_SECONDS = 60;

/** How one start of a service is counted. */
export interface StartOptions {
  readonly sizing: Sizing;
  /** See CountingOptions. */
  readonly exchangesCores: boolean;
  /** Shared by the starts that are counted at the same time; undefined if this one is counted alone. */
  readonly lockstep?: Lockstep | undefined;
  /** Whether its functions are told: then it counts from its start on, since callgrind does not know what called what before it counts. */
  readonly hasFunctions?: boolean;
  /** Whether no start of this version is over; undefined: if it is the first by its number. */
  readonly isFirst?: boolean | undefined;
}

/** A start that was counted, with what its functions executed if that was asked for and could be told. */
export interface ToldStart extends CountedStart {
  readonly functions?: readonly ExecutedFunction[];
}

/**
 * Starts a version of a service anew under the counter, warms it up, and plays windows until enough of them agree. Throws MeasurementError
 * if it does not get ready, answers with errors or ends, and EnvironmentError if nothing can count here.
 */
export async function countStart(
  roundBench: RoundBench,
  name: StartName,
  { lockstep = new Lockstep(1), ...options }: StartOptions,
): Promise<ToldStart> {
  const bench = benchFor(roundBench, name.service);
  const starting = { ...options, lockstep };
  try {
    return await countedStart(bench, name, starting).catch(async (thrown: unknown) => {
      if (thrown instanceof UncountedProgramsError) {
        bench.progress.line(`${countedLabel(name, bench)}: ${thrown.message}`);
        return await countedStart(bench, name, { ...starting, isFromStart: true });
      }
      throw thrown;
    });
  } finally {
    lockstep.leave();
  }
}

/** Programs began while a service was counted, and were not counted themselves. */
class UncountedProgramsError extends Error {}

interface Starting extends StartOptions {
  readonly lockstep: Lockstep;
  /** Every program counts from its start on, which takes longer. */
  readonly isFromStart?: boolean;
}

async function countedStart(bench: RoundBench, name: StartName, starting: Starting): Promise<ToldStart> {
  const {
    sizing,
    exchangesCores,
    lockstep,
    isFirst = name.start === 1,
    hasFunctions = false,
    isFromStart = hasFunctions,
  } = starting;
  const version = bench.versions[name.side];
  const found = version.services.get(name.service);
  if (found === undefined) {
    throw new RangeError(`${name.service} of ${name.side} cannot be counted`);
  }
  const operations = sharedOperations(version.suite, bench.suite);
  const [first] = operations;
  if (isFirst && !isFromStart && first !== undefined && version.runtime.name === 'process') {
    await fillCaches(bench, version.runtime, askingFor(bench, found, first));
  }
  const service = unhurried(found, bench);
  await using running = await version.runtime.counting.start(service, {
    signal: bench.signal,
    exchangesCores,
    isFromStart,
  });
  if (first !== undefined) {
    await untilReady(running, askingFor(bench, service, first));
  }
  const work = async (): Promise<ToldStart> => {
    const asked = { service, address: running.address, operations };
    bench.answers.check(name.side, { service, answers: await canonicalAnswers(bench.client, asked) });
    const described = await bench.client.described(service, running.address);
    const standing = { name, operations, service: described, running, lockstep, hasFunctions };
    return await playWindows(bench, standing, sizing(await warmUpSeconds(bench, standing)));
  };
  return await Promise.race([work(), untilItEnds({ service, running }, 'while its instructions were counted')]);
}

/**
 * Starts a service that was just built once without the counter. What it compiles and keeps at its first start, as Python does with all
 * that it imports, takes fifty times as long under the counter, and one start would not be like another.
 */
async function fillCaches({ signal }: RoundBench, runtime: Runtime, asking: Asking): Promise<void> {
  await using running = await runtime.start(asking.service, signal);
  await untilReady(running, asking);
}

/** A version of a service that stands ready to be counted. */
interface Standing {
  readonly name: StartName;
  readonly operations: readonly Operation[];
  readonly service: Service;
  readonly running: RunningService;
  readonly lockstep: Lockstep;
  readonly hasFunctions: boolean;
}

/**
 * Plays the first requests of a start twice, which are the same in each, and gives how long they took at the second time. Nothing is counted
 * yet, which is fast.
 */
async function warmUpSeconds(bench: RoundBench, standing: Standing): Promise<number> {
  await playFewest(bench, standing);
  const startedMs = bench.clock.steadyMs();
  await playFewest(bench, standing);
  return (bench.clock.steadyMs() - startedMs) / 1000;
}

async function playFewest(bench: RoundBench, standing: Standing): Promise<void> {
  for (const operation of standing.operations) {
    await playOperation(bench, standing, { operation, requests: requestsOfWindow(operation) });
  }
}

interface PlayedOperation {
  readonly operation: Operation;
  readonly requests: number;
  readonly instructions: number[];
  readonly syscalls: number[];
  readonly seconds: number[];
  readonly functions: (readonly ExecutedFunction[])[];
  readonly members: MemberWindows;
}

async function playWindows(bench: RoundBench, standing: Standing, requestsIn: Requests): Promise<ToldStart> {
  const played: readonly PlayedOperation[] = standing.operations.map((operation) => ({
    ...{ operation, requests: requestsIn(operation) },
    ...{ instructions: [], syscalls: [], seconds: [], functions: [], members: {} },
  }));
  const counts = played.map(({ instructions }) => instructions);
  const isLast = () => counts.some(({ length }) => length >= MOST_WINDOWS);
  const next = countsSince(bench, standing);
  await next();
  let from: number | undefined;
  while (!(await standing.lockstep.next(from !== undefined || isLast()))) {
    await playWindow(bench, standing, { played, next });
    from ??= warmFrom(counts);
  }
  const functions = functionsPerRequest(played.map((one) => ({ ...one, share: one.operation.share })));
  return {
    ...standing.name,
    ...(from !== undefined && { warmFrom: from }),
    idle: await idleCounts(bench, next),
    operations: played.map(({ operation, functions: _functions, members, ...counted }) => ({
      operation: operation.name,
      ...counted,
      ...(Object.keys(members).length > 0 && { members }),
    })),
    ...(functions.length > 0 && { functions }),
  };
}

async function idleCounts({ clock, signal }: RoundBench, next: ReturnType<typeof countsSince>) {
  await clock.sleep(IDLE_SECONDS * 1000, signal);
  const { seconds, instructions, syscalls, members } = await next();
  return { seconds, instructions, syscalls, ...(members && { members: { ...members } }) };
}

interface PlayedWindows {
  readonly played: readonly PlayedOperation[];
  readonly next: ReturnType<typeof countsSince>;
}

async function playWindow(bench: RoundBench, standing: Standing, { played, next }: PlayedWindows): Promise<void> {
  for (const one of played) {
    await playOperation(bench, standing, one);
    const {
      instructions,
      syscalls,
      seconds,
      functions = [],
      members,
    } = await next(standing.hasFunctions ? 'functions' : 'counts');
    one.instructions.push(instructions);
    one.syscalls.push(syscalls);
    one.seconds.push(seconds);
    one.functions.push(functions);
    addWindow(one.members, members);
  }
}

/** What a service executed since the call before, and in how many seconds: while its counts are read, it stands still. */
function countsSince({ clock }: RoundBench, { running, name }: Standing) {
  let lastMs = clock.steadyMs();
  let isCounting = false;
  return async (detail?: CountDetail) => {
    if (running.counts === undefined) {
      throw new RangeError(`${name.service} was not started to be counted`);
    }
    const counts = await running.counts(detail);
    if (isCounting && counts.uncounted > 0) {
      throw new UncountedProgramsError('it starts programs beside requests, so it is counted from its start on');
    }
    isCounting = true;
    const nowMs = clock.steadyMs();
    const seconds = (nowMs - lastMs) / 1000;
    lastMs = nowMs;
    return { ...counts, seconds };
  };
}

interface Asked {
  readonly operation: Operation;
  readonly requests: number;
}

/** A load takes whole seconds. */
function windowSeconds({ countingSeconds = MOST_WINDOW_SECONDS }: RoundBench): number {
  return Math.max(1, Math.floor(Math.min(MOST_WINDOW_SECONDS, countingSeconds)));
}

/** One user sends the requests of a window one after the other, over a connection that is kept. */
async function playOperation(bench: RoundBench, standing: Standing, asked: Asked): Promise<void> {
  const { service, running } = standing;
  const { secrets, signal } = bench;
  const { requests } = asked;
  const operation = rowsOfWindow(asked.operation, ORDER, requests);
  const pace = { mode: 'users' as const, workers: 1, requestsPerUser: requests, rampSeconds: 0 };
  const loading = { service, secrets, address: running.loadAddress, pace, seconds: windowSeconds(bench) };
  const load = { ...loadOf(loading, operation), timeoutSeconds: REQUEST_SECONDS };
  const ends = await running.play([{ tool: generatorFor(service.protocol).name, load }], signal);
  const { records } = await recordsOf({ service, operation, load, secrets, end: ends[0] as LoadEnd });
  const failed = records.failure.filter((kind) => kind > 0);
  if (failed.length > 0 || records.failure.length < requests) {
    const kind = records.failureKinds[(failed[0] ?? 0) - 1] ?? 'not sent';
    throw new MeasurementError(
      `${service.name}: ${failed.length} of ${requests} requests of ${operation.name} failed while instructions were counted (${kind})`,
      {
        code: 'WG-311',
        next: 'Under Valgrind it takes some fifty times as long: has it a time limit of its own for a request?',
      },
    );
  }
}
