import { type ErrorCode, KnownError, MeasurementError } from '../../foundation/errors.ts';
import type { Side } from '../../model/rounds.ts';
import { EngineLost } from '../../runtime/ended.ts';
import { AnswersVary } from './answers/answers.ts';

/** Failure of one of two subjects: a finding about it, not the end of the comparison. */
export class SubjectFailure extends KnownError {
  readonly side: Side;

  constructor(side: Side, cause: MeasurementError) {
    const { message, brief, printed, next } = cause;
    super(message, { cause, brief, ...(printed !== undefined && { printed }), ...(next !== undefined && { next }) });
    this.side = side;
  }
}

/** Block that was over before the load tool got a turn: something else kept its core busy, which is no fault of a subject. */
export class NothingSent extends MeasurementError {
  static override readonly code: ErrorCode = 'WG-401';
}

/** Result of work on a subject; its MeasurementError becomes a SubjectFailure, but for those of the engine, the load tool and varying answers. */
export async function blaming<Result>(side: Side, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    const isOfNeither = [AnswersVary, EngineLost, NothingSent].some((kind) => thrown instanceof kind);
    const isOfSubject = thrown instanceof MeasurementError && !isOfNeither;
    throw isOfSubject ? new SubjectFailure(side, thrown) : thrown;
  }
}
