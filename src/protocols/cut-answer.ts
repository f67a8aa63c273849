import { MeasurementError } from '../foundation/errors.ts';
import type { Reply } from '../model/protocol.ts';
import type { Operation } from '../model/suite.ts';

/** Throws MeasurementError where an answer was too long to be kept and is to be compared with others. */
export function refuseCut({ cut }: Reply, { verify }: Pick<Operation, 'verify'>): void {
  if (cut !== undefined && verify !== 'status') {
    throw new MeasurementError(`the answer is ${cut}, and so not kept and compared`, {
      next: 'Ask for less, or say `verify: status` of the operation.',
    });
  }
}
