import type * as z from 'zod';
import { ConfigError } from '../foundation/errors.ts';
import type { Json } from '../foundation/json.ts';
import { documentAddress } from '../foundation/text.ts';
import type { Reply, Target } from '../model/load.ts';
import type { ProtocolName, Service, Transport } from '../model/service.ts';
import type { Operation } from '../model/suite/suite.ts';
import type { Call } from './call.ts';
import type { contractReader } from './grpc/contract.ts';

/**
 * How an operation is asked for over one protocol, and what its answer means. `Source` is what a configuration says below the key with
 * the protocol's name, and `Binding` what an operation keeps of it. Everything is pure but the caller.
 */
export interface Protocol<Source = unknown, Binding = unknown> {
  readonly name: ProtocolName;
  /** What carries its requests, and so which load generator sends them. */
  readonly transport: Transport;
  /** What answers are read for under load, besides their status. */
  readonly checks?: Target['checked'];
  /** Whether its answers may be streams of messages. */
  readonly streams?: true;
  /** A binding as a configuration has it, for advice: "rest: GET /user/{id}". */
  readonly example: string;
  /** The schema of the key of an operation that has the protocol's name. */
  readonly schema: z.ZodType<Source>;
  /** What an operation keeps of that key. Throws ConfigError with file and line if the key says too little. */
  bindingOf(source: Source, place: BindingPlace): Binding;
  /** Throws ConfigError if the operation has no binding for this protocol or an argument is missing. */
  target(operation: Operation, service: Service, address: string): Target;
  /** A target, secrets filled in, with the bytes of its messages; undefined if its requests are bytes already. Throws ConfigError if a message does not fit. */
  encoded?(target: Target, service: Service): Target;
  /** The answer as JSON, equal for equal data whatever carried it; throws MeasurementError for one that is not as expected. */
  canonical(reply: Reply, operation: Operation): Json;
  /** What is checked of a service and its operations before anything is built. Throws ConfigError. */
  check?(service: Service, operations: readonly Operation[]): void;
  /** Asks services for single answers. */
  caller(contractOf: ReturnType<typeof contractReader>): Caller;
}

/** An operation in its file: what its binding is made with. */
export interface BindingPlace {
  /** For messages: the place of a key of the binding. */
  at(...steps: readonly (string | number)[]): string;
  /** The bytes of the file that such a key names, in base64; throws ConfigError if it cannot be read. */
  contentOf(file: string, ...steps: readonly (string | number)[]): string;
  /** The arguments of the operation. */
  readonly rows: readonly Readonly<Record<string, Json>>[];
}

/** Asks services over one protocol. Secrets are already filled in. */
export interface Caller {
  /** An answer of any status is a reply. Rejects with MeasurementError if none came in time. */
  call(call: Call): Promise<Reply>;
  /** See Client.described; not there if services of the protocol tell nothing about themselves. */
  described?(service: Service, address: string): Promise<Service>;
}

/** The error for a key that has to be there, at its place. */
export function missingKey(place: string): ConfigError {
  return new ConfigError(`${place}: is missing`, {
    code: 'WG-105',
    next: `All keys of this file: ${documentAddress('docs/config.md')}`,
  });
}

/** What `bindingOf` of a protocol made for an operation. Throws ConfigError if the operation has no binding for it. */
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

/** Does something for an operation, and says which one it was about if that throws a ConfigError. */
export function withOperation<Result>({ name }: Operation, action: () => Result): Result {
  try {
    return action();
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) {
      throw thrown;
    }
    const next = thrown.next === undefined ? {} : { next: thrown.next };
    throw new ConfigError(`operation ${name}: ${thrown.message}`, { cause: thrown, ...next });
  }
}
