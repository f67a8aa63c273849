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

/** Longer answers are refused: nobody compares them, and they would have to be kept. */
export const BODY_LIMIT_BYTES = 4 * 2 ** 20;
