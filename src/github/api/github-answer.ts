import { z } from 'zod';

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

/** Seconds until GitHub takes requests again, as it says or as it asks for where it does not say; undefined where no limit was hit. */
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
