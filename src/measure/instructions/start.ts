import { MeasurementError } from '../../foundation/index.ts';
import { generatorFor } from '../../load/index.ts';
import type { CountedStart, ExecutedFunction, LoadEnd, Operation, Service, Side } from '../../model/index.ts';
import type { CountDetail, RunningService } from '../../runtime/index.ts';
import type { RoundBench } from '../rounds/bench.ts';
import { sharedOperations } from '../rounds/blocks.ts';
import { untilItEnds } from '../service/early-exit.ts';
import { untilReady } from '../service/ready.ts';
import { askingFor, canonicalAnswers } from '../service/verify.ts';
import { loadOf, recordsOf } from '../slots/loads.ts';
import { functionsPerRequest } from './functions.ts';
import { MOST_WINDOWS, requestsOfWindow, rowsOfWindow, warmFrom, windowSize } from './windows.ts';

/** One start of one version of a service. */
export interface StartName {
  readonly service: string;
  readonly side: Side;
  /** From 1. */
  readonly start: number;
}

/** A service takes some fifty times as long as by itself; so do its start and its answers. */
const TIMES_SLOWER = 50;

/** Without a request, at the end of each start: what a service does then it does beside requests, too. */
const IDLE_SECONDS = 2;

const USUAL_READY_SECONDS = 20;

const MOST_WINDOW_SECONDS = 300;

/** A service that is counted is slow, and nothing of it is timed. */
const REQUEST_SECONDS = 60;

/**
 * Starts a version of a service anew under the counter, and plays windows until their counts agree and enough of them did. Its windows
 * are those of another start, `like`; the first start of a service finds out how many requests they have. Throws MeasurementError where it does not get ready, answers with errors or ends, and EnvironmentError where nothing can count here.
 */
export async function countStart(bench: RoundBench, name: StartName, like?: CountedStart): Promise<CountedStart> {
  const version = bench.versions[name.side];
  const found = version.services.get(name.service);
  if (found === undefined) {
    throw new RangeError(`${name.service} of ${name.side} cannot be counted`);
  }
  await using running = await version.runtime.counting.start(found, bench.signal);
  const service = unhurried(found, bench);
  const operations = sharedOperations(version.suite, bench.suite);
  const [first] = operations;
  if (first !== undefined) {
    await untilReady(running, askingFor(bench, service, first));
  }
  const work = async (): Promise<CountedStart> => {
    const asked = { service, address: running.address, operations };
    bench.answers.check(name.side, { service, answers: await canonicalAnswers(bench.client, asked) });
    const described = await bench.client.described(service, running.address);
    const standing = { name, operations, service: described, running };
    return await playWindows(bench, standing, await requestsOf(bench, standing, like));
  };
  return await Promise.race([work(), untilItEnds({ service, running }, 'while its instructions were counted')]);
}

/** With as much more time for its start as it needs under the counter, if there is as much. */
function unhurried(service: Service, { countingSeconds = Number.POSITIVE_INFINITY }: RoundBench): Service {
  const { check, timeoutSeconds } = service.ready ?? {
    check: { kind: 'usual' as const },
    timeoutSeconds: USUAL_READY_SECONDS,
  };
  return {
    ...service,
    ready: { check, timeoutSeconds: Math.max(1, Math.min(timeoutSeconds * TIMES_SLOWER, countingSeconds)) },
  };
}

/** A version of a service that stands ready to be counted. */
interface Standing {
  readonly name: StartName;
  readonly operations: readonly Operation[];
  readonly service: Service;
  readonly running: RunningService;
}

/** How many requests of an operation a window has. */
type Requests = (operation: Operation) => number;

async function requestsOf(bench: RoundBench, standing: Standing, like: CountedStart | undefined): Promise<Requests> {
  if (like !== undefined) {
    return ({ name }) => like.operations.find(({ operation }) => operation === name)?.requests ?? 1;
  }
  const startedMs = bench.clock.steadyMs();
  for (const operation of standing.operations) {
    await playOperation(bench, standing, { operation, requests: requestsOfWindow(operation, windowSize()) });
  }
  const size = windowSize((bench.clock.steadyMs() - startedMs) / 1000);
  return (operation) => requestsOfWindow(operation, size);
}

async function playWindows(bench: RoundBench, standing: Standing, requestsIn: Requests): Promise<CountedStart> {
  const played = standing.operations.map((operation) => ({
    operation: operation.name,
    share: operation.share,
    requests: requestsIn(operation),
    instructions: [] as number[],
    syscalls: [] as number[],
    seconds: [] as number[],
    functions: [] as (readonly ExecutedFunction[])[],
  }));
  const perRequest: number[] = [];
  const next = countsSince(bench, standing);
  await next();
  while (warmFrom(perRequest) === undefined && perRequest.length < MOST_WINDOWS) {
    for (const [place, operation] of standing.operations.entries()) {
      await playOperation(bench, standing, { operation, requests: requestsIn(operation) });
      const { instructions, syscalls, seconds, functions = [] } = await next('functions');
      played[place]?.instructions.push(instructions);
      played[place]?.syscalls.push(syscalls);
      played[place]?.seconds.push(seconds);
      played[place]?.functions.push(functions);
    }
    const whole = played.map(({ share, requests, instructions }) => (share * (instructions.at(-1) ?? 0)) / requests);
    perRequest.push(whole.reduce((sum, one) => sum + one, 0));
  }
  const from = warmFrom(perRequest);
  const functions = functionsPerRequest(played);
  await bench.clock.sleep(IDLE_SECONDS * 1000, bench.signal);
  return {
    ...standing.name,
    ...(from !== undefined && { warmFrom: from }),
    idle: await next(),
    operations: played.map(({ share: _share, functions: _functions, ...counted }) => counted),
    ...(functions.length > 0 && { functions }),
  };
}

/** What a service executed since the call before, and in how many seconds: while its counts are read, it stands still. */
function countsSince({ clock }: RoundBench, { running, name }: Standing) {
  let lastMs = clock.steadyMs();
  return async (detail?: CountDetail) => {
    if (running.counts === undefined) {
      throw new RangeError(`${name.service} was not started to be counted`);
    }
    const counts = await running.counts(detail);
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
  const { secrets, signal, seed } = bench;
  const { requests } = asked;
  const operation = rowsOfWindow(asked.operation, seed, requests);
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
      { next: 'Under Valgrind it takes some fifty times as long: has it a time limit of its own for a request?' },
    );
  }
}
