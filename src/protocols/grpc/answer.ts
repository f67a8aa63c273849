import protobuf from 'protobufjs';
import type { Json } from '../../foundation/json.ts';

type Fields = Readonly<Record<string, Json>>;

/**
 * An encoded message as JSON: all fields by the names of the contract, unset ones too, and messages of google.protobuf as JSON of
 * protobuf has them, so that a timestamp is the text that a REST service would give.
 */
export function jsonOf(type: protobuf.Type, encoded: Uint8Array): Json {
  const message = type.toObject(type.decode(encoded), { longs: Number, enums: String, bytes: String, defaults: true });
  // Message objects have classes of their own; what counts is what they say.
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
  ...Object.fromEntries(
    ['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'].map((name) => [
      `${name}Value`,
      ({ value }: Fields) => value,
    ]),
  ),
};

/** "" for none, else with 3, 6 or 9 digits. */
function fractionOf(nanos: number): string {
  if (nanos === 0) {
    return '';
  }
  const digits = String(nanos).padStart(9, '0');
  return `.${digits.replace(/(?:000){1,2}$/, '')}`;
}
