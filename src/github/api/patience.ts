import * as z from 'zod';

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
  /** Whether it does no harm if GitHub has carried it out already. */
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

/** How to wait before a request is repeated; undefined if it must not be, or would take too long. */
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

/** The wait before a request is repeated if GitHub says nothing; by chance, so that jobs that failed together do not come back together. */
export function growingMs({ firstWaitMs }: Patience, repeats: number, random: number): number {
  return Math.round(firstWaitMs * 2 ** repeats * (0.5 + random));
}

function isPassing(failure: Failure): boolean {
  return failure.kind === 'silence' || PASSING.has(failure.status);
}

function isSurelyUndone(failure: Failure): boolean {
  return failure.kind === 'silence' && !failure.isMaybeDone;
}

/** How a request to GitHub failed: with an answer that refuses, or without any. */
export type Failure =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, unknown>>;
      /** GitHub's own words: text from outside. */
      readonly words: string;
    }
  | {
      readonly kind: 'silence';
      /** Whether GitHub may have seen the request, and carried it out. */
      readonly isMaybeDone: boolean;
      readonly words: string;
    };

/** What fetch rejects with here: nothing came back that could be read. */
export class NoAnswer extends Error {
  readonly isMaybeDone: boolean;

  constructor(message: string, isMaybeDone: boolean) {
    super(message);
    this.name = 'NoAnswer';
    this.isMaybeDone = isMaybeDone;
  }
}

const answered = z.object({
  status: z.number(),
  message: z.string(),
  response: z.object({ headers: z.record(z.string(), z.unknown()) }),
});

/** Reads what Octokit throws; undefined for what is no failed request but a mistake of this program. */
export function failureOf(thrown: unknown): Failure | undefined {
  const parsed = answered.safeParse(thrown);
  if (parsed.success) {
    const { status, message, response } = parsed.data;
    return { kind: 'answer', status, headers: response.headers, words: message };
  }
  const silence = thrown instanceof Error && thrown.cause instanceof NoAnswer ? thrown.cause : thrown;
  return silence instanceof NoAnswer
    ? { kind: 'silence', isMaybeDone: silence.isMaybeDone, words: silence.message }
    : undefined;
}

/** Seconds until GitHub takes requests again, as it says or as it asks for if it does not say; undefined if no limit was hit. */
export function retryAfterSeconds(failure: Failure, nowMs: number): number | undefined {
  if (failure.kind === 'silence' || !(failure.status === 429 || failure.status === 403)) {
    return undefined;
  }
  const retryAfter = numberIn(failure, 'retry-after');
  if (retryAfter !== undefined) {
    return retryAfter;
  }
  const reset = numberIn(failure, 'x-ratelimit-reset');
  if (numberIn(failure, 'x-ratelimit-remaining') === 0 && reset !== undefined) {
    // A second more, since clocks differ and the reset is in whole seconds.
    return Math.max(0, reset - nowMs / 1000) + 1;
  }
  const isLimit = failure.status === 429 || /\brate limit\b/i.test(failure.words);
  return isLimit ? SECONDARY_LIMIT_SECONDS : undefined;
}

/** "If the retry-after header is not present, wait for at least one minute": GitHub's best practices for its REST API. */
const SECONDARY_LIMIT_SECONDS = 60;

function numberIn({ headers }: { readonly headers: Readonly<Record<string, unknown>> }, name: string) {
  const text = headers[name];
  return typeof text === 'string' && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}
