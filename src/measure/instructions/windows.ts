import { seededRandom, seedOf, shuffled } from '../../foundation/index.ts';
import { type CountedStart, type Operation, WINDOWS_COUNTED, WINDOWS_PLAYED } from '../../model/index.ts';

/** Of all operations together, in one window, and in that of a service that answers fast. */
const REQUESTS_OF_WINDOW = { fewest: 100, most: 2000 };

/** Of a rare operation: else a timer that goes off in a window would weigh too much. */
const FEWEST_REQUESTS = 50;

/** As long as a window takes at least, if it may have so many requests. */
const WINDOW_SECONDS = 1;

/** A service that has not settled by then does not. */
export const MOST_WINDOWS = 12;

/** Windows that agree to this share of a count show no warm-up any more. */
const AGREEING = 0.005;

/** Unless each of them counts less than the one before, and the last so much less than the first: then the next ones do, too. */
const FALLING = 0.001;

/** How many requests of an operation a window has. */
export type Requests = (operation: Pick<Operation, 'name' | 'share'>) => number;

/** Gives the requests of the windows of a start in which the fewest took so many seconds. */
export type Sizing = (seconds: number) => Requests;

/** All windows of a service, in both versions, have as many requests: the start that asks first decides. */
export function firstSizing(): Sizing {
  let size: number | undefined;
  return (seconds) => {
    size ??= windowSize(seconds);
    const decided = size;
    return (operation) => requestsOfWindow(operation, decided);
  };
}

/** Windows like those of a start before, whatever the fewest took. */
export function sizingLike({ operations }: CountedStart): Sizing {
  return () =>
    ({ name }) =>
      operations.find(({ operation }) => operation === name)?.requests ?? FEWEST_REQUESTS;
}

/** How many requests a window has in all, for a service that took so long for the fewest. */
export function windowSize(seconds: number): number {
  const { fewest, most } = REQUESTS_OF_WINDOW;
  const times = Math.floor(WINDOW_SECONDS / Math.max(seconds, Number.EPSILON));
  return Math.min(most, fewest * Math.max(1, times));
}

/** How many requests of an operation a window of such a size has, by its share; of the fewest if none is given. */
export function requestsOfWindow({ share }: Pick<Operation, 'share'>, size = REQUESTS_OF_WINDOW.fewest): number {
  return Math.max(FEWEST_REQUESTS, Math.round(share * size));
}

/**
 * An operation with the rows that so many requests ask for, in an order that the seed decides. Each window, each start and both versions
 * get the same ones; of a feed that is longer than a window some.
 */
export function rowsOfWindow(operation: Operation, seed: number, requests: number): Operation {
  const rows = shuffled(operation.arguments, seededRandom(seedOf(seed, 'instructions', operation.name)));
  return { ...operation, arguments: rows.slice(0, requests) };
}

/**
 * The first window that may count, from 0: of the last five, the three that count agree for every operation, and do not fall any more. The
 * others may hold a garbage collection. Undefined as long as they do not. `counts` are those of each operation, window by window.
 */
export function warmFrom(counts: readonly (readonly number[])[]): number | undefined {
  const from = Math.min(...counts.map(({ length }) => length)) - WINDOWS_PLAYED;
  return from >= 0 && counts.every((windows) => isSteady(windows.slice(-WINDOWS_PLAYED))) ? from : undefined;
}

function isSteady(windows: readonly number[]): boolean {
  const limit = windows.toSorted((left, right) => left - right)[WINDOWS_COUNTED - 1] ?? 0;
  const lowest = windows.filter((count) => count <= limit);
  const spread = (limit - Math.min(...lowest)) / limit;
  const isOrdered = lowest.every((count, window) => window === 0 || count < (lowest[window - 1] ?? 0));
  return spread <= AGREEING && !(isOrdered && spread > FALLING);
}
