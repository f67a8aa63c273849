import { formatRate } from '../../foundation/numbers.ts';
import type { ProgressState } from '../../host/terminal/progress.ts';
import { offeredRate } from '../../model/plan.ts';
import type { Service } from '../../model/service.ts';
import { suiteFor } from '../../model/suite/groups.ts';
import { overNetwork } from '../../model/suite/network.ts';
import type { Suite } from '../../model/suite/suite.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';
import { EngineLost, endSentence, WHEN_LOST } from '../../runtime/ended.ts';
import { type Criteria, judgedStep, p99LimitMs, type Step, type StepObservation } from '../knee/criteria.ts';
import { nextLoad, type Search, type StepLoad } from '../knee/next-step.ts';
import { concluded, formatKnees, KNEE_FILE, type KneeRecord, type ServiceKnee } from '../knee/record.ts';
import type { MeasuredBlock } from '../samples/machine.ts';
import { observationOf, steadyLoad } from '../samples/observation.ts';
import type { BuildBench } from '../trial/bench.ts';
import { endOf } from '../trial/early-exit.ts';
import { failureRecord, outcomeOf } from '../trial/failure.ts';
import { runBlock } from '../trial/loads.ts';
import { type ReadySubject, runTrial } from '../trial/runner.ts';
import { Budget, showWhile, underOneClock } from '../trial/time.ts';
import { verify } from '../trial/verify.ts';

export interface KneeBench extends BuildBench {
  readonly suite: Suite;
  readonly criteria: Criteria;
  readonly stepSeconds: number;
  readonly budgetSeconds: number;
  readonly says: {
    readonly step: (service: string, step: Step) => string;
    readonly knee: (knee: ServiceKnee) => string;
  };
}

/** Warm-up of each step: connections are opened, and the first requests of a burst answered. */
export const STEP_WARMUP_SECONDS = 2;

export const SECONDS_AROUND_STEP = 2;

/** Finds the knee of each service, in equal shares of the remaining time, and writes all results so far to `saturate.json`. */
export async function saturate(bench: KneeBench, head: Omit<KneeRecord, 'complete' | 'services'>): Promise<KneeRecord> {
  await verify(bench);
  const budget = new Budget(bench.clock, bench.budgetSeconds);
  const knees: ServiceKnee[] = [];
  const keep = async (services: readonly ServiceKnee[], complete: boolean): Promise<KneeRecord> => {
    const record = { ...head, services, complete };
    await bench.output.write(KNEE_FILE, formatKnees(record));
    return record;
  };
  const services = [...bench.services.values()];
  for (const [index, service] of services.entries()) {
    if (bench.signal.aborted) {
      break;
    }
    const share = new Budget(bench.clock, budget.leftSeconds / (services.length - index));
    const soFar = async (knee: ServiceKnee): Promise<void> => void (await keep([...knees, knee], false));
    const own = { ...bench, suite: suiteFor(bench.suite, service.name) };
    knees.push(await searchService(own, service, share, soFar));
  }
  const isDone = knees.length === services.length && knees.every(({ ended }) => ended === 'done' || ended === 'steps');
  return await keep(knees, isDone);
}

type SearchEnd = Pick<ServiceKnee, 'ended' | 'failure'>;

/** Runs the steps of one search and returns their result, which is stored after each step. A service that cannot be measured is recorded, not thrown. */
async function searchService(
  bench: KneeBench,
  service: Service,
  budget: Budget,
  keep: (knee: ServiceKnee) => Promise<void>,
): Promise<ServiceKnee> {
  const steps: Step[] = [];
  const outcome = await outcomeOf(bench.signal, () =>
    runSteps(bench, service, { budget, steps }, async (step) => {
      steps.push(step);
      bench.progress.line(bench.says.step(service.name, step));
      await keep(kneeOf(bench, service, steps, { ended: 'interrupted' }));
    }),
  );
  let end: SearchEnd = outcome.ended === 'done' ? outcome.result : { ended: 'interrupted' };
  if (outcome.ended === 'failed') {
    const { message, next } = failureRecord(outcome.failure, bench);
    end = { ended: 'failed', failure: { message, ...(next !== undefined && { next }) } };
  }
  const knee = kneeOf(bench, service, steps, end);
  bench.progress.line(bench.says.knee(knee));
  await keep(knee);
  return knee;
}

/** Runs steps until the search ends, with a fresh start of the service after a step that ended it or left unfinished work. */
async function runSteps(
  bench: KneeBench,
  service: Service,
  { budget, steps }: { readonly budget: Budget; readonly steps: readonly Step[] },
  measured: (step: Step) => Promise<void>,
): Promise<SearchEnd> {
  const { suite, runtime } = bench;
  const subjects = [{ side: 'head', service, runtime, operations: suite.operations } as const];
  let next = nextStep(bench, steps, budget);
  while ('load' in next) {
    let step = next;
    // A service that already runs is not restarted.
    let start: Step['start'] = steps.length > 0 && service.address !== undefined ? 'same' : 'fresh';
    next = await runTrial(bench, {
      subjects,
      use: async ([ready]) => {
        for (;;) {
          const seen = await runStep(bench, ready, step.load);
          await measured({ ...seen, ...judged(bench, step, seen), start });
          const after = nextStep(bench, steps, budget);
          if (!('load' in after) || seen.ended !== undefined || !(await drains(bench, ready, after.limitMs))) {
            return after;
          }
          step = after;
          start = 'same';
        }
      },
    });
  }
  return next;
}

interface NextStep {
  readonly load: StepLoad;
  /** Highest p99 at which a rate counts as sustained; undefined if not yet known. */
  readonly limitMs: number | undefined;
}

function nextStep(bench: KneeBench, steps: readonly Step[], budget: Budget): NextStep | SearchEnd {
  const load = nextLoad(searchOf(bench), steps);
  if ('ended' in load) {
    return load;
  }
  return budget.hasTimeFor(load.seconds + STEP_WARMUP_SECONDS + SECONDS_AROUND_STEP)
    ? { load, limitMs: p99LimitMs(bench.criteria, steps) }
    : { ended: 'budget' };
}

function searchOf({ suite, criteria, stepSeconds }: KneeBench): Search {
  return {
    criteria,
    workers: suite.saturation.workers,
    fewestWorkers: suite.operations.length,
    stepSeconds,
    playable: (ratePerSecond) => offeredRate(ratePerSecond, suite.operations),
  };
}

function judged({ criteria }: KneeBench, { load, limitMs }: NextStep, seen: StepObservation) {
  const { pace, purpose } = load;
  // The nearly idle service determines the limit.
  const verdict = judgedStep(seen, criteria, purpose === 'unloaded' ? criteria.p99Ms : limitMs);
  return { ...verdict, purpose, ...(pace.kind === 'open' && { ratePerSecond: pace.ratePerSecond }) };
}

function kneeOf(bench: KneeBench, service: Service, steps: readonly Step[], end: SearchEnd): ServiceKnee {
  const { name, title, protocol, environment } = service;
  const limitMs = p99LimitMs(bench.criteria, steps);
  return {
    ...{ name, title, protocol, environment },
    steps: [...steps],
    ...(limitMs !== undefined && { p99LimitMs: limitMs }),
    ...end,
    conclusion: concluded(searchOf(bench), steps),
  };
}

/** Observation of a ready service under a load; its unexpected end is one, too. Throws MeasurementError if the load cannot be sent. */
async function runStep(bench: KneeBench, ready: ReadySubject, load: StepLoad): Promise<StepObservation> {
  const { suite, secrets } = bench;
  const stop = new AbortController();
  const stoppable = { ...ready, signal: AbortSignal.any([ready.signal, stop.signal]) };
  const pace = { ...load.pace, ...overNetwork(suite) };
  const block = { pace, seconds: STEP_WARMUP_SECONDS + load.seconds };
  const watch = async () => (await runBlock(bench, stoppable, block, { isWatched: true }))();
  const measured = showWhile(bench, stateOf(bench, ready, load), () => underOneClock(bench.clock, 'step', watch));
  try {
    const outcome = await Promise.race([measured, endOf(ready)]);
    if ('parts' in outcome) {
      return observed(ready, { ...load, pace }, outcome);
    }
    const words = secrets.mask(`${outcome.whose}: ${endSentence(outcome.end)}`);
    if (outcome.end.kind === 'lost') {
      throw new EngineLost(words, { next: WHEN_LOST });
    }
    return endedObservation(bench, load, words);
  } finally {
    stop.abort();
    await Promise.allSettled([measured]);
  }
}

/** The end of a search is unknown: the bar shows the step. */
function stateOf({ suite }: KneeBench, { service }: ReadySubject, { pace, seconds }: StepLoad) {
  const totalSeconds = STEP_WARMUP_SECONDS + seconds;
  const offeredRps = pace.kind === 'open' ? offeredRate(pace.ratePerSecond, suite.operations) : undefined;
  const words = offeredRps === undefined ? `closed loop, ${pace.workers} workers` : `at ${formatRate(offeredRps)}`;
  return (elapsedSeconds: number): ProgressState => ({
    doneSeconds: Math.min(totalSeconds, elapsedSeconds),
    totalSeconds,
    label: `${service.name} ${words}`,
    phase: elapsedSeconds < STEP_WARMUP_SECONDS ? 'warm-up' : 'measuring',
    offeredRps,
  });
}

function observed(ready: ReadySubject, { pace, seconds }: StepLoad, steady: MeasuredBlock): StepObservation {
  const records = { ...ready, pace, warmupSeconds: STEP_WARMUP_SECONDS, measureSeconds: seconds, ramp: [], steady };
  const { values, offeredRps, workers, requests, marks } = observationOf(steadyLoad(records));
  const { achievedRps = 0, errorRate = 0, latencyP50Ms, latencyP99Ms, serviceCpuShare, loadCpuShare } = values;
  return {
    ...{ offeredRps, workers, measuredSeconds: seconds, requests, achievedRps, errorRate },
    ...{ latencyP50Ms, latencyP99Ms, serviceCpuShare, loadCpuShare, marks },
  };
}

function endedObservation({ suite }: KneeBench, { pace }: StepLoad, ended: string): StepObservation {
  return {
    ...(pace.kind === 'open' && { offeredRps: offeredRate(pace.ratePerSecond, suite.operations) }),
    workers: pace.workers,
    measuredSeconds: 0,
    requests: 0,
    achievedRps: 0,
    errorRate: 0,
    marks: [],
    ended: ended.slice(0, 2000),
  };
}

const LIMIT_SECONDS = 5;

const PAUSE_MS = 100;

/** Consecutive quick responses: a single one may find a gap in a queue. */
const QUICK_ANSWERS = 3;

/** Least limit of a response time: this program adds more to it than a load tool. */
const LEAST_MS = 50;

/** True if a service answers three consecutive requests within 5 s, each as quickly as under a load that it sustains. */
async function drains(
  { client, clock, signal }: KneeBench,
  { service, running, operations: [first] }: ReadySubject,
  limitMs = LEAST_MS,
): Promise<boolean> {
  const protocol = PROTOCOLS[service.protocol];
  const request = first && protocol.target(first, service, running.address).requests[0];
  if (first === undefined || request === undefined) {
    return true;
  }
  const requests = async (): Promise<boolean> => {
    try {
      protocol.canonical(await client.call(service, running.address, request), first);
      return true;
    } catch {
      return false;
    }
  };
  const untilMs = clock.steadyMs() + LIMIT_SECONDS * 1000;
  let quick = 0;
  while (quick < QUICK_ANSWERS && clock.steadyMs() < untilMs) {
    signal.throwIfAborted();
    const requestedMs = clock.steadyMs();
    const isAnswered = await requests();
    quick = isAnswered && clock.steadyMs() - requestedMs <= Math.max(limitMs, LEAST_MS) ? quick + 1 : 0;
    if (quick === 0) {
      await clock.sleep(PAUSE_MS, signal);
    }
  }
  return quick >= QUICK_ANSWERS;
}
