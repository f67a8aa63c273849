import protobuf from 'protobufjs';
import { ConfigError } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import { isJsonObject, misfit } from './client-grpc-misfit.ts';
import { scalarOf } from './client-grpc-scalar.ts';
import { wellKnownFields } from './client-grpc-well-known.ts';

/**
 * A message as protobufjs makes it, of its JSON form, by the same rules as the load tools read it. Throws ConfigError that names the
 * field where it does not fit; `at` is what leads to the message.
 */
export function messageFrom(type: protobuf.Type, value: Json, at: string): Record<string, unknown> {
  const fields = wellKnownFields(type.fullName, value, at) ?? value;
  if (!isJsonObject(fields)) {
    throw misfit(at, `must be a map of the fields of ${type.fullName.slice(1)}`, fields);
  }
  const known = fieldsByName(type);
  const message: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(fields)) {
    const field = known.get(key);
    if (field === undefined) {
      throw unknownField(type, `${at}.${key}`);
    }
    if (isSet(field, inner, `${at}.${key}`)) {
      refuseSecondOfOne(field, message, at);
      message[field.name] = fieldFrom(field, inner, `${at}.${key}`);
    }
  }
  refuseMissing(type, message, at);
  return message;
}

/** JSON knows a field by its name and by that in camel case. */
function fieldsByName(type: protobuf.Type): ReadonlyMap<string, protobuf.Field> {
  const names = type.fieldsArray.flatMap((field): [string, protobuf.Field][] => [
    [field.name.replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase()), field],
    [field.name, field],
  ]);
  return new Map(names);
}

/** A null stands for nothing, except where it is a value. */
function isSet({ partOf, resolvedType }: protobuf.Field, value: Json, at: string): boolean {
  if (value === null && partOf !== null) {
    throw misfit(at, 'must not be null, as no load tool takes that here; leave it out', value);
  }
  return value !== null || resolvedType?.fullName === '.google.protobuf.Value';
}

function fieldFrom(field: protobuf.Field, value: Json, at: string): unknown {
  if (field instanceof protobuf.MapField) {
    if (!isJsonObject(value)) {
      throw misfit(at, 'must be a map', value);
    }
    const entries = Object.entries(value).map(([key, inner]) => {
      // A key of JSON is text, and a boolean one is true or false.
      const readKey = field.keyType === 'bool' && /^(true|false)$/.test(key) ? key === 'true' : key;
      return [
        String(scalarOf(field.keyType, readKey, `${at}.${key}`)),
        valueFrom(field, inner, `${at}.${key}`),
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

function valueFrom({ resolvedType, type }: protobuf.Field, value: Json, at: string): unknown {
  if (resolvedType instanceof protobuf.Type) {
    return messageFrom(resolvedType, value, at);
  }
  return resolvedType instanceof protobuf.Enum ? enumFrom(resolvedType, value, at) : scalarOf(type, value, at);
}

function enumFrom({ values, fullName }: protobuf.Enum, value: Json, at: string): number {
  const found = typeof value === 'string' ? values[value] : value;
  if (typeof found !== 'number' || !Number.isInteger(found)) {
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
    throw new ConfigError(`${at}: has ${other} and ${name}, and ${partOf?.name} may be only one of them`, {
      next: 'Leave one of them out.',
    });
  }
}

function refuseMissing(type: protobuf.Type, message: Readonly<Record<string, unknown>>, at: string): void {
  const missing = type.fieldsArray.find((field) => field.required && !(field.name in message));
  if (missing !== undefined) {
    throw new ConfigError(`${at}.${missing.name}: is missing, and ${type.fullName.slice(1)} requires it`, {
      next: 'Add it to the message.',
    });
  }
}

function unknownField(type: protobuf.Type, at: string): ConfigError {
  const known = Object.keys(type.fields).slice(0, 30).join(', ') || 'none';
  return new ConfigError(`${at}: is no field of ${type.fullName.slice(1)}`, { next: `Fields there: ${known}.` });
}
