import type { TargetRequest } from '../core/load.ts';
import type { Service } from '../core/service.ts';

/** One request to a service. */
export interface Call {
  readonly service: Service;
  /** `host:port`. */
  readonly address: string;
  readonly request: TargetRequest;
}

/** After so long there is no answer. */
export const LIMIT_MS = 5000;

/** Of longer answers the rest is not kept, and so they cannot be compared. */
export const BODY_LIMIT_BYTES = 4 * 2 ** 20;
