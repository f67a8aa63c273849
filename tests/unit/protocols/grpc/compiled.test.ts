import { createFileRegistry, fromBinary, fromJson, type JsonValue, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import type { Json } from '../../../../src/foundation/json.ts';
import { loadableContract } from '../../../../src/protocols/grpc/compiled.ts';
import { readContract } from '../../../../src/protocols/grpc/contract.ts';
import { messageFrom } from '../../../../src/protocols/grpc/message.ts';

const SHOP = `edition = "2023";
package shop.v1;

import "common/kinds.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/struct.proto";

service Shop {
  rpc Find(Query) returns (Item);
  rpc Watch(stream Query) returns (stream Item);
}

message Query {
  string id = 1 [features.field_presence = IMPLICIT];
  int32 page_size = 2;
  repeated int32 numbers = 3;
  repeated int32 apart = 4 [features.repeated_field_encoding = EXPANDED];
  map<string, Part> parts = 5;
  oneof by {
    string name = 6;
    common.Kind kind = 7;
  }
  google.protobuf.Timestamp since = 8;
  google.protobuf.Struct more = 9;
  string token = 10 [features.field_presence = LEGACY_REQUIRED];
  common.Old old = 11;
  message Part { double share = 1; Deep deep = 2; }
  enum Deep { DEEP_NONE = 0; DEEP_ONE = 1; }
  Filter filter = 12 [features.message_encoding = DELIMITED];
  message Filter { string text = 1; }
}

message Item { string id = 1; }
`;

const KINDS = `syntax = "proto3";
package common;
enum Kind { KIND_UNKNOWN = 0; KIND_NEW = 1; }
message Old { optional string note = 1; repeated Kind kinds = 2; }
`;

const proto = (changes: Readonly<Record<string, string>> = {}) => ({
  root: 'proto',
  file: 'shop.proto',
  texts: { 'shop.proto': SHOP, 'common/kinds.proto': KINDS, ...changes },
});

const compiled = (changes: Readonly<Record<string, string>> = {}) => {
  const contract = loadableContract({ name: 'shop', proto: proto(changes) });
  if (contract === undefined || !('descriptorSet' in contract)) {
    throw new Error('it is not compiled');
  }
  return contract;
};

const setOf = ({ descriptorSet }: { readonly descriptorSet: string }) =>
  fromBinary(FileDescriptorSetSchema, Buffer.from(descriptorSet, 'base64'));

const shopOf = () => setOf(compiled()).file.find(({ name }) => name === 'shop.proto');

function refusal(changes: Readonly<Record<string, string>>): ConfigError {
  try {
    compiled(changes);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError);
    return thrown as ConfigError;
  }
  throw new Error('nothing was refused');
}

describe('a contract with an edition', () => {
  it('is a descriptor set to the load tools, and one without is as it was', () => {
    const plain = { ...proto(), texts: { 'shop.proto': KINDS } };

    expect(compiled().origin).toBe('shop.proto');
    expect(loadableContract({ name: 'shop', proto: plain })).toBe(plain);
    expect(loadableContract({ name: 'shop', proto: { reflection: true } })).toEqual({ reflection: true });
  });

  it('is not compiled for a file that nobody imports, or for a word about editions', () => {
    const texts = { 'shop.proto': `// edition = "2023"\n${KINDS}`, 'other.proto': SHOP };

    expect(loadableContract({ name: 'shop', proto: { ...proto(), texts } })).toMatchObject({ texts });
  });

  it('is compiled once', () => {
    const one = proto();

    expect(loadableContract({ name: 'shop', proto: one })).toBe(loadableContract({ name: 'shop', proto: one }));
  });

  it('has its files, each with those that it uses, in words that the load tools know', () => {
    const files = setOf(compiled()).file;

    expect(new Set(files.slice(0, 2).map(({ package: space }) => space))).toEqual(
      new Set(['common', 'google.protobuf']),
    );
    expect(files.map(({ syntax }) => syntax)).toEqual(['proto2', 'proto2', 'proto2']);
    expect(files[2]).toMatchObject({ name: 'shop.proto', package: 'shop.v1' });
    expect([...(files[2]?.dependency ?? [])].sort()).toEqual(
      files
        .slice(0, 2)
        .map(({ name }) => name)
        .sort(),
    );
  });

  it('has the calls and their streams', () => {
    const file = shopOf();

    const methods = file?.service[0]?.method.map(({ name, clientStreaming, serverStreaming, inputType }) => [
      ...[name, inputType],
      ...[clientStreaming, serverStreaming],
    ]);
    expect(methods).toEqual([
      ['Find', '.shop.v1.Query', false, false],
      ['Watch', '.shop.v1.Query', true, true],
    ]);
  });

  it('keeps what an edition says of fields: required, packed or apart, a group', () => {
    const file = shopOf();
    const fields = Object.fromEntries((file?.messageType[0]?.field ?? []).map((field) => [field.name, field]));

    expect(fields['token']?.label).toBe(2);
    expect(fields['id']?.label).toBe(1);
    expect(fields['numbers']?.options?.packed).toBe(true);
    expect(fields['apart']?.options?.packed).toBe(false);
    expect(fields['filter']?.type).toBe(10);
    expect(fields['page_size']?.jsonName).toBe('pageSize');
    expect(file?.messageType[0]?.oneofDecl.map(({ name }) => name)).toEqual(['by']);
  });

  it.each<[string, Json]>([
    ['scalars and lists', { token: 't', id: 'a', pageSize: 20, numbers: [1, 2, 3], apart: [4, 5] }],
    ['a map', { token: 't', parts: { a: { share: 0.5, deep: 'DEEP_ONE' } } }],
    ['a oneof with an enum of another file', { token: 't', kind: 'KIND_NEW' }],
    ['well-known messages', { token: 't', since: '2026-11-22T10:00:00Z', more: { a: [1, 'b', null, true] } }],
    ['a message of proto3', { token: 't', old: { note: 'n', kinds: ['KIND_NEW', 'KIND_UNKNOWN'] } }],
    ['a group', { token: 't', filter: { text: 'x' } }],
  ])('makes the same bytes of %s as this program verifies with', (_, message) => {
    const { method } = readContract({ name: 'shop', proto: proto() });
    const type = method('shop.v1.Shop/Find').resolvedRequestType;
    const schema = createFileRegistry(setOf(compiled())).getMessage('shop.v1.Query');
    if (type === null || schema === undefined) {
      throw new Error('the message was lost');
    }

    const own = type.encode(type.fromObject(messageFrom(type, message, 'message'))).finish();

    expect(Buffer.from(toBinary(schema, fromJson(schema, message as JsonValue)))).toEqual(Buffer.from(own));
  });

  it.each([
    [
      'a delimited field that is no group',
      SHOP.replace(
        'Part { double share = 1;',
        'Part { double share = 1; Item item = 9 [features.message_encoding = DELIMITED];',
      ),
      /^shop: shop\.proto:\d+: item uses delimited encoding, which the load tools do not support$/,
    ],
    [
      'a value that a feature does not have',
      SHOP.replace('= IMPLICIT', '= IMPLICID'),
      /^shop: shop\.proto:14: edition 2023 has no features\.field_presence = IMPLICID$/,
    ],
    [
      'a feature that there is not',
      SHOP.replace('package', 'option features.presence = IMPLICIT;\npackage'),
      /^shop: shop\.proto:2: edition 2023 has no features\.presence = IMPLICIT$/,
    ],
  ])('is refused with file and line for %s', (_, text, message) => {
    expect(refusal({ 'shop.proto': text }).message).toMatch(message);
  });

  it('says which editions can be read', () => {
    const { message, next } = refusal({ 'shop.proto': SHOP.replace('2023', '2024') });

    expect(message).toContain('shop.proto:1: illegal edition');
    expect(next).toContain('`edition = "2023"`');
  });

  it('may have features of a language, which change no message', () => {
    const text = SHOP.replace('package', 'option features.(pb.go).api_level = API_OPAQUE;\npackage');

    expect(compiled({ 'shop.proto': text }).descriptorSet).not.toBe('');
  });
});
