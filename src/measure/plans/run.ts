import { type KnownError, MeasurementError } from '../../foundation/errors.ts';
import { formatCount, formatMs } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import { wordList } from '../../foundation/text.ts';
import type { OutputFolder } from '../../host/files/output.ts';
import type { ScheduledRecords } from '../../model/load.ts';
import { SATURATION } from '../../model/metric.ts';
import {
  type Block,
  offeredRate,
  operationsIn,
  type Pace,
  type Plan,
  plannedSeconds,
  type SaturationSlot,
  type Slot,
  SOAK,
  slotSeconds,
  tierOf,
} from '../../model/plan.ts';
import type { CellFailure, MainRun } from '../../model/run/run.ts';
import type { Sample } from '../../model/run/sample.ts';
import type { Service } from '../../model/service.ts';
import { suiteFor } from '../../model/suite/groups.ts';
import { isRateLimit, RATE_LIMITED } from '../../model/suite/http.ts';
import { overNetwork } from '../../model/suite/network.ts';
import { tierWords } from '../../model/suite/tier-words.ts';
import type { RunningService, Runtime } from '../../runtime/port.ts';
import { answersPerSecond, samplesOf } from '../samples/observation.ts';
import { type Answered, AnswersDiffer, answerLengths, grownOperations, refuseDifference } from '../trial/answers.ts';
import type { TrialBench } from '../trial/bench.ts';
import { blamingMembers } from '../trial/early-exit.ts';
import { failureRecord, outcomeOf } from '../trial/failure.ts';
import { keepIn } from '../trial/keep.ts';
import { preparedLoads, runBlock } from '../trial/loads.ts';
import { type ReadySubject, runTrial } from '../trial/runner.ts';
import { Budget, showWhile, underOneClock } from '../trial/time.ts';
import { verify } from '../trial/verify.ts';

export interface RunBench extends TrialBench {
  readonly plan: Plan;
  readonly services: ReadonlyMap<string, Service>;
  readonly runtime: Runtime;
  readonly output: OutputFolder;
  /** No slot is begun that would not end within it; undefined: all are. */
  readonly budgetSeconds?: number | undefined;
}

export type RunFacts = Omit<MainRun, 'samples' | 'failures' | 'complete' | 'spent' | 'versus'>;

/** Verifies, measures slot by slot, and keeps all so far in `run.json`. Slots that fail are recorded; varying answers throw. */
export async function measureRun(bench: RunBench, head: RunFacts): Promise<MainRun> {
  const { plan, progress, signal } = bench;
  const budget = new Budget(bench.clock, bench.budgetSeconds);
  const connectionBytes = new Map<string, ReadonlyMap<string, number> | undefined>();
  const verified = await verify({ ...bench, suite: plan.suite }, async (ready) => {
    connectionBytes.set(ready.service.name, await connectionBytesOf(bench, ready));
  });
  const keep = keepIn(bench.output);
  const samples: Sample[] = [];
  const failures: CellFailure[] = [];
  let loadSeconds = 0;
  let doneSeconds = 0;
  let begun = 0;
  const runSoFar = (complete: boolean): MainRun => {
    const totalSeconds = budget.spentSeconds;
    const spent = { totalSeconds, overheadSeconds: Math.max(0, totalSeconds - loadSeconds) };
    return { ...head, samples: [...samples], failures: [...failures], complete, spent };
  };
  for (const slot of plan.slots) {
    const label = `${slot.service} ${describeSlot(slot)}`;
    const seconds = plannedSeconds({ slots: [slot] }, { runtime: bench.runtime.name, services: bench.services });
    if (!budget.hasTimeFor(seconds)) {
      progress.line(`the budget ended the slots before ${label}, round ${slot.round}`);
      break;
    }
    if (signal.aborted) {
      break;
    }
    begun += 1;
    const position = { doneSeconds, verified, connectionBytes };
    const outcome = await outcomeOf(signal, () => measureSlot(bench, slot, position));
    if (outcome.ended === 'interrupted') {
      break;
    }
    if (outcome.ended === 'done') {
      samples.push(...outcome.result);
      progress.line(`${label}: ${resultLine(outcome.result)}`);
    } else {
      failures.push(cellFailure(bench, slot, outcome.failure));
      progress.line(`${label}: not measured: ${outcome.failure.message}`);
    }
    loadSeconds += slotSeconds(slot);
    doneSeconds += seconds;
    await keep(runSoFar(false));
  }
  const left = signal.aborted ? 0 : plan.slots.length - begun;
  const whole = runSoFar(failures.length === 0 && !signal.aborted && left === 0);
  const run = left === 0 ? whole : { ...whole, plan: { ...whole.plan, cut: { slots: left, rounds: 0 } } };
  await keep(run);
  return run;
}

function cellFailure(bench: RunBench, slot: Slot, failure: KnownError): CellFailure {
  // Every other slot would fail the same way.
  if (failure instanceof AnswersDiffer) {
    throw failure;
  }
  const { message, code, next } = failureRecord(failure, bench);
  const place = { suite: bench.plan.suite.name, service: slot.service, tier: tierOf(slot), round: slot.round };
  return { ...place, message, code, ...(next !== undefined && { next }) };
}

function resultLine([whole]: readonly Sample[]): string {
  const answered = whole?.values.achievedRps ?? 0;
  // Of few a second a tenth matters.
  const rate = answered < 10 ? answered.toFixed(1) : Math.round(answered);
  const offered = whole?.offeredRps === undefined ? '' : ` of ${Math.round(whole.offeredRps)}`;
  const [p50, p99] = [whole?.values.latencyP50Ms, whole?.values.latencyP99Ms].map((value) =>
    value === undefined ? 'none' : formatMs(value),
  );
  const marks = whole === undefined || whole.marks.length === 0 ? '' : ` (${whole.marks.join(', ')})`;
  return `${rate}${offered} requests/s, p50 ${p50}, p99 ${p99}${marks}`;
}

function describeSlot(slot: Slot): string {
  return slot.mode === 'saturate'
    ? `${SATURATION} (${slot.saturation.workers} workers)`
    : `tier ${slot.tier.name} (${tierWords(slot.tier)})`;
}

interface RunPosition {
  readonly doneSeconds: number;
  readonly verified: ReadonlyMap<string, Answered>;
  readonly connectionBytes: ReadonlyMap<string, ReadonlyMap<string, number> | undefined>;
}

/** Samples of a fresh start of the slot's service. Throws MeasurementError, and AnswersDiffer from the verified answers. */
export async function measureSlot(whole: RunBench, slot: Slot, position: RunPosition): Promise<Sample[]> {
  const bench = { ...whole, plan: { ...whole.plan, suite: suiteFor(whole.plan.suite, slot.service) } };
  const samples =
    slot.mode !== 'saturate'
      ? await measureOnce(bench, slot, slot.pace, position)
      : whole.plan.profile.name === SOAK
        ? await measureOnce(bench, slot, closedPace(bench, slot.saturation.workers), position)
        : await measureWithoutErrors(bench, slot, position);
  const [all] = samples;
  if (all !== undefined && all.requests > 0 && all.values.errorRate === 1) {
    const kinds = all.failures.map(({ kind, count }) => `${formatCount(count)} x ${kind}`).slice(0, MOST_KINDS);
    throw new MeasurementError(
      `${slot.service}: all ${formatCount(all.requests)} requests failed under ${describeSlot(slot)}: ${kinds.join(', ')}`,
      {
        code: 'WG-303',
        next: all.failures.some(isRateLimit)
          ? RATE_LIMITED
          : 'Check what the service printed, and whether it answers more than one request at a time.',
      },
    );
  }
  return samples;
}

const MOST_KINDS = 3;

/** The highest rate without errors: if a closed loop fails requests, a fresh start with half the workers. */
async function measureWithoutErrors(bench: RunBench, slot: SaturationSlot, position: RunPosition): Promise<Sample[]> {
  for (let workers = slot.saturation.workers; ; workers = Math.floor(workers / 2)) {
    const samples = await measureOnce(bench, slot, closedPace(bench, workers), position);
    const hasFailed = (samples[0]?.failures ?? []).length > 0;
    if (!hasFailed || workers <= bench.plan.suite.operations.length) {
      return samples;
    }
    bench.progress.line(`${slot.service}: requests failed with ${workers} workers; retrying with half of them`);
  }
}

function closedPace({ plan }: RunBench, workers: number): Pace {
  return { mode: 'saturate', workers, ...overNetwork(plan.suite) };
}

async function measureOnce(bench: RunBench, slot: Slot, pace: Pace, position: RunPosition): Promise<Sample[]> {
  const { plan, runtime, services } = bench;
  const service = services.get(slot.service);
  if (service === undefined) {
    throw new RangeError(`the plan names the service ${slot.service}, which was not read`);
  }
  const first = position.verified.get(service.name);
  return await runTrial(bench, {
    subjects: [{ side: 'head', service, runtime, operations: operationsIn(plan.suite, slot) }],
    ...(first && { verify: (_, answers) => refuseDifference({ service, answers }, first) }),
    during: `under ${describeSlot(slot)}`,
    use: ([ready]) =>
      blamingMembers(
        ready.running,
        () => loadedSamples(bench, slot, pace, position, ready),
        (samples) => samples.some(({ marks }) => marks.includes('failing')),
      ),
  });
}

async function loadedSamples(
  bench: RunBench,
  slot: Slot,
  pace: Pace,
  position: RunPosition,
  ready: ReadySubject,
): Promise<Sample[]> {
  const { client, clock, plan } = bench;
  const { service, running, operations } = ready;
  const requested = { service, address: running.address, operations };
  const before = await answerLengths(client, requested);
  const { ramp, steady, pages } = await underOneClock(clock, 'slot', () =>
    runBlocks(bench, slot, pace, position.doneSeconds, ready),
  );
  const records = {
    ...ready,
    ...{ pace, pages, warmupSeconds: slot.warmupSeconds, measureSeconds: slot.measureSeconds },
    growing: grownOperations(before, await answerLengths(client, requested)),
    hasEscaped: reportEscaped(bench, ready),
    ...{ ramp, steady },
    connectionBytes: position.connectionBytes.get(service.name),
  };
  const cell = { suite: plan.suite.name, service: slot.service, tier: tierOf(slot) };
  return samplesOf(records, { cell, side: 'head', round: slot.round, position: slot.position });
}

function reportEscaped({ progress }: RunBench, { service: { name }, running }: ReadySubject): boolean {
  const escaped = [...new Set(running.escaped?.() ?? [])];
  if (escaped.length > 0) {
    progress.line(
      `${name}: ${wordList(escaped)} became a daemon, so its CPU time and memory are not in the figures; start it in the foreground`,
    );
  }
  return escaped.length > 0;
}

async function runBlocks(bench: RunBench, slot: Slot, pace: Pace, startSeconds: number, ready: ReadySubject) {
  const { plan, runtime, services } = bench;
  const { running, operations } = ready;
  const totalSeconds = plannedSeconds(plan, { runtime: runtime.name, services });
  const ramp: ScheduledRecords[] = [];
  let doneSeconds = startSeconds;
  let achievedRps: number | undefined;
  const watch = async (block: Block, isSteady: boolean) => {
    const offeredRps = block.pace.mode === 'open' ? offeredRate(block.pace.ratePerSecond, operations) : undefined;
    const label = `${slot.service} ${describeSlot(slot)}`;
    const stateAt = (elapsedSeconds: number) => {
      const elapsed = Math.min(block.seconds, elapsedSeconds);
      const steady = elapsed < slot.warmupSeconds ? 'warm-up' : 'measuring';
      const phase = isSteady ? steady : 'ramp';
      return { doneSeconds: doneSeconds + elapsed, totalSeconds, label, phase, offeredRps, achievedRps };
    };
    return await showWhile(bench, stateAt, async () => (await runBlock(bench, ready, block, { isWatched: true }))());
  };
  for (const block of slot.mode === 'open' ? slot.ramp : []) {
    const { parts } = await watch(block, false);
    ramp.push(...parts);
    doneSeconds += block.seconds;
    achievedRps = answersPerSecond(parts, block.seconds);
  }
  const seconds = slotSeconds(slot) - (doneSeconds - startSeconds);
  // Outside of the readings, so that the cost of the pages is not measured.
  const before = await running.pages?.();
  const steady = await watch({ pace, seconds }, true);
  const after = await running.pages?.();
  return { ramp, steady, pages: before && after && { before, after } };
}

/** The connection of each is a new one. The middle of them is taken: an acknowledgment may come with data, or in a packet of its own. */
const REQUESTS = 3;

/** By then a service has closed its side, and a late acknowledgment is there. */
const SETTLED_MS = 150;

/**
 * Bytes of one request of each operation on the wire, with a connection of its own, both ways: every packet from its handshake to its close,
 * with the headers of IP and TCP and the frame's, as the counters of the service's network have them; undefined if these cannot be read.
 */
export async function connectionBytesOf(
  { secrets, clock, signal }: Pick<TrialBench, 'secrets' | 'clock' | 'signal'>,
  { service, running, operations }: ReadySubject,
): Promise<ReadonlyMap<string, number> | undefined> {
  if ((await wireBytes(running)) === undefined) {
    return undefined;
  }
  const pace = { mode: 'users', workers: 1, requestsPerUser: 1, rampSeconds: 0 } as const;
  const found = new Map<string, number>();
  for (const operation of operations) {
    const loaded = { service, secrets, running, operations: [operation], pace, seconds: 1 };
    const send = preparedLoads({ ...loaded, settings: { fresh: true } });
    const seen: number[] = [];
    for (let request = 0; request < REQUESTS; request += 1) {
      const before = (await wireBytes(running)) ?? Number.NaN;
      await send(signal);
      await clock.sleep(SETTLED_MS, signal);
      seen.push(((await wireBytes(running)) ?? Number.NaN) - before);
    }
    const bytes = median(seen.filter(Number.isFinite));
    if (bytes !== undefined) {
      found.set(operation.name, bytes);
    }
  }
  return found;
}

async function wireBytes(running: RunningService): Promise<number | undefined> {
  return (await running.reading()).service.wireBytes;
}
