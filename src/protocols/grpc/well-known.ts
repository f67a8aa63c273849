import { ConfigError } from '../../foundation/errors.ts';
import { isJsonMap, type Json } from '../../foundation/json.ts';

type Fields = { readonly [field: string]: Json };

/** Fields of a google.protobuf message from its JSON form; undefined for other types. */
export function wellKnownFields(fullName: string, value: Json, at: string): Fields | undefined {
  const [, name = ''] = /^\.google\.protobuf\.(\w+)$/.exec(fullName) ?? [];
  const read = READERS[name];
  return read?.(value, at);
}

export const WRAPPERS = ['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'].map(
  (type) => `${type}Value`,
);

const READERS: Readonly<Record<string, (value: Json, at: string) => Fields>> = {
  Timestamp: timestamp,
  Duration: duration,
  FieldMask: fieldMask,
  Struct: (value, at) => ({ fields: mapOf(value, at) }),
  ListValue: (value) => ({ values: value }),
  Value: valueFields,
  Any: (_value, at) => {
    throw new ConfigError(`${at}: is a google.protobuf.Any, which is not supported in a message`, {
      code: 'WG-112',
      next: 'Remove the field, or use a call whose message does not need it.',
    });
  },
  ...Object.fromEntries(WRAPPERS.map((name) => [name, (value: Json) => ({ value })])),
};

const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z');

const LAST_TIME = Date.parse('9999-12-31T23:59:59Z');

function timestamp(value: Json, at: string): Fields {
  const [, seconds = '', fraction = '', zone = ''] = TIMESTAMP.exec(textOf(value)) ?? [];
  const milliseconds = Date.parse(`${seconds}${zone}`);
  if (typeof value !== 'string' || !(milliseconds >= FIRST_TIME && milliseconds <= LAST_TIME)) {
    throw misfit(at, 'must be a time like 2026-01-31T12:00:00Z, in the years 1 to 9999', value);
  }
  return { seconds: milliseconds / 1000, nanos: Number(fraction.padEnd(9, '0')) };
}

/** 10,000 years. */
const MAX_SECONDS = 315_576_000_000;

function duration(value: Json, at: string): Fields {
  const [, sign = '', seconds = '', fraction = ''] = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/.exec(textOf(value)) ?? [];
  if (typeof value !== 'string' || seconds === '' || Number(seconds) > MAX_SECONDS) {
    throw misfit(at, `must be a duration like 1.5s, of up to ${MAX_SECONDS} seconds`, value);
  }
  return { seconds: `${sign}${seconds}`, nanos: Number(`${sign}${fraction.padEnd(9, '0')}`) };
}

function fieldMask(value: Json, at: string): Fields {
  if (typeof value !== 'string' || value.includes('_')) {
    throw misfit(at, 'must be field names in camel case, separated by commas', value);
  }
  const snake = value.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return { paths: snake === '' ? [] : snake.split(',') };
}

function valueFields(value: Json): Fields {
  if (value === null) {
    return { nullValue: 0 };
  }
  if (Array.isArray(value)) {
    return { listValue: value };
  }
  return typeof value === 'object'
    ? { structValue: value }
    : { [`${typeof value === 'boolean' ? 'bool' : typeof value}Value`]: value };
}

function mapOf(value: Json, at: string): Json {
  if (!isJsonMap(value)) {
    throw misfit(at, 'must be a map', value);
  }
  return value;
}

/** Error for a value that does not fit its type; `at` is the path to it. */
export function misfit(at: string, expected: string, found: Json | undefined): ConfigError {
  return new ConfigError(`${at}: ${expected}, but is ${(JSON.stringify(found) ?? 'nothing').slice(0, 60)}`, {
    code: 'WG-112',
    next: 'Fix the message of the operation.',
  });
}

export function textOf(value: Json): string {
  return typeof value === 'string' ? value : '';
}
