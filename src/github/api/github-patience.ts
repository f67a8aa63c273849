import { type Failure, retryAfterSeconds } from './github-answer.ts';

/** How long GitHub is waited for. */
export interface Patience {
  /** For one answer. */
  readonly requestMs: number;
  /** Before a failed request is repeated for the first time; then twice that, then four times, each by chance 0.5 to 1.5 times as long. */
  readonly firstWaitMs: number;
  /** For the end of rate limits, in all. */
  readonly limitMs: number;
  /** For the download of one artifact. */
  readonly downloadMs: number;
}

export const PATIENCE: Patience = { requestMs: 10_000, firstWaitMs: 1000, limitMs: 60_000, downloadMs: 60_000 };

/** How often a request is repeated. */
export const MOST_REPEATS = 3;

/** What a proxy or a server that is short of something answers, for a while. */
const PASSING = new Set([502, 503, 504]);

/** A request that failed. */
export interface FailedRequest {
  readonly failure: Failure;
  /** 0 for the first try. */
  readonly repeats: number;
  /** Whether it does no harm where GitHub has carried it out already. */
  readonly isRepeatable: boolean;
}

/** A moment, some chance, and what is left of Patience.limitMs. */
export interface Moment {
  readonly nowMs: number;
  /** From 0 to 1. */
  readonly random: number;
  readonly limitLeftMs: number;
}

/** Why and how long to wait before the request is repeated. */
export interface Wait {
  readonly why: 'limit' | 'failure';
  readonly ms: number;
}

/** How to wait before a request is repeated; undefined where it must not be, or would take too long. */
export function waitBeforeRepeat(
  { failure, repeats, isRepeatable }: FailedRequest,
  patience: Patience,
  { nowMs, random, limitLeftMs }: Moment,
): Wait | undefined {
  if (repeats >= MOST_REPEATS) {
    return undefined;
  }
  const growing = growingMs(patience, repeats, random);
  const seconds = retryAfterSeconds(failure, nowMs);
  if (seconds !== undefined) {
    const ms = Math.max(Math.ceil(seconds * 1000), growing);
    return ms <= limitLeftMs ? { why: 'limit', ms } : undefined;
  }
  return isPassing(failure) && (isRepeatable || isSurelyUndone(failure)) ? { why: 'failure', ms: growing } : undefined;
}

/** The wait before a request is repeated where GitHub says nothing; by chance, so that jobs that failed together do not come back together. */
export function growingMs({ firstWaitMs }: Patience, repeats: number, random: number): number {
  return Math.round(firstWaitMs * 2 ** repeats * (0.5 + random));
}

function isPassing(failure: Failure): boolean {
  return failure.kind === 'silence' || PASSING.has(failure.status);
}

function isSurelyUndone(failure: Failure): boolean {
  return failure.kind === 'silence' && !failure.isMaybeDone;
}
