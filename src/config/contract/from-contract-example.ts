import protobuf from 'protobufjs';
import type { Json } from '../../foundation/json.ts';
import type { Row } from '../operations/feed.ts';

/** Deeper messages are left out, as are those that hold themselves. */
const DEEPEST = 3;

/**
 * A message of a type with a value in each field; what cannot be told is left out. Made for a reader to change. Undefined where that
 * is a field that must be there.
 */
export function exampleMessage(space: protobuf.NamespaceBase | null, typeName: string): Row | undefined {
  const type = space?.lookup(typeName);
  return type instanceof protobuf.Type ? messageOf(type, []) : {};
}

/** `within` are the types that it is a part of. */
function messageOf(type: protobuf.Type, within: readonly protobuf.Type[]): Row | undefined {
  const fields = type.fieldsArray.filter((field) => !isLaterOfOneof(field));
  const values = fields.map((field) => ({ field, value: exampleIn(field, [...within, type]) }));
  if (values.some(({ field, value }) => field.required && value === undefined)) {
    return undefined;
  }
  return Object.fromEntries(values.flatMap(({ field, value }) => (value === undefined ? [] : [[field.name, value]])));
}

/** Only one field of a oneof may be set. */
function isLaterOfOneof(field: protobuf.Field): boolean {
  return field.partOf !== null && field.partOf?.fieldsArray[0] !== undefined && field.partOf.fieldsArray[0] !== field;
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
