import { createHash } from 'node:crypto';
import { MeasurementError } from '../foundation/errors.ts';
import type { Reply, TargetRequest } from '../model/load.ts';
import type { Service } from '../model/service.ts';
import type { Answer } from '../model/suite/http.ts';
import type { Operation } from '../model/suite/suite.ts';

export interface Running {
  readonly service: Service;
  readonly address: string;
}

export interface Call extends Running {
  readonly request: TargetRequest;
}

export const LIMIT_MS = 5000;

export function limitMsOf({ request }: Pick<Call, 'request'>): number {
  return request.deadlineMs ?? LIMIT_MS;
}

/** Longer responses are truncated, so they cannot be compared. */
export const BODY_LIMIT_BYTES = 4 * 2 ** 20;

export function answerOf(
  bytes: Buffer,
  { 'content-type': contentType, location }: Readonly<Record<string, string | undefined>> = {},
): Answer {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { contentType, location, text: bytes.toString('utf8'), bytes: bytes.length, sha256 };
}

/** Throws MeasurementError if a response was truncated and has to be compared. */
export function refuseCut({ cut }: Reply, { verify }: Pick<Operation, 'verify'>): void {
  if (cut !== undefined && verify !== 'status') {
    throw new MeasurementError(`the answer is ${cut}, too large to compare`, {
      code: 'WG-307',
      next: 'Request less data, or set `verify: status` for the operation.',
    });
  }
}
