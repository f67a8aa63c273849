import protobuf from 'protobufjs';
import { ConfigError } from '../../foundation/errors.ts';
import { cleanText, plainText } from '../../foundation/text.ts';
import type { ProtoSource } from '../../model/service.ts';

/** Definitions included in protobufjs have no file name. */
const BUNDLED = 'google/protobuf/bundled.proto';

export function fileOf(one: protobuf.ReflectionObject): string {
  const { parent } = one;
  return parent instanceof protobuf.Type ? fileOf(parent) : (one.filename ?? BUNDLED);
}

export function lineOf(text: string, part: string): number {
  const at = text.search(new RegExp(`(?<![\\w.])${part.replace(/[^\w]/g, '\\$&')}(?!\\w)`));
  return at < 0 ? 0 : text.slice(0, at).split('\n').length;
}

/** Features of edition 2023 with their values. */
const FEATURES: Readonly<Record<string, readonly string[]>> = {
  field_presence: ['EXPLICIT', 'IMPLICIT', 'LEGACY_REQUIRED'],
  enum_type: ['OPEN', 'CLOSED'],
  repeated_field_encoding: ['PACKED', 'EXPANDED'],
  utf8_validation: ['VERIFY', 'NONE'],
  message_encoding: ['LENGTH_PREFIXED', 'DELIMITED'],
  json_format: ['ALLOW', 'LEGACY_BEST_EFFORT'],
};

/** Throws ConfigError with file and line if a definition sets a feature that edition 2023 does not have, which protobufjs ignores. */
export function refuseOtherFeatures(service: string, proto: ProtoSource, space: protobuf.NamespaceBase): void {
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

/** Characters of a setting in a message. */
const MOST_SHOWN = 120;

function refuseOtherFeature(service: string, { texts }: ProtoSource, one: protobuf.ReflectionObject): void {
  const set = Object.entries((one.options?.['features'] ?? {}) as Readonly<Record<string, unknown>>);
  // Language features like `features.(pb.go).api_level` do not affect the encoding.
  for (const [name, value] of set.filter(([key]) => !key.startsWith('('))) {
    const values = FEATURES[name];
    if (!values?.includes(String(value))) {
      const path = fileOf(one);
      const line = lineOf(texts[path] ?? '', `features.${name}`) || lineOf(texts[path] ?? '', name);
      const setting = cleanText(`features.${name} = ${String(value)}`, MOST_SHOWN);
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

/** Characters of a place or an error in a message. */
export const LONGEST_PLACE = 500;

/** Error for a contract that does not compile; `place` is the error with its file and line. */
export function brokenProto(service: string, place: string, cause: unknown): ConfigError {
  return new ConfigError(`${service}: the contract does not compile: ${plainText(place, LONGEST_PLACE)}`, {
    code: 'WG-111',
    cause,
    next: /illegal edition/.test(place)
      ? 'Use `edition = "2023"`, or `syntax = "proto3"` or "proto2": later editions are not supported yet.'
      : 'Fix the .proto file; `protoc` and `buf build` report the same error.',
  });
}
