import { type KnownError, MeasurementError } from '../../foundation/errors.ts';
import { formatCount, formatMs } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import { wordList } from '../../foundation/text.ts';
import type { ScheduledRecords } from '../../model/load.ts';
import { SATURATION } from '../../model/metric.ts';
import {
  type Block,
  offeredRate,
  operationsIn,
  type Plan,
  type PlannedTrial,
  plannedSeconds,
  SOAK,
  tierOf,
  trialSeconds,
} from '../../model/plan.ts';
import type { CellFailure, MainRun } from '../../model/run/run.ts';
import type { Sample } from '../../model/run/sample.ts';
import { suiteFor } from '../../model/suite/groups.ts';
import { isRateLimit, RATE_LIMITED } from '../../model/suite/http.ts';
import { tierWords } from '../../model/suite/tier-words.ts';
import type { RunningService } from '../../runtime/port.ts';
import { answersPerSecond, samplesOf } from '../samples/observation.ts';
import { type Answered, AnswersDiffer, answerLengths, grownOperations, refuseDifference } from '../trial/answers.ts';
import type { BuildBench, TrialBench } from '../trial/bench.ts';
import { blamingMembers } from '../trial/early-exit.ts';
import { failureRecord, outcomeOf } from '../trial/failure.ts';
import { keepIn } from '../trial/keep.ts';
import { preparedLoads, runBlock } from '../trial/loads.ts';
import { type ReadySubject, runTrial } from '../trial/runner.ts';
import { Budget, showWhile, underOneClock } from '../trial/time.ts';
import { verify } from '../trial/verify.ts';

export interface RunBench extends BuildBench {
  readonly plan: Plan;
  /** No trial begins that would exceed it; undefined: no limit. */
  readonly budgetSeconds?: number | undefined;
}

export type RunFacts = Omit<MainRun, 'samples' | 'failures' | 'complete' | 'spent' | 'versus'>;

/** Verifies, measures trial by trial, and writes all results so far to `run.json`. Failed trials are recorded; varying responses throw. */
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
  for (const trial of plan.trials) {
    const label = `${trial.service} ${trialWords(trial)}`;
    const seconds = plannedSeconds({ trials: [trial] }, { runtime: bench.runtime.name, services: bench.services });
    if (!budget.hasTimeFor(seconds)) {
      progress.line(`the budget ended the slots before ${label}, round ${trial.round}`);
      break;
    }
    if (signal.aborted) {
      break;
    }
    begun += 1;
    const position = { doneSeconds, verified, connectionBytes };
    const outcome = await outcomeOf(signal, () => measureTrial(bench, trial, position));
    if (outcome.ended === 'interrupted') {
      break;
    }
    if (outcome.ended === 'done') {
      samples.push(...outcome.result);
      progress.line(`${label}: ${resultLine(outcome.result)}`);
    } else {
      failures.push(cellFailure(bench, trial, outcome.failure));
      progress.line(`${label}: not measured: ${outcome.failure.message}`);
    }
    loadSeconds += trialSeconds(trial);
    doneSeconds += seconds;
    await keep(runSoFar(false));
  }
  const left = signal.aborted ? 0 : plan.trials.length - begun;
  const whole = runSoFar(failures.length === 0 && !signal.aborted && left === 0);
  const run = left === 0 ? whole : { ...whole, plan: { ...whole.plan, cut: { slots: left, rounds: 0 } } };
  await keep(run);
  return run;
}

function cellFailure(bench: RunBench, trial: PlannedTrial, failure: KnownError): CellFailure {
  // Every other trial would fail the same way.
  if (failure instanceof AnswersDiffer) {
    throw failure;
  }
  const { message, code, next } = failureRecord(failure, bench);
  const place = { suite: bench.plan.suite.name, service: trial.service, tier: tierOf(trial), round: trial.round };
  return { ...place, message, code, ...(next !== undefined && { next }) };
}

function resultLine([whole]: readonly Sample[]): string {
  const answered = whole?.values.achievedRps ?? 0;
  // For a few requests per second, a tenth matters.
  const rate = answered < 10 ? answered.toFixed(1) : Math.round(answered);
  const offered = whole?.offeredRps === undefined ? '' : ` of ${Math.round(whole.offeredRps)}`;
  const [p50, p99] = [whole?.values.latencyP50Ms, whole?.values.latencyP99Ms].map((value) =>
    value === undefined ? 'none' : formatMs(value),
  );
  const marks = whole === undefined || whole.marks.length === 0 ? '' : ` (${whole.marks.join(', ')})`;
  return `${rate}${offered} requests/s, p50 ${p50}, p99 ${p99}${marks}`;
}

function trialWords({ tier, pace }: PlannedTrial): string {
  return tier === undefined ? `${SATURATION} (${pace.workers} workers)` : `tier ${tier.name} (${tierWords(tier)})`;
}

interface RunPosition {
  readonly doneSeconds: number;
  readonly verified: ReadonlyMap<string, Answered>;
  readonly connectionBytes: ReadonlyMap<string, ReadonlyMap<string, number> | undefined>;
}

/** Samples of a fresh start of a service. Throws MeasurementError, and AnswersDiffer from the verified answers. */
export async function measureTrial(whole: RunBench, trial: PlannedTrial, position: RunPosition): Promise<Sample[]> {
  const bench = { ...whole, plan: { ...whole.plan, suite: suiteFor(whole.plan.suite, trial.service) } };
  const measure = trial.tier === undefined && whole.plan.profile.name !== SOAK ? measureWithoutErrors : measureOnce;
  const samples = await measure(bench, trial, position);
  const [all] = samples;
  if (all !== undefined && all.requests > 0 && all.values.errorRate === 1) {
    const kinds = all.failures.map(({ kind, count }) => `${formatCount(count)} x ${kind}`).slice(0, MAX_KINDS);
    throw new MeasurementError(
      `${trial.service}: all ${formatCount(all.requests)} requests failed under ${trialWords(trial)}: ${kinds.join(', ')}`,
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

const MAX_KINDS = 3;

/** Samples of the highest rate without errors: if requests fail in a closed loop, retries with a fresh start and half the workers. */
async function measureWithoutErrors(bench: RunBench, trial: PlannedTrial, position: RunPosition): Promise<Sample[]> {
  for (let { workers } = trial.pace; ; workers = Math.floor(workers / 2)) {
    const samples = await measureOnce(bench, { ...trial, pace: { ...trial.pace, workers } }, position);
    const hasFailed = (samples[0]?.failures ?? []).length > 0;
    if (!hasFailed || workers <= bench.plan.suite.operations.length) {
      return samples;
    }
    bench.progress.line(`${trial.service}: requests failed with ${workers} workers; retrying with half of them`);
  }
}

async function measureOnce(bench: RunBench, trial: PlannedTrial, position: RunPosition): Promise<Sample[]> {
  const { plan, runtime, services } = bench;
  const service = services.get(trial.service);
  if (service === undefined) {
    throw new RangeError(`the plan names the service ${trial.service}, which was not read`);
  }
  const first = position.verified.get(service.name);
  return await runTrial(bench, {
    subjects: [{ side: 'head', service, runtime, operations: operationsIn(plan.suite, trial) }],
    ...(first && { verify: (_, answers) => refuseDifference({ service, answers }, first) }),
    during: `under ${trialWords(trial)}`,
    use: ([ready]) =>
      blamingMembers(
        ready.running,
        () => loadedSamples(bench, trial, position, ready),
        (samples) => samples.some(({ marks }) => marks.includes('failing')),
      ),
  });
}

async function loadedSamples(
  bench: RunBench,
  trial: PlannedTrial,
  position: RunPosition,
  ready: ReadySubject,
): Promise<Sample[]> {
  const { client, clock, plan } = bench;
  const { service, running, operations } = ready;
  const requested = { service, address: running.address, operations };
  const before = await answerLengths(client, requested);
  const { ramp, steady, pages } = await underOneClock(clock, 'slot', () =>
    runBlocks(bench, trial, position.doneSeconds, ready),
  );
  const records = {
    ...ready,
    ...{ pace: trial.pace, pages, warmupSeconds: trial.warmupSeconds, measureSeconds: trial.measureSeconds },
    growing: grownOperations(before, await answerLengths(client, requested)),
    hasEscaped: reportEscaped(bench, ready),
    ...{ ramp, steady },
    connectionBytes: position.connectionBytes.get(service.name),
  };
  const cell = { suite: plan.suite.name, service: trial.service, tier: tierOf(trial) };
  return samplesOf(records, { cell, side: 'head', round: trial.round, position: trial.position });
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

async function runBlocks(bench: RunBench, trial: PlannedTrial, startSeconds: number, ready: ReadySubject) {
  const { plan, runtime, services } = bench;
  const { running, operations } = ready;
  const totalSeconds = plannedSeconds(plan, { runtime: runtime.name, services });
  const ramp: ScheduledRecords[] = [];
  let doneSeconds = startSeconds;
  let achievedRps: number | undefined;
  const watch = async (block: Block, isSteady: boolean) => {
    const offeredRps = block.pace.kind === 'open' ? offeredRate(block.pace.ratePerSecond, operations) : undefined;
    const label = `${trial.service} ${trialWords(trial)}`;
    const stateAt = (elapsedSeconds: number) => {
      const elapsed = Math.min(block.seconds, elapsedSeconds);
      const steady = elapsed < trial.warmupSeconds ? 'warm-up' : 'measuring';
      const phase = isSteady ? steady : 'ramp';
      return { doneSeconds: doneSeconds + elapsed, totalSeconds, label, phase, offeredRps, achievedRps };
    };
    return await showWhile(bench, stateAt, async () => (await runBlock(bench, ready, block, { isWatched: true }))());
  };
  for (const block of trial.ramp) {
    const { parts } = await watch(block, false);
    ramp.push(...parts);
    doneSeconds += block.seconds;
    achievedRps = answersPerSecond(parts, block.seconds);
  }
  const seconds = trialSeconds(trial) - (doneSeconds - startSeconds);
  // Read outside of the readings, so that the cost of the pages is not measured.
  const before = await running.pages?.();
  const steady = await watch({ pace: trial.pace, seconds }, true);
  const after = await running.pages?.();
  return { ramp, steady, pages: before && after && { before, after } };
}

/** Each has a new connection, and the median is used: an acknowledgment may come with data, or in a separate packet. */
const REQUESTS = 3;

/** Time after which a service has closed its side, and a late acknowledgment has arrived. */
const SETTLED_MS = 150;

/**
 * Bytes on the wire for one request of each operation with its own connection, in both directions: every packet from its handshake to its close, with
 * the headers of IP, TCP and the frame, according to the counters of the service's network; undefined if these cannot be read.
 */
export async function connectionBytesOf(
  { secrets, clock, signal }: Pick<TrialBench, 'secrets' | 'clock' | 'signal'>,
  { service, running, operations }: ReadySubject,
): Promise<ReadonlyMap<string, number> | undefined> {
  if ((await wireBytes(running)) === undefined) {
    return undefined;
  }
  const pace = { kind: 'users', workers: 1, requestsPerUser: 1, rampSeconds: 0 } as const;
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
