import { MeasurementError } from '../foundation/errors.ts';
import type { Reply, TargetRequest } from '../model/load.ts';
import type { Service } from '../model/service.ts';
import type { Operation } from '../model/suite/suite.ts';

export interface Call {
  readonly service: Service;
  readonly address: string;
  readonly request: TargetRequest;
}

export const LIMIT_MS = 5000;

export function limitMsOf({ request }: Pick<Call, 'request'>): number {
  return request.deadlineMs ?? LIMIT_MS;
}

/** Longer responses are truncated, so they cannot be compared. */
export const BODY_LIMIT_BYTES = 4 * 2 ** 20;

/** Throws MeasurementError if a response was truncated and has to be compared. */
export function refuseCut({ cut }: Reply, { verify }: Pick<Operation, 'verify'>): void {
  if (cut !== undefined && verify !== 'status') {
    throw new MeasurementError(`the answer is ${cut}, too large to compare`, {
      code: 'WG-307',
      next: 'Request less data, or set `verify: status` for the operation.',
    });
  }
}
