import { median, seededRandom, seedOf, shuffled } from '../../foundation/index.ts';
import { type Operation, WINDOWS_COUNTED } from '../../model/index.ts';

/** Of all operations together, in one window, and in that of a service that answers fast. */
const REQUESTS_OF_WINDOW = { fewest: 200, most: 2000 };

/** So that what happens now and then is in a window of a rare operation, too. */
const FEWEST_REQUESTS = 20;

/** As long as a window takes at least, if it may have so many requests: then what a service does now and then is in each. */
const WINDOW_SECONDS = 1;

/** A service that has not settled by then does not. */
export const MOST_WINDOWS = 12;

/** Windows that agree to this share of a count show no warm-up any more. */
const AGREEING = 0.005;

/** How many requests a window has in all, for a service that took so long for the fewest. */
export function windowSize(seconds = WINDOW_SECONDS): number {
  const { fewest, most } = REQUESTS_OF_WINDOW;
  const times = Math.floor(WINDOW_SECONDS / Math.max(seconds, Number.EPSILON));
  return Math.min(most, fewest * Math.max(1, times));
}

/** How many requests of an operation a window of such a size has, by its share. */
export function requestsOfWindow({ share }: Pick<Operation, 'share'>, size: number): number {
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
 * The first window that counts, from 0: from it on the last windows agree. Undefined as long as none do. `perRequest` is what each window
 * so far counted for a request.
 */
export function warmFrom(perRequest: readonly number[]): number | undefined {
  const from = perRequest.length - WINDOWS_COUNTED;
  const last = perRequest.slice(Math.max(0, from));
  const spread = (Math.max(...last) - Math.min(...last)) / (median(last) ?? 0);
  return from >= 0 && spread <= AGREEING ? from : undefined;
}
