import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import descriptorJson from 'protobufjs/google/protobuf/descriptor.json' with { type: 'json' };
import { ConfigError, messageOf } from '../../foundation/errors.ts';
import { nameAdvice } from '../../foundation/names.ts';
import { cleanText, plainText } from '../../foundation/text.ts';
import type { Contract as ContractSource, ProtoSource, Service } from '../../model/service.ts';

// protobufjs includes the other well-known types.
protobuf.common('descriptor', descriptorJson.nested.google.nested.protobuf.nested);

export interface GrpcContract {
  /** Every call, as "package.Service/Method". */
  readonly calls: readonly string[];
  /** Throws ConfigError if there is no such call. */
  method(call: string): protobuf.Method;
  /** Throws ConfigError if there is no such message, like "user.v1.User". */
  message(name: string): protobuf.Type;
}

/** Definitions of contracts, each compiled only once. */
const ROOTS = new WeakMap<ContractSource, protobuf.Root>();

/** Contract of a service. Throws ConfigError, with file and line if known, if it does not compile or there is none. */
export function readContract({ name, proto }: Pick<Service, 'name' | 'proto'>): GrpcContract {
  if (proto === undefined || 'reflection' in proto) {
    throw new ConfigError(`${name} uses gRPC but has no contract`, {
      code: 'WG-111',
      next: 'Add `proto` to the service: the folder and file of a .proto, a descriptor set, or `reflection`.',
    });
  }
  const origin = 'texts' in proto ? proto.file : proto.origin;
  const root = ROOTS.get(proto) ?? ('texts' in proto ? textRoot(name, proto) : setRoot(name, proto));
  ROOTS.set(proto, root);
  const services = servicesIn(root).filter(({ filename }) => !('texts' in proto) || filename === proto.file);
  const calls = services.flatMap((service) =>
    service.methodsArray.map((method) => `${service.fullName.slice(1)}/${method.name}`),
  );
  return {
    calls,
    method(call) {
      const method = calls.includes(call) ? methodIn(root, call) : undefined;
      if (method === undefined) {
        throw new ConfigError(`${call} is not in the contract of ${name} (${origin})`, {
          code: 'WG-112',
          next: otherFile(root, call) ?? nameAdvice(call, calls, 'Available calls'),
        });
      }
      return method;
    },
    message(fullName) {
      const found = root.lookup(`.${fullName}`);
      if (!(found instanceof protobuf.Type)) {
        throw new ConfigError(`${fullName} is not a message in the contract of ${name} (${origin})`, {
          code: 'WG-112',
          next: 'Use the full name with the package, like user.v1.User.',
        });
      }
      return found;
    },
  };
}

const HEALTH = 'grpc/health/v1/health.proto';

const HEALTH_TEXT = `syntax = "proto3"; package grpc.health.v1;
  service Health { rpc Check(HealthCheckRequest) returns (HealthCheckResponse); }
  message HealthCheckRequest { string service = 1; }
  message HealthCheckResponse { ServingStatus status = 1; enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; } }`;

/** Health service of gRPC, with its contract. */
export const HEALTH_SERVICE: Pick<Service, 'name' | 'proto'> = {
  name: 'grpc.health.v1',
  proto: { root: '', file: HEALTH, texts: { [HEALTH]: HEALTH_TEXT } },
};

function setRoot(name: string, { descriptorSet, origin }: { descriptorSet: string; origin: string }): protobuf.Root {
  try {
    const bytes = Buffer.from(descriptorSet, 'base64');
    refuseDelimited(bytes);
    const { Root } = protobuf as unknown as { Root: { fromDescriptor(bytes: Uint8Array): protobuf.Root } };
    const root = Root.fromDescriptor(bytes);
    withMaps(root);
    root.resolveAll();
    const methods = servicesIn(root).flatMap((service) => service.methodsArray);
    if (methods.length === 0) {
      throw new Error('it defines no service');
    }
    // In a damaged descriptor, the type of a message may be something else.
    const odd = methods.find((method) => {
      const { resolvedRequestType, resolvedResponseType } = method.resolve() as protobuf.Method;
      return [resolvedRequestType, resolvedResponseType].some((type) => !(type instanceof protobuf.Type));
    });
    if (odd !== undefined) {
      throw new Error(`it has no message for ${odd.fullName}`);
    }
    return root;
  } catch (cause) {
    throw new ConfigError(`${name}: the descriptor set ${origin} cannot be read: ${messageOf(cause)}`, {
      code: 'WG-111',
      cause,
      next: 'Create it with `protoc --include_imports --descriptor_set_out=<file>` or `buf build -o <file>.binpb`.',
    });
  }
}

/** The load tools support groups of proto2, but not the message encoding of editions. */
function refuseDelimited(bytes: Uint8Array): void {
  const set = descriptor.FileDescriptorSet.decode(bytes) as unknown as { readonly file: readonly { name: string }[] };
  const odd = set.file.find((file) => /"messageEncoding":"DELIMITED"/.test(JSON.stringify(file)));
  if (odd !== undefined) {
    throw new Error(`${odd.name} has fields with features.message_encoding = DELIMITED, which is not supported`);
  }
}

/** Descriptors represent a map as a list of entries. */
function withMaps(space: protobuf.NamespaceBase): void {
  if (space instanceof protobuf.Type) {
    for (const field of space.fieldsArray) {
      const map = mapOf(field);
      if (map !== undefined) {
        space.remove(field);
        space.add(map);
      }
    }
  }
  for (const inner of space.nestedArray) {
    if (inner instanceof protobuf.Namespace) {
      withMaps(inner);
    }
  }
}

function mapOf(field: protobuf.Field): protobuf.MapField | undefined {
  const { resolvedType: entry } = field.resolve();
  if (!(entry instanceof protobuf.Type) || entry.getOption('map_entry') !== true) {
    return undefined;
  }
  const { key, value } = entry.fields;
  return key && value && new protobuf.MapField(field.name, field.id, key.type, value.type);
}

function servicesIn(space: protobuf.NamespaceBase): readonly protobuf.Service[] {
  return space.nestedArray.flatMap((inner) => {
    if (inner instanceof protobuf.Service) {
      return [inner];
    }
    return inner instanceof protobuf.Namespace ? servicesIn(inner) : [];
  });
}

function methodIn(root: protobuf.Root, call: string): protobuf.Method | undefined {
  const [service = '', method = ''] = call.split('/');
  const found = servicesIn(root).find(({ fullName }) => fullName === `.${service}`);
  return found?.methods[method]?.resolve() as protobuf.Method | undefined;
}

/** Advice for a call in an import of the contract's own file: only services in that file are found. */
function otherFile(root: protobuf.Root, call: string): string | undefined {
  const file = methodIn(root, call)?.parent?.filename;
  return typeof file === 'string' ? `It is in ${file}: set \`proto.file: ${file}\`.` : undefined;
}

/** Definitions in the `.proto` file and its imports. A missing import is ignored if no definition needs it. */
export function textRoot(service: string, proto: ProtoSource): protobuf.Root {
  const root = new protobuf.Root();
  const added = new Set<string>();
  const missing: ConfigError[] = [];
  addFile({ service, proto, root, added, missing }, proto.file);
  try {
    root.resolveAll();
  } catch (cause) {
    throw missing[0] ?? brokenProto(service, placeOf(messageOf(cause), proto, added), cause);
  }
  refuseOtherFeatures(service, proto, root);
  return root;
}

interface Compiling {
  readonly service: string;
  readonly proto: ProtoSource;
  readonly root: protobuf.Root;
  /** Paths of the files, in the order in which they were added. */
  readonly added: Set<string>;
  readonly missing: ConfigError[];
}

function addFile(compiling: Compiling, path: string): void {
  const { service, proto, root, added, missing } = compiling;
  if (added.has(path)) {
    return;
  }
  added.add(path);
  const nested = bundled(path)?.nested;
  if (nested !== undefined && nested !== null) {
    try {
      // A contract may define the same types.
      root.addJSON(nested);
    } catch (cause) {
      throw brokenProto(service, `${path}: ${messageOf(cause)}`, cause);
    }
    return;
  }
  for (const imported of importsOf(compiling, path)) {
    if (textOf(proto, imported) === undefined && bundled(imported) === undefined) {
      const place = `${path}:${lineOf(textOf(proto, path) ?? '', imported)}`;
      const named = plainText(imported, LONGEST_PLACE);
      missing.push(
        new ConfigError(`${service}: ${place}: imports ${named}, but ${proto.root} has no such file`, {
          code: 'WG-111',
          next: 'Add the folder that the import is relative to: `proto: { root: [proto, third_party], file: ... }`.',
        }),
      );
    } else {
      addFile(compiling, imported);
    }
  }
}

function importsOf({ service, proto, root, added }: Compiling, path: string): readonly string[] {
  const text = textOf(proto, path);
  if (text === undefined) {
    throw new ConfigError(`${service}: the contract ${plainText(path, LONGEST_PLACE)} is not in ${proto.root}`, {
      code: 'WG-111',
      next: 'Set the path of the .proto file relative to `proto.root`.',
    });
  }
  try {
    naming(path);
    const { imports = [], weakImports = [] } = protobuf.parse(text, root, { keepCase: true });
    return [...imports, ...weakImports];
  } catch (cause) {
    // The parser throws a TypeError at an unexpected end of the file.
    if (cause instanceof TypeError) {
      throw brokenProto(service, `${path}:${text.split('\n').length}: unexpected end of file`, cause);
    }
    const [, what = messageOf(cause), line] = /^(.*) \((?:.*, )?line (\d+)\)$/s.exec(messageOf(cause)) ?? [];
    const place = line === undefined ? placeOf(what, proto, added) : `${path}:${line}: ${what}`;
    throw brokenProto(service, place, cause);
  } finally {
    naming(null);
  }
}

/** Ignores inherited properties such as `constructor`. */
function textOf({ texts }: ProtoSource, path: string): string | undefined {
  return Object.hasOwn(texts, path) ? texts[path] : undefined;
}

function bundled(path: string): protobuf.INamespace | undefined {
  return Object.hasOwn(protobuf.common, path) ? (protobuf.common.get(path) ?? undefined) : undefined;
}

/** Sets the file name that protobufjs records for definitions; its types omit this property. */
function naming(path: string | null): void {
  Object.assign(protobuf.parse, { filename: path });
}

/** Error message with the place of the name in it. The last file is searched first, since the others compiled. */
function placeOf(complaint: string, proto: ProtoSource, added: ReadonlySet<string>): string {
  const [, quoted, last] = /['"]([\w.]+)['"]|: \.?([\w.]+)$/.exec(complaint) ?? [];
  const name = quoted ?? last ?? '';
  const file = [...added].reverse().find((path) => name !== '' && lineOf(textOf(proto, path) ?? '', name) > 0);
  return file === undefined ? complaint : `${file}:${lineOf(textOf(proto, file) ?? '', name)}: ${complaint}`;
}

/** Definitions included in protobufjs have no file name. */
const BUNDLED = 'google/protobuf/bundled.proto';

function fileOf(one: protobuf.ReflectionObject): string {
  const { parent } = one;
  return parent instanceof protobuf.Type ? fileOf(parent) : (one.filename ?? BUNDLED);
}

export function lineOf(text: string, part: string): number {
  const at = text.search(new RegExp(`(?<![\\w.])${part.replace(/[^\w]/g, '\\$&')}(?!\\w)`));
  return at < 0 ? 0 : text.slice(0, at).split('\n').length;
}

const FEATURES: Readonly<Record<string, readonly string[]>> = {
  field_presence: ['EXPLICIT', 'IMPLICIT', 'LEGACY_REQUIRED'],
  enum_type: ['OPEN', 'CLOSED'],
  repeated_field_encoding: ['PACKED', 'EXPANDED'],
  utf8_validation: ['VERIFY', 'NONE'],
  message_encoding: ['LENGTH_PREFIXED', 'DELIMITED'],
  json_format: ['ALLOW', 'LEGACY_BEST_EFFORT'],
};

/** Throws ConfigError with file and line if a definition sets a feature that edition 2023 does not have, which protobufjs ignores. */
function refuseOtherFeatures(service: string, proto: ProtoSource, space: protobuf.NamespaceBase): void {
  for (const one of space.nestedArray) {
    const parts = one instanceof protobuf.Type ? [...one.fieldsArray, ...one.oneofsArray] : [];
    for (const each of [one, ...parts]) {
      refuseOtherFeature(service, proto, each);
    }
    if (one instanceof protobuf.Namespace) {
      refuseOtherFeatures(service, proto, one);
    }
  }
}

const MAX_SHOWN = 120;

function refuseOtherFeature(service: string, { texts }: ProtoSource, one: protobuf.ReflectionObject): void {
  const set = Object.entries((one.options?.['features'] ?? {}) as Readonly<Record<string, unknown>>);
  // Language features like `features.(pb.go).api_level` do not affect the encoding.
  for (const [name, value] of set.filter(([key]) => !key.startsWith('('))) {
    const values = FEATURES[name];
    if (!values?.includes(String(value))) {
      const path = fileOf(one);
      const line = lineOf(texts[path] ?? '', `features.${name}`) || lineOf(texts[path] ?? '', name);
      const setting = cleanText(`features.${name} = ${String(value)}`, MAX_SHOWN);
      throw new ConfigError(`${service}: ${path}:${line}: edition 2023 has no ${setting}`, {
        code: 'WG-111',
        next:
          values === undefined
            ? `Available features: ${Object.keys(FEATURES).join(', ')}.`
            : `It may be ${values.join(' or ')}.`,
      });
    }
  }
}

const LONGEST_PLACE = 500;

/** Error for a contract that does not compile; `place` is the error with its file and line. */
function brokenProto(service: string, place: string, cause: unknown): ConfigError {
  return new ConfigError(`${service}: the contract does not compile: ${plainText(place, LONGEST_PLACE)}`, {
    code: 'WG-111',
    cause,
    next: /illegal edition/.test(place)
      ? 'Use `edition = "2023"`, or `syntax = "proto3"` or "proto2": later editions are not supported yet.'
      : 'Fix the .proto file; `protoc` and `buf build` report the same error.',
  });
}
