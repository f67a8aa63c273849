import type { Json } from '../../foundation/json.ts';
import { misfit } from './client-grpc-misfit.ts';

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

/** As text: what JSON has no number for, and what came out of a CSV. */
const WRITTEN_NUMBER = /^(NaN|-?Infinity|-?\d+(\.\d+)?([eE][+-]?\d+)?)$/;

/** A scalar of a protobuf type in the form that protobufjs takes; throws ConfigError where the value does not fit. */
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

const NUMBER: Reading = {
  expected: 'must be a number',
  from(value) {
    const isWritten = typeof value === 'string' && WRITTEN_NUMBER.test(value);
    return typeof value === 'number' || isWritten ? Number(value) : undefined;
  },
};

const OTHERS: Readonly<Record<string, Reading>> = {
  double: NUMBER,
  float: NUMBER,
  bool: { expected: 'must be true or false', from: (value) => (typeof value === 'boolean' ? value : undefined) },
  string: {
    expected: 'must be a text (in quotation marks)',
    from: (value) => (typeof value === 'string' ? value : undefined),
  },
  bytes: { expected: 'must be bytes in base64', from: (value) => (isBase64(value) ? value : undefined) },
};

/** As text, since a number of 64 bits may be more than JavaScript can count. */
function wholeNumber(
  type: string,
  [least, most]: readonly [bigint, bigint],
  { value, at }: { readonly value: Json; readonly at: string },
): string {
  const isWhole = typeof value === 'number' ? Number.isInteger(value) : /^-?\d{1,20}$/.test(String(value));
  const number = isWhole && typeof value !== 'boolean' ? BigInt(value as number | string) : undefined;
  if (number === undefined || number < least || number > most) {
    throw misfit(at, `must be a whole number from ${least} to ${most} (${type})`, value);
  }
  return String(number);
}

function isBase64(value: Json): value is string {
  return typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}
