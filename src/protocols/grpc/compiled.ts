import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import { ConfigError } from '../../foundation/index.ts';
import type { Contract, ProtoSource, Service } from '../../model/index.ts';
import { textRoot } from './contract.ts';
import { fileOf, lineOf } from './source.ts';

/** At the beginning of a line, so that a text about editions is none. */
const EDITION = /^[\t ]*edition\s*=/m;

const compiled = new WeakMap<ProtoSource, Contract>();

/**
 * The contract in the form that the load tools get. They do not read `.proto` files with an edition, so a contract with one is compiled
 * here, from what this program verifies answers with. Throws ConfigError with file and line if a file cannot be compiled for them.
 */
export function loadableContract({ name, proto }: Pick<Service, 'name' | 'proto'>): Contract | undefined {
  if (proto === undefined || !('texts' in proto) || !Object.values(proto.texts).some((text) => EDITION.test(text))) {
    return proto;
  }
  const known = compiled.get(proto);
  if (known !== undefined) {
    return known;
  }
  const root = textRoot(name, proto);
  const files = filesIn(root);
  const hasEdition = [...files.keys()].some((path) => EDITION.test(proto.texts[path] ?? ''));
  const contract = hasEdition ? compiledSet({ service: name, proto, files }) : proto;
  compiled.set(proto, contract);
  return contract;
}

/** The definitions at the top of each file, by its path. */
type Files = ReadonlyMap<string, readonly protobuf.ReflectionObject[]>;

function filesIn(space: protobuf.NamespaceBase, files = new Map<string, protobuf.ReflectionObject[]>()): Files {
  for (const one of space.nestedArray) {
    if (isDefinition(one)) {
      const path = fileOf(one);
      files.set(path, [...(files.get(path) ?? []), one]);
    } else if (one instanceof protobuf.Namespace) {
      filesIn(one, files);
    }
  }
  return files;
}

function isDefinition(one: protobuf.ReflectionObject): one is protobuf.Type | protobuf.Enum | protobuf.Service {
  return one instanceof protobuf.Type || one instanceof protobuf.Enum || one instanceof protobuf.Service;
}

interface Compiling {
  readonly service: string;
  readonly proto: ProtoSource;
  readonly files: Files;
}

/**
 * Every file in the words of proto2, which can say of each field what an edition says of it: `required`, `packed`, a group. A message
 * in them has the same bytes, whatever it was written in.
 */
function compiledSet(compiling: Compiling): Contract {
  const { proto, files } = compiling;
  const file = inOrder([...files].map(([name, definitions]) => fileDescriptor(compiling, name, definitions)));
  const bytes = descriptor.FileDescriptorSet.encode(descriptor.FileDescriptorSet.fromObject({ file })).finish();
  return { descriptorSet: Buffer.from(bytes).toString('base64'), origin: proto.file };
}

/** Each file behind those that it depends on, as readers of a set expect it. */
function inOrder<Descriptor extends { readonly name: string; readonly dependency: readonly string[] }>(
  files: readonly Descriptor[],
): readonly Descriptor[] {
  const ordered = new Set<Descriptor>();
  const add = (file: Descriptor): void => {
    for (const dependency of files.filter(({ name }) => file.dependency.includes(name) && name !== file.name)) {
      add(dependency);
    }
    ordered.add(file);
  };
  files.forEach(add);
  return [...ordered];
}

function fileDescriptor(compiling: Compiling, name: string, definitions: readonly protobuf.ReflectionObject[]) {
  const used = definitions.flatMap(typesUsedBy).map(fileOf);
  return {
    name,
    package: definitions[0]?.parent?.fullName.slice(1),
    syntax: 'proto2',
    dependency: [...new Set(used)].filter((path) => path !== name),
    messageType: definitions.flatMap((one) => (one instanceof protobuf.Type ? [messageOf(compiling, one)] : [])),
    enumType: definitions.flatMap((one) => (one instanceof protobuf.Enum ? [enumOf(one)] : [])),
    service: definitions.flatMap((one) => (one instanceof protobuf.Service ? [serviceOf(one)] : [])),
  };
}

function typesUsedBy(one: protobuf.ReflectionObject): readonly protobuf.ReflectionObject[] {
  if (one instanceof protobuf.Service) {
    return one.methodsArray.flatMap(({ resolvedRequestType: asked, resolvedResponseType: answered }) =>
      [asked, answered].filter((type) => type !== null),
    );
  }
  return one instanceof protobuf.Type
    ? [...ownFields(one).flatMap(({ resolvedType }) => resolvedType ?? []), ...one.nestedArray.flatMap(typesUsedBy)]
    : [];
}

/** Without extensions that other files add to it: no message of an operation has one. */
function ownFields(type: protobuf.Type): readonly protobuf.Field[] {
  return type.fieldsArray.filter(({ declaringField }) => declaringField === null);
}

function messageOf(compiling: Compiling, type: protobuf.Type): object {
  const fields = ownFields(type);
  const oneofs = type.oneofsArray.filter((oneof) => !oneof.isProto3Optional);
  const inner = type.nestedArray;
  return {
    name: type.name,
    field: fields.map((field) => ({ ...fieldOf(compiling, field), ...oneofIndexOf(field, oneofs) })),
    oneofDecl: oneofs.map(({ name }) => ({ name })),
    nestedType: [
      ...inner.flatMap((one) => (one instanceof protobuf.Type ? [messageOf(compiling, one)] : [])),
      ...fields.flatMap((field) => (field instanceof protobuf.MapField ? [mapEntry(field)] : [])),
    ],
    enumType: inner.flatMap((one) => (one instanceof protobuf.Enum ? [enumOf(one)] : [])),
  };
}

function oneofIndexOf({ partOf }: protobuf.Field, oneofs: readonly protobuf.OneOf[]): { oneofIndex?: number } {
  const oneofIndex = partOf === null ? -1 : oneofs.indexOf(partOf);
  return oneofIndex < 0 ? {} : { oneofIndex };
}

const LABELS = { optional: 1, required: 2, repeated: 3 } as const;

const GROUP = 10;

const MESSAGE = 11;

const ENUM = 14;

const SCALARS: Readonly<Record<string, number>> = {
  ...{ double: 1, float: 2, int64: 3, uint64: 4, int32: 5, fixed64: 6, fixed32: 7, bool: 8, string: 9, bytes: 12 },
  ...{ uint32: 13, sfixed32: 15, sfixed64: 16, sint32: 17, sint64: 18 },
};

function fieldOf(compiling: Compiling, field: protobuf.Field): object {
  const { name, id, repeated, required } = field;
  const common = { name, number: id, jsonName: camelCase(name) };
  if (field instanceof protobuf.MapField) {
    const typeName = `${field.parent?.fullName}.${mapEntryName(name)}`;
    return { ...common, label: LABELS.repeated, type: MESSAGE, typeName };
  }
  const type = typeOf(field);
  if (field.delimited) {
    refuseOtherThanGroup(compiling, field);
    type.type = GROUP;
  }
  const label = repeated ? LABELS.repeated : required ? LABELS.required : LABELS.optional;
  const isPackable = repeated && type.type !== SCALARS['string'] && type.type !== SCALARS['bytes'] && !isMessage(field);
  return { ...common, label, ...type, ...(isPackable && { options: { packed: field.packed } }) };
}

function isMessage({ resolvedType }: protobuf.Field): boolean {
  return resolvedType instanceof protobuf.Type;
}

function typeOf({ type, resolvedType }: Pick<protobuf.Field, 'type' | 'resolvedType'>): {
  type: number | undefined;
  typeName?: string;
} {
  if (resolvedType === null) {
    return { type: SCALARS[type] };
  }
  return { type: resolvedType instanceof protobuf.Type ? MESSAGE : ENUM, typeName: resolvedType.fullName };
}

function camelCase(name: string): string {
  return name.replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The name that protobuf wants for the type of a map's entries. */
export function mapEntryName(field: string): string {
  return `${camelCase(`_${field}`)}Entry`;
}

function mapEntry(field: protobuf.MapField): object {
  return {
    name: mapEntryName(field.name),
    field: [
      { name: 'key', number: 1, label: LABELS.optional, jsonName: 'key', type: SCALARS[field.keyType] },
      { name: 'value', number: 2, label: LABELS.optional, jsonName: 'value', ...typeOf(field) },
    ],
    options: { mapEntry: true },
  };
}

/** A group is the one delimited field that the load tools know: its message stands beside it and has its name. */
function refuseOtherThanGroup({ service, proto }: Compiling, field: protobuf.Field): void {
  const { name, parent, resolvedType } = field;
  if (resolvedType?.parent === parent && resolvedType?.name.toLowerCase() === name) {
    return;
  }
  const path = fileOf(parent ?? field);
  const place = `${path}:${lineOf(proto.texts[path] ?? '', name)}`;
  throw new ConfigError(`${service}: ${place}: ${name} uses delimited encoding, which the load tools do not support`, {
    code: 'WG-111',
    next: 'Remove `features.message_encoding = DELIMITED` from the field, the message or the file.',
  });
}

function enumOf({ name, values, options }: protobuf.Enum): object {
  return {
    name,
    value: Object.entries(values).map(([key, number]) => ({ name: key, number })),
    ...(options?.['allow_alias'] === true && { options: { allowAlias: true } }),
  };
}

function serviceOf({ name, methodsArray }: protobuf.Service): object {
  const method = methodsArray.map((one) => ({
    name: one.name,
    inputType: one.resolvedRequestType?.fullName,
    outputType: one.resolvedResponseType?.fullName,
    clientStreaming: one.requestStream === true,
    serverStreaming: one.responseStream === true,
  }));
  return { name, method };
}
