import { type ErrorCode, KnownError, MeasurementError } from '../../foundation/errors.ts';
import type { Side } from '../../model/rounds.ts';
import type { FailureRecord } from '../../model/run/rounds.ts';
import { EngineLost } from '../../runtime/ended.ts';
import { AnswersVary } from './answers.ts';
import type { TrialBench } from './bench.ts';

const MAX_TEXT = 2000;

/** Record of a failure with its fix, without the values of secrets. */
export function failureRecord(
  failure: KnownError,
  { secrets: { mask }, adviceFor }: Pick<TrialBench, 'secrets' | 'adviceFor'>,
): FailureRecord {
  const { message, brief, printed, code } = failure;
  const next = adviceFor?.(failure) ?? failure.next;
  const reported = mask(brief).slice(0, MAX_TEXT);
  return {
    message: mask(message).slice(0, MAX_TEXT),
    code,
    ...(brief !== message && { brief: reported }),
    ...(printed !== undefined && { printed: mask(printed) }),
    ...(next !== undefined && { next: mask(next).slice(0, MAX_TEXT) }),
  };
}

export type Outcome<Result> =
  | { readonly ended: 'done'; readonly result: Result }
  | { readonly ended: 'failed'; readonly failure: KnownError }
  | { readonly ended: 'interrupted' };

/** Outcome of work that may fail or be aborted; rejects with an internal error. */
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

/**
 * Result of optional work on a service, without which the rounds continue; undefined if it is interrupted. A failure is logged in brief, after the
 * work that it prevents.
 */
export async function attempted<Result>(
  bench: Pick<TrialBench, 'signal' | 'progress' | 'secrets' | 'adviceFor'>,
  prevented: string,
  work: () => Promise<Result>,
): Promise<{ readonly result?: Result; readonly failure?: FailureRecord & { readonly brief: string } }> {
  const outcome = await outcomeOf(bench.signal, work);
  if (outcome.ended !== 'failed') {
    return outcome.ended === 'done' ? { result: outcome.result } : {};
  }
  const record = failureRecord(outcome.failure, bench);
  const { brief = record.message } = record;
  bench.progress.line(`${prevented}${brief}`);
  return { failure: { ...record, brief } };
}

/** Failure of one of two subjects: a finding about it, not the end of the comparison. */
export class SubjectFailure extends KnownError {
  readonly side: Side;

  constructor(side: Side, cause: MeasurementError) {
    const { message, brief, printed, next } = cause;
    super(message, { cause, brief, printed, next });
    this.side = side;
  }
}

/** Block that ended before the load tool got a turn: another program kept its core busy, which is not the subject's fault. */
export class NothingSent extends MeasurementError {
  static override readonly code: ErrorCode = 'WG-401';
}

/** Result of work on a subject; its MeasurementError becomes a SubjectFailure, except for errors of the engine, the load tool and varying responses. */
export async function blaming<Result>(side: Side, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    const isOfNeither = [AnswersVary, EngineLost, NothingSent].some((kind) => thrown instanceof kind);
    const isOfSubject = thrown instanceof MeasurementError && !isOfNeither;
    throw isOfSubject ? new SubjectFailure(side, thrown) : thrown;
  }
}
