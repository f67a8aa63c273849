import { KnownError, MeasurementError } from '../../foundation/errors.ts';
import type { Side } from '../../model/order.ts';

/** What went wrong with one of the two versions: a finding about it, not the end of the comparison. */
export class VersionFailure extends KnownError {
  readonly side: Side;

  constructor(side: Side, cause: MeasurementError) {
    super(cause.message, { cause, ...(cause.next !== undefined && { next: cause.next }) });
    this.side = side;
  }
}

/** Failures of the machine, and those that already name a version, pass as they are. */
export async function blaming<Result>(side: Side, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof MeasurementError ? new VersionFailure(side, thrown) : thrown;
  }
}
