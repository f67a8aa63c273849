import type * as z from 'zod';
import { ConfigError } from '../foundation/errors.ts';
import type { Json } from '../foundation/json.ts';
import { documentAddress } from '../foundation/text.ts';
import type { Reply, Target } from '../model/load.ts';
import type { ProtocolName, Service, Transport } from '../model/service.ts';
import type { Operation } from '../model/suite/suite.ts';
import type { Call } from './call.ts';

/** Requests and responses over one protocol. `Source` is the key of an operation, `Binding` its result. Pure, except `call`. */
export interface Protocol<Source = unknown, Binding = unknown> {
  readonly name: ProtocolName;
  /** Transport, which determines the load generator. */
  readonly transport: Transport;
  /** Check of responses under load, in addition to the status. */
  readonly checks?: Target['checked'];
  readonly streams?: true;
  /** Example of a binding in a configuration, for advice: "rest: GET /user/{id}". */
  readonly example: string;
  readonly schema: z.ZodType<Source>;
  /** Binding of that key. Throws ConfigError, with file and line, if it is incomplete. */
  bindingOf(source: Source, place: BindingPlace): Binding;
  /** Throws ConfigError if the operation has no binding for this protocol or an argument is missing. */
  target(operation: Operation, service: Service, address: string): Target;
  /** Target with encoded messages, after secrets are filled in; undefined if requests are bytes already. */
  encoded?(target: Target, service: Service): Target;
  /** Response as JSON, equal for equal data over any protocol. Throws MeasurementError if it is not as expected. */
  canonical(reply: Reply, operation: Operation): Json;
  /** Validates a service and its operations before anything is built. Throws ConfigError. */
  check?(service: Service, operations: readonly Operation[]): void;
  /** A response of any status is a reply. Rejects with MeasurementError if none arrives in time. */
  call(call: Call): Promise<Reply>;
}

export interface BindingPlace {
  at(...steps: readonly (string | number)[]): string;
  /** Base64 of the file that such a key names. Throws ConfigError if it cannot be read. */
  contentOf(file: string, ...steps: readonly (string | number)[]): string;
  readonly rows: readonly Readonly<Record<string, Json>>[];
}

export function missingKey(place: string): ConfigError {
  return new ConfigError(`${place}: is missing`, {
    code: 'WG-105',
    next: `All keys of this file: ${documentAddress('docs/config.md')}`,
  });
}

export function boundTo<Binding>(
  operation: Operation,
  { name, example }: Pick<Protocol<never, Binding>, 'name' | 'example' | 'bindingOf'>,
): Binding {
  const binding = operation.bindings[name];
  if (binding === undefined) {
    throw new ConfigError(`operation ${operation.name} has no \`${name}\` binding`, {
      code: 'WG-105',
      next: `Add one to the suite, like \`${example}\`.`,
    });
  }
  return binding as Binding;
}

export function withOperation<Result>({ name }: Operation, action: () => Result): Result {
  try {
    return action();
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) {
      throw thrown;
    }
    throw new ConfigError(`operation ${name}: ${thrown.message}`, { cause: thrown, next: thrown.next });
  }
}
