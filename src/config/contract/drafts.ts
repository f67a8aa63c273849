import protobuf from 'protobufjs';
import { ConfigError } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import { nameAdvice } from '../../foundation/names.ts';
import type { Service } from '../../model/service.ts';
import type { GrpcSource } from '../../protocols/grpc/binding.ts';
import { type GrpcContract, readContract } from '../../protocols/grpc/contract.ts';
import {
  type ContractOrigin,
  type Draft,
  type Entry,
  type Expansion,
  givenRows,
  operationNameFrom,
} from '../operations/draft.ts';
import type { Row } from '../operations/feed.ts';

/**
 * Drafts of the method that an entry selects, or of all methods of a service, with the reasons why others are
 * skipped. The contract is that of the first service of the suite that has it. Throws ConfigError, with file and
 * line, if no contract in files has it.
 */
export function contractDrafts(entry: Entry, origin: ContractOrigin): Expansion {
  const { method, service } = origin;
  const contract = contractWith(service, entry);
  const calls = contract.calls.filter((call) => call.startsWith(`${service}/`));
  if (method === undefined) {
    return allDrafts(
      entry,
      calls.map((call) => contractCall(contract.method(call))),
    );
  }
  const call = `${service}/${method}`;
  if (!calls.includes(call)) {
    const known = calls.map((one) => one.slice(service.length + 1));
    throw unknown(entry, `method ${method} in ${service}`, method, known);
  }
  const found = contractCall(contract.method(call));
  if (found.message === undefined && givenRows(entry) === undefined && entry.found.grpc?.message === undefined) {
    throw noMessage(entry, call);
  }
  return { drafts: [draftOf(entry, found)], leftOut: [] };
}

function contractWith(service: string, entry: Entry): GrpcContract {
  const contracts = readable(entry).map(readContract);
  const found = contracts.find(({ calls }) => calls.some((call) => call.startsWith(`${service}/`)));
  if (found === undefined) {
    const known = [...new Set(contracts.flatMap(({ calls }) => calls.map((call) => call.split('/')[0] ?? '')))];
    throw unknown(entry, `service ${service}`, service, known);
  }
  return found;
}

/** Services whose contracts are in files. */
function readable({ place, at }: Entry): readonly Service[] {
  const callable = place.services().filter(({ protocol }) => protocol === 'grpc');
  const found = callable.filter(({ proto }) => proto !== undefined && !('reflection' in proto));
  const [first] = callable;
  if (first === undefined) {
    throw new ConfigError(`${at('from')}: no service in the suite uses gRPC, so there is no contract`, {
      code: 'WG-111',
      next: 'For an OpenAPI document, use the path of its file: `from: openapi.yaml`.',
    });
  }
  if (found.length === 0) {
    throw new ConfigError(
      `${at('from')}: ${first.name} provides its contract by reflection, which needs a running service: operations cannot be generated from it`,
      {
        code: 'WG-111',
        next: 'List the operations, like `grpc: user.v1.UserService/GetUser`, or add the contract: `proto: { root: proto, file: user/v1/user.proto }`.',
      },
    );
  }
  return found;
}

function unknown({ at }: Entry, what: string, name: string, known: readonly string[]): ConfigError {
  return new ConfigError(`${at('from')}: the contract has no ${what}`, {
    code: 'WG-111',
    next: nameAdvice(name, known, 'Available'),
  });
}

function allDrafts(entry: Entry, calls: readonly ContractCall[]): Expansion {
  const drafts = calls.filter(({ message }) => message !== undefined).map((call) => draftOf(entry, call));
  const leftOut = calls
    .filter(({ message }) => message === undefined)
    .map(({ call }) => ({ origin: call, line: `skipped ${call}: ${NO_MESSAGE}` }));
  if (drafts.length === 0) {
    throw noMessage(entry, leftOut[0]?.origin ?? '');
  }
  return { drafts, leftOut };
}

const NO_MESSAGE = 'cannot generate an example message, because a required field is recursive';

function noMessage({ at }: Entry, call: string): ConfigError {
  return new ConfigError(`${at('from')}: ${call}: ${NO_MESSAGE}`, {
    code: 'WG-111',
    next: `Add one: \`{ from: ${call}, arguments: [{ … }] }\`.`,
  });
}

/** Keys next to `from` take precedence. */
function draftOf(entry: Entry, { name, call, takesStream, message = {} }: ContractCall): Draft {
  const { found } = entry;
  const { grpc } = found;
  const stream = takesStream ? { message: { stream: [message] } } : {};
  const own: GrpcSource = {
    call: grpc?.call ?? call,
    ...(grpc?.metadata !== undefined && { metadata: grpc.metadata }),
    ...(grpc?.deadlineMs !== undefined && { deadlineMs: grpc.deadlineMs }),
    ...(grpc?.message === undefined ? stream : { message: grpc.message }),
  };
  return {
    entry,
    name: found.name ?? name,
    weight: found.weight,
    verify: found.verify,
    rows: givenRows(entry) ?? [takesStream ? {} : message],
    sources: { ...found, grpc: own },
    origin: call,
  };
}

/** Deeper and recursive messages are omitted. */
const DEEPEST = 3;

/** Example message of a type, with a value in each field that has an obvious one. Undefined if a required field has none. */
function messageOf(type: protobuf.Type, within: readonly protobuf.Type[]): Row | undefined {
  // Only the first field of a oneof is set.
  const fields = type.fieldsArray.filter((field) => {
    const [first = field] = field.partOf?.fieldsArray ?? [];
    return first === field;
  });
  const values = fields.map((field) => ({ field, value: exampleIn(field, [...within, type]) }));
  if (values.some(({ field, value }) => field.required && value === undefined)) {
    return undefined;
  }
  return Object.fromEntries(values.flatMap(({ field, value }) => (value === undefined ? [] : [[field.name, value]])));
}

function exampleIn(field: protobuf.Field, within: readonly protobuf.Type[]): Json | undefined {
  if (field instanceof protobuf.MapField) {
    return undefined;
  }
  const one = plainValue(field.type) ?? composedValue(field, within);
  return field.repeated && one !== undefined ? [one] : one;
}

const WELL_KNOWN: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['google.protobuf.Timestamp', '2026-01-31T12:00:00Z'],
  ['google.protobuf.Duration', '1.5s'],
  ['google.protobuf.StringValue', 'example'],
  ['google.protobuf.BoolValue', true],
  ['google.protobuf.Int32Value', 1],
  ['google.protobuf.Int64Value', 1],
  ['google.protobuf.UInt32Value', 1],
  ['google.protobuf.UInt64Value', 1],
]);

function plainValue(type: string): Json | undefined {
  if (type === 'string' || type === 'bool' || type === 'bytes') {
    return { string: 'example', bool: true, bytes: 'ZXhhbXBsZQ==' }[type];
  }
  return !Object.hasOwn(protobuf.types.basic, type) ? WELL_KNOWN.get(type.replace(/^\./, '')) : 1;
}

function composedValue(field: protobuf.Field, within: readonly protobuf.Type[]): Json | undefined {
  const type = field.type.replace(/^\./, '').startsWith('google.') ? null : field.parent?.lookup(field.type);
  if (type instanceof protobuf.Enum) {
    return Object.keys(type.values)[0];
  }
  return type instanceof protobuf.Type && within.length <= DEEPEST && !within.includes(type)
    ? messageOf(type, within)
    : undefined;
}

/** Method of a contract, as an operation calls it. */
interface ContractCall {
  /** Default name of the operation. */
  readonly name: string;
  /** Service and method: "user.v1.UserService/GetUser". */
  readonly call: string;
  readonly takesStream: boolean;
  /** Example of its request message; undefined if none can be generated. */
  readonly message: Row | undefined;
}

export function contractCall(method: protobuf.Method): ContractCall {
  const type = method.parent?.lookup(method.requestType);
  return {
    name: operationNameFrom([method.name], 'call'),
    call: `${method.parent?.fullName.slice(1) ?? ''}/${method.name}`,
    takesStream: method.requestStream === true,
    message: type instanceof protobuf.Type ? messageOf(type, []) : {},
  };
}
