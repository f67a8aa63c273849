import { seededRandom, seedOf, shuffled } from '../../foundation/random.ts';
import { median } from '../../foundation/statistics.ts';
import { type CountedStart, WINDOWS, WINDOWS_COUNTED } from '../../model/run/instructions.ts';
import type { Operation } from '../../model/suite/suite.ts';

/** Requests of all operations together in the smallest window, and in that of a fast service. */
const REQUESTS_OF_WINDOW = { fewest: 100, most: 2000 };

/** Minimum for a rare operation: with fewer, a timer that fires in a window would distort the count. */
const FEWEST_REQUESTS = 50;

/** Seconds of a window of a fast service at its uncounted speed, which is five times as fast. */
const WINDOW_SECONDS = 0.2;

/** Operations with slower requests have fewer, but at least this many: with so many instructions per request, a timer does not matter. */
const HEAVY = { seconds: 1, fewest: 10 };

/** A service that has not settled by then never does. */
export const MAX_WINDOWS = 12;

/** Number of lowest windows that must agree: they include no garbage collection, or equal ones. */
const STEADY_WINDOWS = 3;

/** After this many windows, a service whose counts still fall gets a longer warm-up. */
const PATIENCE = 7;

/** The first windows are compared with the same number of last ones. */
const ENDS = 3;

export const MAX_LONG_WARM_UPS = 3;

/** Requests of all operations, run in batches, for the optimizing compiler of Node.js. These seconds limit it. */
export const LONG_WARM_UP = { requests: 4000, piece: 500, seconds: 60 };

/** Windows that agree within this share show no warm-up any more. */
const AGREEING = 0.01;

/** Largest excess of a valid window over the lowest: a garbage collection, not part of the warm-up. */
const COLLECTING = 0.02;

/** Except if each counts less than the one before, and the last less than the first by this share: then the next ones will, too. */
const FALLING = 0.003;

type Requests = (operation: Pick<Operation, 'name' | 'share'>) => number;

export type SecondsOf = Readonly<Record<string, number>>;

export interface Sizing {
  /** Number of requests in a window, from the seconds that the smallest window took before counting, by operation. */
  readonly requests: (seconds: SecondsOf) => Requests;
  /** Number of long warm-ups before the first window of a start: as many as an earlier start needed. */
  longWarmUps: number;
}

/** All windows of a service, in both versions, have the same number of requests, which the first start determines. */
export function firstSizing(): Sizing {
  let decided: SecondsOf | undefined;
  const requests = (seconds: SecondsOf): Requests => {
    decided ??= seconds;
    const taken = decided;
    const size = windowSize(Object.values(taken).reduce((sum, one) => sum + one, 0));
    return (operation) => {
      const usual = requestsOfWindow(operation, size);
      const { [operation.name]: own = 0 } = taken;
      return own <= HEAVY.seconds ? usual : Math.max(HEAVY.fewest, Math.round((usual * HEAVY.seconds) / own));
    };
  };
  return { requests, longWarmUps: 0 };
}

/** Windows and warm-ups like those of an earlier start, however long the smallest window takes. */
export function sizingLike({ operations, longWarmUps = 0 }: CountedStart): Sizing {
  const requests =
    (): Requests =>
    ({ name }) =>
      operations.find(({ operation }) => operation === name)?.requests ?? FEWEST_REQUESTS;
  return { requests, longWarmUps };
}

/** Total requests in a window, for a service that took this long for the smallest window before counting. */
export function windowSize(seconds: number): number {
  const { fewest, most } = REQUESTS_OF_WINDOW;
  const times = Math.floor(WINDOW_SECONDS / Math.max(seconds, Number.EPSILON));
  return Math.min(most, fewest * Math.max(1, times));
}

/** Requests of an operation in a window of this size, by its share; in the smallest window by default. */
export function requestsOfWindow({ share }: Pick<Operation, 'share'>, size = REQUESTS_OF_WINDOW.fewest): number {
  return Math.max(FEWEST_REQUESTS, Math.round(share * size));
}

/** Operations with the rows of a window, in an order by the seed: the same in each window, start and version. */
export function rowsOfWindow(operation: Operation, seed: number, requests: number): Operation {
  const rows = shuffled(operation.arguments, seededRandom(seedOf(seed, 'instructions', operation.name)));
  return { ...operation, arguments: rows.slice(0, requests) };
}

/** First valid window, from 0: the three lowest of the last five agree and do not fall; undefined if none yet. */
export function warmFrom(counts: readonly (readonly number[])[]): number | undefined {
  const from = Math.min(...counts.map(({ length }) => length)) - WINDOWS;
  return from >= 0 && counts.every((windows) => isSteady(windows.slice(-WINDOWS))) ? from : undefined;
}

/** True if counts of an operation still fall: the middle one of the last three windows is below that of the first three. */
export function isFalling(counts: readonly (readonly number[])[]): boolean {
  return counts.some((windows) => {
    const [first, last] = [windows.slice(0, ENDS), windows.slice(-ENDS)].map((ones) => median(ones) ?? 0);
    return windows.length >= PATIENCE && (last ?? 0) < (first ?? 0) * (1 - AGREEING);
  });
}

function isSteady(windows: readonly number[]): boolean {
  const sorted = windows.toSorted((left, right) => left - right);
  const above = (place: number) => (sorted[place] ?? 0) / (sorted[0] ?? 0) - 1;
  const spread = above(STEADY_WINDOWS - 1);
  const lowest = windows.filter((count) => count <= (sorted[STEADY_WINDOWS - 1] ?? 0));
  const isOrdered = lowest.every((count, window) => window === 0 || count < (lowest[window - 1] ?? 0));
  const isFalling = isOrdered && spread > FALLING;
  return spread <= AGREEING && above(WINDOWS_COUNTED - 1) <= COLLECTING && !isFalling;
}
