import { MOST_IN_FLIGHT, usualInFlight } from '../../model/suite/suite.ts';
import type { Criteria, Step } from './criteria.ts';

export interface Search {
  readonly criteria: Criteria;
  /** For the closed loop; fewer if requests fail, down to one for each operation. */
  readonly workers: number;
  readonly fewestWorkers: number;
  readonly stepSeconds: number;
  /** The nearest possible rate, which is a whole number for each operation. */
  readonly playable: (ratePerSecond: number) => number;
}

export type Move =
  | { readonly kind: 'closed'; readonly workers: number }
  | { readonly kind: 'open'; readonly ratePerSecond: number; readonly purpose: Step['purpose'] }
  /** Regular end, or too many steps. */
  | { readonly kind: 'end'; readonly why: 'done' | 'steps' };

/** Shares of the closed loop's rate at which the rise has its steps. */
const RISE = [0.5, 0.7, 0.85, 1];

/** Above them a tenth more, and then a multiple of the last distance: the estimate of few workers may be far off. */
const FIRST_BEYOND = 0.1;

const TIMES_BEYOND = 2.5;

/** Steps at fixed rates after which a search gives up; one whose steps agree takes about ten. */
export const MOST_STEPS = 24;

const MOST_CLOSED_LOOPS = 4;

/** For the closed loop's rate: little to do, and almost nothing. */
const UNLOADED = { least: 0.1, most: 0.3 };

const ALMOST_NOTHING = 0.01;

/** A p99 beyond this many times the median is that of a disturbance: the service with little to do is looked at once more. */
const UNEVEN_TIMES = 10;

export const AGREEING = 2;

const END: Move = { kind: 'end', why: 'done' };

/**
 * The next step of a search. A closed loop gives a rough estimate of the capacity; then come fixed rates: a low one, a rise to the first that is
 * not sustained, halves of the gap between the two, and both of them again, the lower one right after the higher, so that a queue that stays
 * shows. A rate whose steps contradict each other is repeated until most agree.
 */
export function nextMove(search: Search, steps: readonly Step[]): Move {
  const closed = closedMove(search, steps);
  const estimate = estimateOf(steps);
  if (closed !== undefined || estimate === 0) {
    return closed ?? END;
  }
  const levels = rateLevels(steps);
  const move =
    unloadedMove(search, steps, estimate) ?? againMove(levels, steps) ?? gapMove(search, { steps, estimate, levels });
  const measured = levels.reduce((sum, level) => sum + level.steps.length, 0);
  return move.kind === 'open' && measured >= MOST_STEPS ? { kind: 'end', why: 'steps' } : move;
}

/** Seconds that a step at this rate is measured: long enough for a p99, and a minute at most. */
export function secondsAt(ratePerSecond: number, { stepSeconds }: Pick<Search, 'stepSeconds'>): number {
  return Math.max(stepSeconds, Math.min(LONGEST_SECONDS, Math.ceil(REQUESTS_OF_P99 / ratePerSecond)));
}

/** Requests in flight at most at this rate: as many as a sustained rate can have, so that the bound never decides. */
export function inFlightAt(ratePerSecond: number, limitMs: number | undefined): number {
  const ofHeld = Math.ceil((ratePerSecond * (limitMs ?? 0)) / 1000);
  return Math.max(usualInFlight(ratePerSecond), Math.min(MOST_IN_FLIGHT, ofHeld));
}

const LONGEST_SECONDS = 60;

const REQUESTS_OF_P99 = 120;

function closedMove({ workers, fewestWorkers, criteria }: Search, steps: readonly Step[]): Move | undefined {
  const loops = steps.filter(({ purpose }) => purpose === 'closed-loop');
  const last = loops.at(-1);
  if (last === undefined) {
    return { kind: 'closed', workers };
  }
  const isSpoiled = last.ended !== undefined || last.errorRate > criteria.errorShare;
  const half = Math.floor(last.workers / 2);
  return isSpoiled && half >= fewestWorkers && loops.length < MOST_CLOSED_LOOPS
    ? { kind: 'closed', workers: half }
    : undefined;
}

function estimateOf(steps: readonly Step[]): number {
  return Math.max(0, ...steps.map(({ purpose, achievedRps }) => (purpose === 'closed-loop' ? achievedRps : 0)));
}

function unloadedMove({ stepSeconds, playable }: Search, steps: readonly Step[], estimate: number): Move | undefined {
  const [first, second] = steps.filter(({ purpose }) => purpose === 'unloaded');
  const enough = REQUESTS_OF_P99 / stepSeconds;
  const rate = Math.min(UNLOADED.most * estimate, Math.max(UNLOADED.least * estimate, enough));
  const { latencyP50Ms = 0, latencyP99Ms = 0 } = first ?? {};
  const isUneven = latencyP99Ms > UNEVEN_TIMES * latencyP50Ms;
  return first === undefined || (second === undefined && isUneven)
    ? { kind: 'open', ratePerSecond: playable(rounded(rate)), purpose: 'unloaded' }
    : undefined;
}

/** A rate whose steps contradict each other, or that was not sustained at once if the search had not come down to it. */
function againMove(levels: readonly RateLevel[], steps: readonly Step[]): Move | undefined {
  const torn = levels.find(({ held, failed }) => held === failed);
  if (torn !== undefined) {
    return again(torn);
  }
  const last = steps.at(-1);
  const own = levels.find(({ rate }) => rate === last?.ratePerSecond);
  const isSurprise = own?.failed === 1 && own.held === 0 && (last?.purpose === 'rise' || last?.purpose === 'unloaded');
  return own !== undefined && isSurprise ? again(own) : undefined;
}

interface SearchState {
  readonly steps: readonly Step[];
  readonly estimate: number;
  readonly levels: readonly RateLevel[];
}

function gapMove(search: Search, { steps, estimate, levels }: SearchState): Move {
  const gap = gapOf(levels);
  if (gap.failed === undefined) {
    return { kind: 'open', ratePerSecond: higher(search, gap.held?.rate ?? 0, estimate), purpose: 'rise' };
  }
  if (gap.held === undefined && isToolsOnly(gap.failed)) {
    // With little to do it should have had time: a lower rate would say nothing either.
    return END;
  }
  const between = betweenRate(search, gap);
  if (between !== undefined && gap.failed.rate > ALMOST_NOTHING * estimate) {
    return { kind: 'open', ratePerSecond: between, purpose: 'between' };
  }
  return confirmation(gap, steps);
}

function higher({ playable }: Search, rate: number, estimate: number): number {
  const next = RISE.map((part) => playable(rounded(part * estimate))).find((one) => one > rate);
  const beyond = Math.max(FIRST_BEYOND, TIMES_BEYOND * (rate / estimate - 1));
  return next ?? playable(Math.max(rate + 1, rounded(estimate * (1 + beyond))));
}

export function betweenRate({ criteria, playable }: Pick<Search, 'criteria' | 'playable'>, { held, failed }: Gap) {
  const [low, high] = [held?.rate ?? 0, failed?.rate ?? Number.POSITIVE_INFINITY];
  const middle = playable(rounded((low + high) / 2));
  return high - low > criteria.resolution * high && middle > low && middle < high ? middle : undefined;
}

/** Both rates of the gap until their steps agree, the lower one also right after a rate that was not sustained. */
function confirmation({ held, failed }: Gap, steps: readonly Step[]): Move {
  if (failed !== undefined && failed.failed < AGREEING) {
    return again(failed);
  }
  const hasComeDown = held !== undefined && comesDown(held, steps);
  if (held === undefined || (held.held >= AGREEING && hasComeDown)) {
    return END;
  }
  const isAfterHeld = steps.at(-1)?.verdict === 'held';
  return isAfterHeld && !hasComeDown && failed !== undefined ? again(failed) : again(held);
}

function comesDown({ rate }: RateLevel, steps: readonly Step[]): boolean {
  return steps.some((step, index) => {
    const before = steps[index - 1];
    const isDown = before?.ratePerSecond !== undefined && before.verdict !== 'held';
    return isDown && step.ratePerSecond === rate && step.verdict === 'held';
  });
}

function again({ rate }: RateLevel): Move {
  return { kind: 'open', ratePerSecond: rate, purpose: 'again' };
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

/** True if all that is known of a rate is that the load tool was at its limit. */
export function isToolsOnly({ steps }: RateLevel): boolean {
  return steps.every(({ verdict }) => verdict === 'tool-limited');
}

export interface Gap {
  readonly held: RateLevel | undefined;
  readonly failed: RateLevel | undefined;
}

/** By the majority of each rate's steps: the lowest rate that is not sustained, and the highest below it that is. */
function gapOf(levels: readonly RateLevel[]): Gap {
  const failed = levels.find((level) => level.failed >= level.held);
  const below = levels.filter(({ rate }) => failed === undefined || rate < failed.rate);
  return { held: below.at(-1), failed };
}
