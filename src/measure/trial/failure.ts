import { KnownError } from '../../foundation/errors.ts';
import type { FailureRecord } from '../../model/run/rounds.ts';
import type { TrialBench } from './bench.ts';

/** Longest text of a failure in `run.json`. */
const MOST_TEXT = 2000;

/** Record of a failure, with what to do about it, without the values of secrets. */
export function failureRecord(
  failure: KnownError,
  { secrets: { mask }, adviceFor }: Pick<TrialBench, 'secrets' | 'adviceFor'>,
): FailureRecord {
  const { message, brief, printed, code } = failure;
  const next = adviceFor?.(failure) ?? failure.next;
  const told = mask(brief).slice(0, MOST_TEXT);
  return {
    message: mask(message).slice(0, MOST_TEXT),
    code,
    ...(brief !== message && { brief: told }),
    ...(printed !== undefined && { printed: mask(printed) }),
    ...(next !== undefined && { next: mask(next).slice(0, MOST_TEXT) }),
  };
}

/** Result of work, the failure that ended it, or that it was aborted. */
export type Outcome<Result> =
  | { readonly ended: 'done'; readonly result: Result }
  | { readonly ended: 'failed'; readonly failure: KnownError }
  | { readonly ended: 'interrupted' };

/** Outcome of work that may fail or be aborted; rejects with a mistake of the program. */
export async function outcomeOf<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { ended: 'done', result: await work() };
  } catch (thrown) {
    if (signal.aborted) {
      return { ended: 'interrupted' };
    }
    if (thrown instanceof KnownError) {
      return { ended: 'failed', failure: thrown };
    }
    throw thrown;
  }
}
