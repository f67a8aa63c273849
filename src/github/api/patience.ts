import * as z from 'zod';

/** Timeouts and waits for GitHub. */
export interface Patience {
  /** Timeout of one response. */
  readonly requestMs: number;
  /** Wait before the first retry; doubled for each further one, and multiplied by a random factor of 0.5 to 1.5. */
  readonly firstWaitMs: number;
  /** Total wait for rate limits. */
  readonly limitMs: number;
  /** Timeout of the download of one artifact. */
  readonly downloadMs: number;
}

export const PATIENCE: Patience = { requestMs: 10_000, firstWaitMs: 1000, limitMs: 60_000, downloadMs: 60_000 };

/** Maximum number of retries of a request. */
export const MAX_REPEATS = 3;

/** Transient statuses of proxies and overloaded servers. */
const PASSING = new Set([502, 503, 504]);

/**
 * Wait before a retry; undefined if the request must not be repeated, or the wait would be too long. `isRepeatable` is true if repeating it is
 * safe after a success, `random` is from 0 to 1, and `limitLeftMs` is the rest of `Patience.limitMs`.
 */
export function waitBeforeRepeat(
  {
    failure,
    repeats,
    isRepeatable,
  }: { readonly failure: Failure; readonly repeats: number; readonly isRepeatable: boolean },
  patience: Patience,
  { nowMs, random, limitLeftMs }: Readonly<Record<'nowMs' | 'random' | 'limitLeftMs', number>>,
): { readonly why: 'limit' | 'failure'; readonly ms: number } | undefined {
  if (repeats >= MAX_REPEATS) {
    return undefined;
  }
  const growing = growingMs(patience, repeats, random);
  const seconds = retryAfterSeconds(failure, nowMs);
  if (seconds !== undefined) {
    const ms = Math.max(Math.ceil(seconds * 1000), growing);
    return ms <= limitLeftMs ? { why: 'limit', ms } : undefined;
  }
  const isTransient = failure.kind === 'silence' || PASSING.has(failure.status);
  const isSafe = isRepeatable || (failure.kind === 'silence' && !failure.isMaybeDone);
  return isTransient && isSafe ? { why: 'failure', ms: growing } : undefined;
}

/** Wait in milliseconds if GitHub states none; random, so that jobs that failed together do not retry together. */
export function growingMs({ firstWaitMs }: Patience, repeats: number, random: number): number {
  return Math.round(firstWaitMs * 2 ** repeats * (0.5 + random));
}

/** Failure of a request: an error response, or none. */
export type Failure =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, unknown>>;
      /** Message of GitHub: untrusted text. */
      readonly words: string;
    }
  | {
      readonly kind: 'silence';
      /** True if GitHub may have received and executed the request. */
      readonly isMaybeDone: boolean;
      readonly words: string;
    };

/** Error for a request without a readable response. */
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

/** Failure in an error of Octokit; undefined for other errors, which are bugs. */
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

/** Seconds until GitHub accepts requests again, by its headers or its documented default; undefined if no limit was hit. */
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
    // One second more, since clocks differ and the reset is in whole seconds.
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
