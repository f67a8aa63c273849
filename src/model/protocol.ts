import type { Json } from '../foundation/json.ts';
import type { Answer } from './http.ts';
import type { Target } from './load.ts';
import type { ProtocolName, Service } from './service.ts';
import type { Operation } from './suite.ts';

/** What came back: the protocol's status word ("200", "OK", "NOT_FOUND") and the message or body. */
export interface Reply {
  readonly status: string;
  /** Undefined where it is none, or no JSON. */
  readonly body: Json | undefined;
  /** The body of an HTTP answer, JSON or not. */
  readonly answer?: Answer | undefined;
  /** That there was more of it than is kept, "longer than 4194304 bytes": what is here is the beginning, or nothing. */
  readonly cut?: string | undefined;
}

/** How an operation of a suite is asked for over one protocol, and what its answer means. All pure. */
export interface Protocol {
  readonly name: ProtocolName;
  /** Throws ConfigError where the operation has no binding for this protocol or an argument is missing. */
  target(operation: Operation, service: Service, address: string): Target;
  /** The answer without the protocol's dress, equal for equal data; throws MeasurementError for one that is not as expected. */
  canonical(reply: Reply, operation: Operation): Json;
}
