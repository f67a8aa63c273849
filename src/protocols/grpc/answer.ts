import protobuf from 'protobufjs';
import type { Json } from '../../foundation/json.ts';
import { WRAPPERS } from './well-known.ts';

type Fields = Readonly<Record<string, Json>>;

/** JSON of an encoded message, with unset fields. Types of google.protobuf have their JSON form. */
export function jsonOf(type: protobuf.Type, encoded: Uint8Array): Json {
  const message = type.toObject(type.decode(encoded), { longs: Number, enums: String, bytes: String, defaults: true });
  // Converts instances of message classes to plain objects.
  return messageJson(type, JSON.parse(JSON.stringify(message)));
}

function messageJson(type: protobuf.Type, fields: Fields): Json {
  const [, known = ''] = /^\.google\.protobuf\.(\w+)$/.exec(type.fullName) ?? [];
  const own = Object.entries(fields).map(([name, value]): [string, Json] => {
    const field = type.fields[name];
    return [name, field === undefined ? value : fieldJson(field, value)];
  });
  const inner = Object.fromEntries(own);
  const written = WRITERS[known]?.(inner);
  return written === undefined ? inner : written;
}

function fieldJson(field: protobuf.Field, value: Json): Json {
  const { resolvedType } = field;
  if (!(resolvedType instanceof protobuf.Type) || value === null || typeof value !== 'object') {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((one: Fields) => messageJson(resolvedType, one));
  }
  const fields = value as Fields;
  return field.map
    ? Object.fromEntries(Object.entries(fields).map(([key, one]) => [key, messageJson(resolvedType, one as Fields)]))
    : messageJson(resolvedType, fields);
}

const WRITERS: Readonly<Record<string, (fields: Fields) => Json | undefined>> = {
  Timestamp: ({ seconds, nanos }) => {
    const at = new Date(Number(seconds) * 1000);
    const isTime = !Number.isNaN(at.getTime());
    return isTime ? `${at.toISOString().slice(0, -5)}${fractionOf(Number(nanos))}Z` : undefined;
  },
  Duration: ({ seconds, nanos }) => {
    const sign = Number(seconds) < 0 || Number(nanos) < 0 ? '-' : '';
    return `${sign}${Math.abs(Number(seconds))}${fractionOf(Math.abs(Number(nanos)))}s`;
  },
  FieldMask: ({ paths = [] }) =>
    (paths as readonly string[])
      .map((path) => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()))
      .join(','),
  Struct: ({ fields }) => fields,
  ListValue: ({ values }) => values,
  Value: (kinds) => {
    const [kind, value] = Object.entries(kinds)[0] ?? [];
    return kind === undefined || kind.startsWith('null') ? null : value;
  },
  ...Object.fromEntries(WRAPPERS.map((name) => [name, ({ value }: Fields) => value])),
};

/** Fraction of a second: empty for 0, else with 3, 6 or 9 digits. */
function fractionOf(nanos: number): string {
  if (nanos === 0) {
    return '';
  }
  const digits = String(nanos).padStart(9, '0');
  return `.${digits.replace(/(?:000){1,2}$/, '')}`;
}
