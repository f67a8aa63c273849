import { MeasurementError } from '../foundation/errors.ts';
import type { Reply, TargetRequest } from '../model/load.ts';
import type { Service } from '../model/service.ts';
import type { Operation } from '../model/suite/suite.ts';

/** One request to a service. */
export interface Call {
  readonly service: Service;
  /** `host:port`. */
  readonly address: string;
  readonly request: TargetRequest;
}

/** After so long there is no answer, if the request says nothing else. */
export const LIMIT_MS = 5000;

/** How long to wait for the end of an answer, in ms. */
export function limitMsOf({ request }: Pick<Call, 'request'>): number {
  return request.deadlineMs ?? LIMIT_MS;
}

/** Of longer answers the rest is not kept, and so they cannot be compared. */
export const BODY_LIMIT_BYTES = 4 * 2 ** 20;

/** Throws MeasurementError if an answer was too long to be kept and is to be compared with others. */
export function refuseCut({ cut }: Reply, { verify }: Pick<Operation, 'verify'>): void {
  if (cut !== undefined && verify !== 'status') {
    throw new MeasurementError(`the answer is ${cut}, too large to compare`, {
      code: 'WG-307',
      next: 'Request less data, or set `verify: status` for the operation.',
    });
  }
}
