import type { Step, StepObservation } from '../../src/measure/knee/criteria.ts';
import { judgedStep, p99LimitMs, USUAL_CRITERIA } from '../../src/measure/knee/criteria.ts';
import { nextLoad, type Search } from '../../src/measure/knee/next-step.ts';

/** A service with one queue: what it does follows from how full it is. */
export interface SimulatedService {
  readonly capacityRps: number;
  /** The p99 of a service without work. */
  readonly baseMs: number;
  /** From this rate on requests fail, it exits, or the load tool is at its limit. */
  readonly failsFrom?: number;
  readonly endsFrom?: number;
  readonly toolEndsFrom?: number;
}

export const SEARCH: Search = {
  criteria: USUAL_CRITERIA,
  workers: 50,
  fewestWorkers: 1,
  stepSeconds: 5,
  playable: (rate) => Math.max(1, Math.round(rate)),
};

const NEVER = Number.POSITIVE_INFINITY;

/** Where a queue is as good as full. */
const FULL = 0.999;

/** The p99 at a rate: that of a queue, and of what is left over where more comes than goes. */
export function p99At({ capacityRps, baseMs }: SimulatedService, rate: number, seconds = 7): number {
  const load = Math.min(FULL, rate / capacityRps);
  return baseMs * (1 + (2 * load) / (1 - load)) + Math.max(0, rate / capacityRps - 1) * seconds * 1000;
}

/** The highest rate whose p99 is within a limit. */
export function kneeOf({ capacityRps, baseMs }: SimulatedService, limitMs: number): number {
  const work = (limitMs / baseMs - 1) / 2;
  return (capacityRps * work) / (1 + work);
}

/** What is seen of the service at a rate; in a closed loop if there is none. */
export function seenOf(service: SimulatedService, rate: number | undefined, workers = 50): StepObservation {
  const { capacityRps, failsFrom = NEVER, endsFrom = NEVER, toolEndsFrom = NEVER } = service;
  const pushed = rate ?? capacityRps;
  const achievedRps = Math.min(pushed, capacityRps);
  const latencyP99Ms = p99At(service, rate ?? 0.99 * capacityRps);
  const isEnded = pushed >= endsFrom;
  return {
    ...(rate !== undefined && { offeredRps: rate }),
    workers,
    measuredSeconds: 5,
    requests: Math.round(achievedRps * 5),
    achievedRps: isEnded ? 0 : achievedRps,
    errorRate: pushed >= failsFrom ? 0.02 : 0,
    ...(!isEnded && { latencyP50Ms: latencyP99Ms / 3, latencyP99Ms }),
    serviceCpuShare: Math.min(1, pushed / capacityRps),
    loadCpuShare: 0.4,
    marks: pushed >= toolEndsFrom ? ['generator-limited'] : [],
    ...(isEnded && { ended: 'killed by SIGKILL' }),
  };
}

/** All steps of a search; `seen` gives what each of them shows. */
export function searched(
  seen: (rate: number | undefined, place: { readonly index: number; readonly workers: number }) => StepObservation,
  search: Search = SEARCH,
): readonly Step[] {
  const steps: Step[] = [];
  for (;;) {
    const load = nextLoad(search, steps);
    if ('ended' in load) {
      return steps;
    }
    if (steps.length > 100) {
      throw new Error('the search does not end');
    }
    const { pace, seconds, purpose } = load;
    const rate = pace.kind === 'open' ? pace.ratePerSecond : undefined;
    const workers = rate === undefined ? pace.workers : 50;
    const observation = seen(rate, { index: steps.length, workers });
    const limitMs = purpose === 'unloaded' ? search.criteria.p99Ms : p99LimitMs(search.criteria, steps);
    steps.push({
      ...observation,
      ...(rate === undefined ? { workers } : { ratePerSecond: rate, measuredSeconds: seconds }),
      ...judgedStep(observation, search.criteria, limitMs),
      purpose,
      start: steps.length === 0 ? 'fresh' : 'same',
    });
  }
}
