import { KnownError } from '../../foundation/errors.ts';
import { offeredRate } from '../../model/plan.ts';
import type { Service } from '../../model/service.ts';
import { suiteFor } from '../../model/suite/groups.ts';
import { verify } from '../service/verify.ts';
import { KNEE_FILE, type KneeBench, type KneeFacts, STEP_WARMUP_SECONDS, Stand } from './bench.ts';
import { concluded } from './conclusion.ts';
import { judgedStep, p99LimitMs, type Step } from './criteria.ts';
import { inFlightAt, type Move, nextMove, type Search, secondsAt } from './next-step.ts';
import { formatKnees, type KneeRecord, type ServiceKnee } from './record.ts';
import { playStep, type StepLoad } from './step.ts';

/**
 * Finds the knee of each service, one after the other, with an equal share of the time that is left; what was measured so far is kept in
 * `saturate.json`. A service that cannot be measured is recorded, and an abort ends the search after its step was cleaned up.
 * Throws KnownError if nothing can be measured at all.
 */
export async function saturate(bench: KneeBench, head: KneeFacts): Promise<KneeRecord> {
  const { clock, signal } = bench;
  await verify(bench);
  const endMs = clock.steadyMs() + bench.budgetSeconds * 1000;
  const knees: ServiceKnee[] = [];
  const keep = async (services: readonly ServiceKnee[], complete: boolean): Promise<KneeRecord> => {
    const record = { ...head, services, complete };
    await bench.output.write(KNEE_FILE, formatKnees(record));
    return record;
  };
  const services = [...bench.services.values()];
  for (const [index, service] of services.entries()) {
    if (signal.aborted) {
      break;
    }
    const nowMs = clock.steadyMs();
    const deadlineMs = nowMs + (endMs - nowMs) / (services.length - index);
    const soFar = async (knee: ServiceKnee): Promise<void> => void (await keep([...knees, knee], false));
    const own = { ...bench, suite: suiteFor(bench.suite, service.name) };
    knees.push(await searchService(own, { service, deadlineMs }, soFar));
  }
  const isDone = knees.length === services.length && knees.every(({ ended }) => ended === 'done' || ended === 'steps');
  return await keep(knees, isDone);
}

/** A service, and when its time is spent, by the steady clock. */
export interface Searching {
  readonly service: Service;
  readonly deadlineMs: number;
}

/** Keeps what there is after each step. */
export type KeepKnee = (knee: ServiceKnee) => Promise<void>;

/** What a step takes besides its load: the tools' start and end, their records, a look whether the service has drained. */
export const SECONDS_AROUND_STEP = 2;

/** Plays the steps of one search and gives what they come to. A service that cannot be measured is recorded, not thrown. */
export async function searchService(bench: KneeBench, searching: Searching, keep: KeepKnee): Promise<ServiceKnee> {
  const steps: Step[] = [];
  const kneeNow = (end: SearchEnd): ServiceKnee => kneeOf(bench, searching.service, { steps, end });
  const end = await playSteps(bench, searching, {
    steps,
    played: async (step) => {
      steps.push(step);
      bench.progress.line(bench.says.step(searching.service.name, step));
      await keep(kneeNow({ ended: 'interrupted' }));
    },
  });
  const knee = kneeNow(end);
  bench.progress.line(bench.says.knee(knee));
  await keep(knee);
  return knee;
}

/** Why a search ended. */
type SearchEnd = Pick<ServiceKnee, 'ended' | 'failure'>;

/** The steps so far, and what is done after each. */
interface Steps {
  readonly steps: readonly Step[];
  readonly played: (step: Step) => Promise<void>;
}

async function playSteps(
  bench: KneeBench,
  { service, deadlineMs }: Searching,
  { steps, played }: Steps,
): Promise<SearchEnd> {
  const search = searchOf(bench);
  try {
    await using stand = new Stand(bench, service);
    for (;;) {
      const move = nextMove(search, steps);
      if (move.kind === 'end') {
        return { ended: move.why };
      }
      const limitMs = p99LimitMs(bench.criteria, steps);
      const load = loadOf(search, move, limitMs);
      const neededMs = (load.seconds + STEP_WARMUP_SECONDS + SECONDS_AROUND_STEP) * 1000;
      if (bench.clock.steadyMs() + neededMs > deadlineMs) {
        return { ended: 'budget' };
      }
      await played(await stepOf(bench, stand, { load, limitMs }));
    }
  } catch (thrown) {
    if (bench.signal.aborted) {
      return { ended: 'interrupted' };
    }
    if (!(thrown instanceof KnownError)) {
      throw thrown;
    }
    return { ended: 'failed', failure: failureOf(bench, thrown) };
  }
}

function failureOf({ secrets }: KneeBench, { message, next }: KnownError): NonNullable<SearchEnd['failure']> {
  return {
    message: secrets.mask(message).slice(0, 2000),
    ...(next !== undefined && { next: secrets.mask(next).slice(0, 2000) }),
  };
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

function loadOf(search: Search, move: Exclude<Move, { kind: 'end' }>, limitMs: number | undefined): StepLoad {
  if (move.kind === 'closed') {
    const pace = { mode: 'saturate', workers: move.workers } as const;
    return { pace, seconds: search.stepSeconds, purpose: 'closed-loop' };
  }
  const { ratePerSecond, purpose } = move;
  const pace = { mode: 'open', ratePerSecond, workers: inFlightAt(ratePerSecond, limitMs) } as const;
  return { pace, seconds: secondsAt(ratePerSecond, search), purpose };
}

interface NextStep {
  readonly load: StepLoad;
  readonly limitMs: number | undefined;
}

async function stepOf(bench: KneeBench, stand: Stand, { load, limitMs }: NextStep): Promise<Step> {
  const { pace, purpose } = load;
  const { place, start } = await stand.ready(limitMs);
  const seen = await playStep(bench, place, load);
  if (seen.ended !== undefined) {
    await stand.stop();
  }
  // With little to do it is what the limit follows from.
  const verdict = judgedStep(seen, bench.criteria, purpose === 'unloaded' ? bench.criteria.p99Ms : limitMs);
  return { ...seen, ...verdict, purpose, start, ...(pace.mode === 'open' && { ratePerSecond: pace.ratePerSecond }) };
}

interface Found {
  readonly steps: readonly Step[];
  readonly end: SearchEnd;
}

function kneeOf(bench: KneeBench, service: Service, { steps, end }: Found): ServiceKnee {
  const { name, title, protocol, environment } = service;
  const limitMs = p99LimitMs(bench.criteria, steps);
  return {
    name,
    title,
    protocol,
    environment,
    steps: [...steps],
    ...(limitMs !== undefined && { p99LimitMs: limitMs }),
    ...end,
    conclusion: concluded(searchOf(bench), steps),
  };
}
