import {
  create,
  createFileRegistry,
  type DescMessage,
  fromJson,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf';
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  Edition,
  FeatureSet_EnumType,
  FeatureSet_FieldPresence,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  type FieldDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import protobuf from 'protobufjs';
import type { Json } from '../../src/foundation/json.ts';
import { readContract } from '../../src/protocols/grpc/contract.ts';

const TEXT = `syntax = "proto3";
package all.v1;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/any.proto";
enum Color { NONE = 0; RED = 1; }
message Inner { int32 some_value = 1; Inner deeper = 2; }
message All {
  int32 whole = 1; uint64 large = 2; double real = 3; bool flag = 4; string text = 5; bytes raw = 6; float half = 22;
  Color color = 7; Inner inner = 8; repeated Inner list = 9; map<string, int32> by_name = 10; map<bool, Inner> by_flag = 11;
  oneof choice { string left = 12; string right = 13; }
  google.protobuf.Timestamp at = 14; google.protobuf.Duration lasts = 15; google.protobuf.Int32Value maybe = 16;
  google.protobuf.Struct free = 17; google.protobuf.Value any_value = 18; google.protobuf.FieldMask mask = 19;
  google.protobuf.Any packed = 20; optional string perhaps = 21; repeated sint64 numbers = 23; map<int64, Color> by_number = 24;
}
service Everything { rpc Ask(All) returns (All); rpc Listen(stream All) returns (All); }
`;

/** A contract with a field of every kind. */
export const ALL_TYPES = readContract({
  name: 'all',
  proto: { root: 'p', file: 'all.proto', texts: { 'all.proto': TEXT } },
});

/** A message of its JSON form as the reference for TypeScript encodes it. Throws if it is no such message. */
export function referenceEncoder(type: protobuf.Type): (value: Json) => Uint8Array {
  const schema = schemaOf(type);
  return (value) => toBinary(schema, fromJson(schema, value as Parameters<typeof fromJson>[1]));
}

/** Namespaces become messages: the names of types are the same, and a file may then have all of them. */
function schemaOf(type: protobuf.Type): DescMessage {
  const { nestedType, enumType } = spaceOf(type.root);
  const file = {
    name: 'contract',
    syntax: 'editions',
    edition: Edition.EDITION_2023,
    messageType: nestedType,
    enumType,
  };
  const found = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] })).getMessage(
    type.fullName.slice(1),
  );
  if (found === undefined) {
    throw new Error(`${type.fullName} was lost`);
  }
  return found;
}

function spaceOf(space: protobuf.NamespaceBase): DescriptorProto {
  const inner = space.nestedArray;
  const spaces = inner.filter((one) => one instanceof protobuf.Namespace && !(one instanceof protobuf.Service));
  const fields = space instanceof protobuf.Type ? space.fieldsArray.map((field) => field.resolve()) : [];
  const oneofs = space instanceof protobuf.Type ? space.oneofsArray.map(({ name }) => name) : [];
  return create(DescriptorProtoSchema, {
    name: space.name,
    nestedType: [...spaces.map((one) => spaceOf(one as protobuf.Namespace)), ...fields.flatMap(entryOf)],
    enumType: inner.filter((one) => one instanceof protobuf.Enum).map(enumOf),
    oneofDecl: oneofs.map((name) => ({ name })),
    field: fields.map((field) => fieldOf(field, oneofs)),
  });
}

type Field = MessageInitShape<typeof FieldDescriptorProtoSchema>;

function fieldOf(field: protobuf.Field, oneofs: readonly string[]): Field {
  const { EXPLICIT, IMPLICIT } = FeatureSet_FieldPresence;
  const fieldPresence = field.hasPresence ? EXPLICIT : IMPLICIT;
  const isMap = field instanceof protobuf.MapField;
  return {
    name: field.name,
    jsonName: camelCase(field.name),
    number: field.id,
    label: field.repeated || isMap ? FieldDescriptorProto_Label.REPEATED : FieldDescriptorProto_Label.OPTIONAL,
    ...(isMap
      ? { type: FieldDescriptorProto_Type.MESSAGE, typeName: `${field.parent?.fullName}.${entryName(field)}` }
      : typeOf(field, field.type)),
    ...(field.partOf !== null && { oneofIndex: oneofs.indexOf(field.partOf.name) }),
    ...(!field.repeated && !isMap && { options: { features: { fieldPresence } } }),
  };
}

function entryOf(field: protobuf.Field): MessageInitShape<typeof DescriptorProtoSchema>[] {
  if (!(field instanceof protobuf.MapField)) {
    return [];
  }
  const label = FieldDescriptorProto_Label.OPTIONAL;
  const key = { name: 'key', jsonName: 'key', number: 1, label, type: scalarType(field.keyType) };
  const value = { name: 'value', jsonName: 'value', number: 2, label, ...typeOf(field, field.type) };
  return [{ name: entryName(field), field: [key, value], options: { mapEntry: true } }];
}

function typeOf({ resolvedType }: protobuf.Field, scalar: string): Pick<Field, 'type' | 'typeName'> {
  if (resolvedType === null) {
    return { type: scalarType(scalar) };
  }
  const isEnum = resolvedType instanceof protobuf.Enum;
  return {
    type: isEnum ? FieldDescriptorProto_Type.ENUM : FieldDescriptorProto_Type.MESSAGE,
    typeName: resolvedType.fullName,
  };
}

function scalarType(name: string): FieldDescriptorProto_Type {
  return FieldDescriptorProto_Type[name.toUpperCase() as keyof typeof FieldDescriptorProto_Type];
}

function enumOf({ name, values }: protobuf.ReflectionObject & { readonly values?: Record<string, number> }) {
  return {
    name,
    options: { features: { enumType: FeatureSet_EnumType.OPEN } },
    value: Object.entries(values ?? {}).map(([one, number]) => ({ name: one, number })),
  };
}

function entryName({ name }: protobuf.Field): string {
  return `${camelCase(`_${name}`)}Entry`;
}

function camelCase(name: string): string {
  return name.replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase());
}
