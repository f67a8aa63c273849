import type { Block, SteadyPace } from '../../model/plan.ts';
import { MAX_IN_FLIGHT, usualInFlight } from '../../model/suite/suite.ts';
import { type Criteria, p99LimitMs, type Step } from './criteria.ts';

export interface Search {
  readonly criteria: Criteria;
  /** Workers of the closed loop; fewer if requests fail, down to one per operation. */
  readonly workers: number;
  readonly fewestWorkers: number;
  readonly stepSeconds: number;
  /** Nearest possible rate, which is a whole number for each operation. */
  readonly playable: (ratePerSecond: number) => number;
}

export interface StepLoad extends Block {
  readonly pace: SteadyPace;
  readonly purpose: Step['purpose'];
}

interface Rate extends Pick<Step, 'purpose'> {
  readonly ratePerSecond: number;
}

/** Shares of the closed loop's rate for the steps of the rise. */
const RISE = [0.5, 0.7, 0.85, 1];

/** Above these steps a tenth more, then a multiple of the last distance: an estimate from few workers may be far off. */
const FIRST_BEYOND = 0.1;

const TIMES_BEYOND = 2.5;

/** Maximum number of steps at fixed rates; a search whose steps agree takes about ten. */
export const MAX_STEPS = 24;

const MAX_CLOSED_LOOPS = 4;

/** Shares of the closed loop's rate for a nearly idle service. */
const UNLOADED = { least: 0.1, most: 0.3 };

const ALMOST_NOTHING = 0.01;

/** A p99 above this multiple of the median shows a disturbance: the nearly idle service is measured once more. */
const UNEVEN_TIMES = 10;

export const AGREEING = 2;

/**
 * Load of the next step of a search, or its end: regular, or after too many steps. A closed loop gives a rough estimate of the capacity; then come
 * fixed rates: a low one, a rise to the first that is not sustained, halves of the gap between the two, and both of them again, the lower one right
 * after the higher, so that a lasting queue shows. A rate whose steps contradict each other is repeated until most agree.
 */
export function nextLoad(search: Search, steps: readonly Step[]): StepLoad | { readonly ended: 'done' | 'steps' } {
  const { criteria, stepSeconds } = search;
  const workers = closedWorkers(search, steps);
  if (workers !== undefined) {
    return { pace: { kind: 'saturate', workers }, seconds: stepSeconds, purpose: 'closed-loop' };
  }
  const levels = rateLevels(steps);
  const next = nextRate(search, steps, levels);
  const measured = levels.reduce((sum, level) => sum + level.steps.length, 0);
  if (next === undefined || measured >= MAX_STEPS) {
    return { ended: next === undefined ? 'done' : 'steps' };
  }
  const { ratePerSecond, purpose } = next;
  const inFlight = inFlightAt(ratePerSecond, p99LimitMs(criteria, steps));
  return {
    pace: { kind: 'open', ratePerSecond, workers: inFlight },
    seconds: secondsAt(ratePerSecond, search),
    purpose,
  };
}

function nextRate(search: Search, steps: readonly Step[], levels: readonly RateLevel[]): Rate | undefined {
  const estimate = Math.max(
    0,
    ...steps.map(({ purpose, achievedRps }) => (purpose === 'closed-loop' ? achievedRps : 0)),
  );
  return estimate === 0
    ? undefined
    : (unloadedRate(search, steps, estimate) ?? tornRate(levels, steps) ?? gapRate(search, steps, levels, estimate));
}

/** Seconds that a step at this rate is measured: long enough for a p99, and at most a minute. */
export function secondsAt(ratePerSecond: number, { stepSeconds }: Pick<Search, 'stepSeconds'>): number {
  return Math.max(stepSeconds, Math.min(LONGEST_SECONDS, Math.ceil(REQUESTS_OF_P99 / ratePerSecond)));
}

/** Maximum number of requests in flight at this rate: as many as a sustained rate can have, so that the limit never decides. */
export function inFlightAt(ratePerSecond: number, limitMs: number | undefined): number {
  const ofHeld = Math.ceil((ratePerSecond * (limitMs ?? 0)) / 1000);
  return Math.max(usualInFlight(ratePerSecond), Math.min(MAX_IN_FLIGHT, ofHeld));
}

const LONGEST_SECONDS = 60;

const REQUESTS_OF_P99 = 120;

function closedWorkers({ workers, fewestWorkers, criteria }: Search, steps: readonly Step[]): number | undefined {
  const loops = steps.filter(({ purpose }) => purpose === 'closed-loop');
  const last = loops.at(-1);
  if (last === undefined) {
    return workers;
  }
  const isSpoiled = last.ended !== undefined || last.errorRate > criteria.errorShare;
  const half = Math.floor(last.workers / 2);
  return isSpoiled && half >= fewestWorkers && loops.length < MAX_CLOSED_LOOPS ? half : undefined;
}

function unloadedRate({ stepSeconds, playable }: Search, steps: readonly Step[], estimate: number): Rate | undefined {
  const [first, second] = steps.filter(({ purpose }) => purpose === 'unloaded');
  const enough = REQUESTS_OF_P99 / stepSeconds;
  const rate = Math.min(UNLOADED.most * estimate, Math.max(UNLOADED.least * estimate, enough));
  const { latencyP50Ms = 0, latencyP99Ms = 0 } = first ?? {};
  const isUneven = latencyP99Ms > UNEVEN_TIMES * latencyP50Ms;
  return first === undefined || (second === undefined && isUneven)
    ? { ratePerSecond: playable(rounded(rate)), purpose: 'unloaded' }
    : undefined;
}

/** Rate whose steps contradict each other, or that was not sustained in its first step, unless the search had come down to it. */
function tornRate(levels: readonly RateLevel[], steps: readonly Step[]): Rate | undefined {
  const torn = levels.find(({ held, failed }) => held === failed);
  if (torn !== undefined) {
    return again(torn);
  }
  const last = steps.at(-1);
  const own = levels.find(({ rate }) => rate === last?.ratePerSecond);
  const isSurprise = own?.failed === 1 && own.held === 0 && (last?.purpose === 'rise' || last?.purpose === 'unloaded');
  return own !== undefined && isSurprise ? again(own) : undefined;
}

function gapRate(
  search: Search,
  steps: readonly Step[],
  levels: readonly RateLevel[],
  estimate: number,
): Rate | undefined {
  // By the majority of each rate's steps: the lowest rate that is not sustained, and the highest sustained one below it.
  const failed = levels.find((level) => level.failed >= level.held);
  const held = levels.filter(({ rate }) => failed === undefined || rate < failed.rate).at(-1);
  if (failed === undefined) {
    return { ratePerSecond: higher(search, held?.rate ?? 0, estimate), purpose: 'rise' };
  }
  if (held === undefined && isToolsOnly(failed)) {
    // A nearly idle service should have sustained it: a lower rate would show nothing new.
    return undefined;
  }
  const between = betweenRate(search, { held, failed });
  return between !== undefined && failed.rate > ALMOST_NOTHING * estimate
    ? { ratePerSecond: between, purpose: 'between' }
    : confirmation(held, failed, steps);
}

function higher({ playable }: Search, rate: number, estimate: number): number {
  const next = RISE.map((part) => playable(rounded(part * estimate))).find((one) => one > rate);
  const beyond = Math.max(FIRST_BEYOND, TIMES_BEYOND * (rate / estimate - 1));
  return next ?? playable(Math.max(rate + 1, rounded(estimate * (1 + beyond))));
}

export function betweenRate(
  { criteria, playable }: Pick<Search, 'criteria' | 'playable'>,
  { held, failed }: { readonly held: RateLevel | undefined; readonly failed: RateLevel },
) {
  const [low, high] = [held?.rate ?? 0, failed.rate];
  const middle = playable(rounded((low + high) / 2));
  return high - low > criteria.resolution * high && middle > low && middle < high ? middle : undefined;
}

/** Both rates of the gap until their steps agree, the lower one also right after a rate that was not sustained. */
function confirmation(held: RateLevel | undefined, failed: RateLevel, steps: readonly Step[]): Rate | undefined {
  if (failed.failed < AGREEING) {
    return again(failed);
  }
  const hasComeDown = held !== undefined && comesDown(held, steps);
  if (held === undefined || (held.held >= AGREEING && hasComeDown)) {
    return undefined;
  }
  return steps.at(-1)?.verdict === 'held' && !hasComeDown ? again(failed) : again(held);
}

function comesDown({ rate }: RateLevel, steps: readonly Step[]): boolean {
  return steps.some((step, index) => {
    const before = steps[index - 1];
    const isDown = before?.ratePerSecond !== undefined && before.verdict !== 'held';
    return isDown && step.ratePerSecond === rate && step.verdict === 'held';
  });
}

function again({ rate }: RateLevel): Rate {
  return { ratePerSecond: rate, purpose: 'again' };
}

function rounded(rate: number): number {
  return Number(rate.toPrecision(3));
}

export interface RateLevel {
  readonly rate: number;
  readonly steps: readonly Step[];
  readonly held: number;
  readonly failed: number;
}

export function rateLevels(steps: readonly Step[]): readonly RateLevel[] {
  const byRate = new Map<number, Step[]>();
  for (const step of steps) {
    if (step.ratePerSecond !== undefined) {
      byRate.set(step.ratePerSecond, [...(byRate.get(step.ratePerSecond) ?? []), step]);
    }
  }
  return [...byRate]
    .map(([rate, own]) => {
      const held = own.filter(({ verdict }) => verdict === 'held').length;
      return { rate, steps: own, held, failed: own.length - held };
    })
    .sort((left, right) => left.rate - right.rate);
}

/** True if all that is known about a rate is that the load tool was at its limit. */
export function isToolsOnly({ steps }: RateLevel): boolean {
  return steps.every(({ verdict }) => verdict === 'tool-limited');
}
