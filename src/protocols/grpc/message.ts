import protobuf from 'protobufjs';
import { ConfigError } from '../../foundation/errors.ts';
import { isJsonMap, type Json } from '../../foundation/json.ts';
import { plainText } from '../../foundation/text.ts';
import type { Target, TargetRequest } from '../../model/load.ts';
import type { Service } from '../../model/service.ts';
import { readContract } from './contract.ts';
import { misfit, textOf, wellKnownFields } from './well-known.ts';

/** Messages of a request for protobufjs. Throws ConfigError if they do not fit the method. */
export function messagesFor(
  { resolvedRequestType, requestStream }: protobuf.Method,
  { call, body }: TargetRequest,
): readonly Record<string, unknown>[] {
  const type = resolvedRequestType as protobuf.Type;
  const isStream = Array.isArray(body);
  if (isStream !== (requestStream === true)) {
    throw isStream
      ? new ConfigError(`${call} takes one message, but \`messages\` is a stream`, {
          code: 'WG-112',
          next: 'Use `message` instead.',
        })
      : new ConfigError(`${call} takes a stream of messages`, {
          code: 'WG-112',
          next: `Set the messages of the stream: \`grpc: { call: ${call}, messages: [{ … }, { … }] }\`.`,
        });
  }
  if (!isStream) {
    return [messageFrom(type, body ?? {}, `${call}: message`)];
  }
  return body.map((message, index) => messageFrom(type, message, `${call}: messages.${index}`));
}

/** Target with its messages encoded. Throws ConfigError if one does not fit the contract, or if there are several methods. */
export function encodedTarget(target: Target, service: Service): Target {
  const [call = '', ...others] = new Set(target.requests.map((request) => request.call));
  if (others.length > 0) {
    throw new ConfigError(`one method is called at a time, but the operation has ${others.length + 1}`, {
      code: 'WG-105',
      next: 'Bind the operation to one gRPC method.',
    });
  }
  const method = readContract(service).method(call);
  const requests = target.requests.map((request) => ({
    ...request,
    messages: messagesFor(method, request).map((message) => encodedMessage(method, message).toString('base64')),
  }));
  const { requestStream = false, responseStream = false } = method;
  return { ...target, requests, method: { clientStreams: requestStream, serverStreams: responseStream } };
}

export function encodedMessage({ resolvedRequestType }: protobuf.Method, message: Record<string, unknown>): Buffer {
  const type = resolvedRequestType as protobuf.Type;
  return Buffer.from(type.encode(type.fromObject(message)).finish());
}

/** Message for protobufjs from its JSON form, by the rules of the load tools; `at` is its path in errors. */
export function messageFrom(type: protobuf.Type, value: Json, at: string): Record<string, unknown> {
  const fields = wellKnownFields(type.fullName, value, at) ?? value;
  if (!isJsonMap(fields)) {
    throw misfit(at, `must be a map of the fields of ${type.fullName.slice(1)}`, fields);
  }
  const known = fieldsByName(type);
  const message: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(fields)) {
    const field = known.get(key);
    if (field === undefined) {
      throw unknownField(type, below(at, key));
    }
    if (isSet(field, inner, below(at, key))) {
      if (Object.hasOwn(message, field.name)) {
        throw new ConfigError(`${below(at, key)}: is set twice, under both of its JSON names`, {
          code: 'WG-112',
          next: 'Remove one of them.',
        });
      }
      refuseSecondOfOne(field, message, at);
      message[field.name] = fieldFrom(field, inner, below(at, key));
    }
  }
  refuseMissing(type, message, at);
  return message;
}

/** JSON allows the name of a field and its camel case. */
function fieldsByName(type: protobuf.Type): ReadonlyMap<string, protobuf.Field> {
  const names = type.fieldsArray.flatMap((field): [string, protobuf.Field][] => [
    [field.name.replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase()), field],
    [field.name, field],
  ]);
  return new Map(names);
}

/** null unsets a field, unless its type is google.protobuf.Value. */
function isSet({ partOf, resolvedType }: protobuf.Field, value: Json, at: string): boolean {
  if (value === null && partOf !== null) {
    throw misfit(at, 'must not be null, because the load tools do not support it; remove it', value);
  }
  return value !== null || resolvedType?.fullName === '.google.protobuf.Value';
}

function fieldFrom(field: protobuf.Field, value: Json, at: string): unknown {
  if (field instanceof protobuf.MapField) {
    if (!isJsonMap(value)) {
      throw misfit(at, 'must be a map', value);
    }
    const entries = Object.entries(value).map(([key, inner]) => {
      // Keys of JSON are strings, also "true" and "false".
      const readKey = field.keyType === 'bool' && /^(true|false)$/.test(key) ? key === 'true' : key;
      return [
        String(scalarOf(field.keyType, readKey, below(at, key))),
        valueFrom(field, inner, below(at, key)),
      ] as const;
    });
    return Object.fromEntries(entries);
  }
  if (!field.repeated) {
    return valueFrom(field, value, at);
  }
  if (!Array.isArray(value)) {
    throw misfit(at, 'must be a list', value);
  }
  return value.map((inner: Json, index) => valueFrom(field, inner, `${at}.${index}`));
}

/** Value of a response of `prepare`, which is not known before the start. */
const LATER = /^\$\{prepare\.\w+\}$/;

function valueFrom({ resolvedType, type }: protobuf.Field, value: Json, at: string): unknown {
  if (type !== 'string' && LATER.test(textOf(value))) {
    return resolvedType instanceof protobuf.Type ? {} : 0;
  }
  if (resolvedType instanceof protobuf.Type) {
    return messageFrom(resolvedType, value, at);
  }
  return resolvedType instanceof protobuf.Enum ? enumFrom(resolvedType, value, at) : scalarOf(type, value, at);
}

function enumFrom({ values, fullName }: protobuf.Enum, value: Json, at: string): number {
  const found = typeof value === 'string' ? values[value] : value;
  // Enums are 32-bit integers.
  if (typeof found !== 'number' || found !== (found | 0)) {
    throw misfit(at, `must be one of ${fullName.slice(1)}: ${Object.keys(values).slice(0, 20).join(', ')}`, value);
  }
  return found;
}

function refuseSecondOfOne(
  { partOf, name }: protobuf.Field,
  message: Readonly<Record<string, unknown>>,
  at: string,
): void {
  const other = partOf?.oneof.find((one) => one !== name && one in message);
  if (other !== undefined) {
    throw new ConfigError(`${at}: has ${other} and ${name}, but ${partOf?.name} allows only one of them`, {
      code: 'WG-112',
      next: 'Remove one of them.',
    });
  }
}

function refuseMissing(type: protobuf.Type, message: Readonly<Record<string, unknown>>, at: string): void {
  const missing = type.fieldsArray.find((field) => field.required && !(field.name in message));
  if (missing !== undefined) {
    throw new ConfigError(`${at}.${missing.name}: is missing, but ${type.fullName.slice(1)} requires it`, {
      code: 'WG-112',
      next: 'Add it to the message.',
    });
  }
}

const LONGEST_KEY = 80;

function below(at: string, key: string): string {
  return `${at}.${plainText(key, LONGEST_KEY)}`;
}

function unknownField(type: protobuf.Type, at: string): ConfigError {
  const known = Object.keys(type.fields).slice(0, 30).join(', ') || 'none';
  return new ConfigError(`${at}: is an unknown field of ${type.fullName.slice(1)}`, {
    code: 'WG-112',
    next: `Available fields: ${known}.`,
  });
}

const SIGNED_32 = [-(2n ** 31n), 2n ** 31n - 1n] as const;

const SIGNED_64 = [-(2n ** 63n), 2n ** 63n - 1n] as const;

const UNSIGNED_32 = [0n, 2n ** 32n - 1n] as const;

const UNSIGNED_64 = [0n, 2n ** 64n - 1n] as const;

const RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: SIGNED_32,
  sint32: SIGNED_32,
  sfixed32: SIGNED_32,
  uint32: UNSIGNED_32,
  fixed32: UNSIGNED_32,
  int64: SIGNED_64,
  sint64: SIGNED_64,
  sfixed64: SIGNED_64,
  uint64: UNSIGNED_64,
  fixed64: UNSIGNED_64,
};

/** Number as text, such as from CSV. */
const WRITTEN_NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Scalar of a protobuf type for protobufjs; throws ConfigError if the value does not fit. */
export function scalarOf(type: string, value: Json, at: string): string | number | boolean {
  const range = RANGES[type];
  if (range !== undefined) {
    return wholeNumber(type, range, { value, at });
  }
  const read = OTHERS[type];
  const found = read?.from(value);
  if (found === undefined) {
    throw misfit(at, read?.expected ?? `must be a ${type}`, value);
  }
  return found;
}

interface Reading {
  readonly expected: string;
  readonly from: (value: Json) => string | number | boolean | undefined;
}

/** A number beyond the range of its type would be sent as infinity, so it is refused. */
function numberReading(type: string, most: number): Reading {
  return {
    expected: `must be a number up to ${most.toPrecision(3)} (${type}), or "Infinity", "-Infinity", "NaN"`,
    from(value) {
      if (typeof value === 'string' && /^(NaN|-?Infinity)$/.test(value)) {
        return Number(value);
      }
      const isNumber = typeof value === 'number' || (typeof value === 'string' && WRITTEN_NUMBER.test(value));
      return isNumber && Math.abs(Number(value)) <= most ? Number(value) : undefined;
    },
  };
}

const MAX_FLOAT = (2 - 2 ** -23) * 2 ** 127;

/** Lone surrogates cannot be encoded. */
const HALF_CHARACTER = /\p{Surrogate}/u;

const OTHERS: Readonly<Record<string, Reading>> = {
  double: numberReading('double', Number.MAX_VALUE),
  float: numberReading('float', MAX_FLOAT),
  bool: { expected: 'must be true or false', from: (value) => (typeof value === 'boolean' ? value : undefined) },
  string: {
    expected: 'must be a string (in quotation marks)',
    from: (value) => (typeof value === 'string' && !HALF_CHARACTER.test(value) ? value : undefined),
  },
  bytes: { expected: 'must be bytes in base64', from: (value) => (isBase64(value) ? value : undefined) },
};

/** Returns text, since a 64-bit number may exceed the safe integers of JavaScript. */
function wholeNumber(
  type: string,
  [least, most]: readonly [bigint, bigint],
  { value, at }: { readonly value: Json; readonly at: string },
): string {
  const isWhole = typeof value === 'number' ? Number.isInteger(value) : /^-?\d{1,20}$/.test(textOf(value));
  const number = isWhole ? BigInt(value as number | string) : undefined;
  if (number === undefined || number < least || number > most) {
    throw misfit(at, `must be a whole number from ${least} to ${most} (${type})`, value);
  }
  return String(number);
}

function isBase64(value: Json): value is string {
  return typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}
