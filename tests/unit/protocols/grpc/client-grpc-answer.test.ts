import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/foundation/json.ts';
import { jsonOf } from '../../../../src/protocols/grpc/answer.ts';
import { readContract } from '../../../../src/protocols/grpc/contract.ts';
import { messagesFor } from '../../../../src/protocols/grpc/message.ts';

const TEXT = `syntax = "proto3";
package all.v1;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/field_mask.proto";
message Inner { google.protobuf.Timestamp at = 1; }
message All {
  google.protobuf.Timestamp at = 1; repeated google.protobuf.Duration lasts = 2; google.protobuf.StringValue maybe = 3;
  google.protobuf.Struct free = 4; google.protobuf.Value any_value = 5; google.protobuf.FieldMask mask = 6;
  map<string, Inner> by_name = 7; Inner inner = 8; int64 count = 9; optional string perhaps = 10;
}
service Everything { rpc Ask(All) returns (All); }
`;
const CALL = 'all.v1.Everything/Ask';
const contract = readContract({ name: 'all', proto: { root: 'p', file: 'all.proto', texts: { 'all.proto': TEXT } } });
const method = contract.method(CALL);
const type = method.resolvedResponseType ?? expect.fail('it has no type');

/** What the client makes of an answer with these fields. */
function answered(body: Json): Json {
  const [message = {}] = messagesFor(method, { call: CALL, body });
  return jsonOf(type, type.encode(type.fromObject(message)).finish());
}

const UNSET = {
  at: null,
  lasts: [],
  maybe: null,
  free: null,
  any_value: null,
  mask: null,
  by_name: {},
  inner: null,
  count: 0,
};

describe('an answer as JSON', () => {
  it('has every field, unset ones too, except those that may be left out', () => {
    expect(answered({})).toEqual(UNSET);
  });

  it.each<[Json, Json?]>([
    [{ at: '2026-01-02T03:04:05Z' }],
    [{ at: '2026-01-02T04:04:05.25+01:00' }, { at: '2026-01-02T03:04:05.250Z' }],
    [{ at: '2026-01-02T03:04:05.000001Z' }],
    [{ at: '1969-12-31T23:59:59.000000001Z' }],
    [{ lasts: ['0s', '1.500s', '-0.000250s', '90s'] }],
    [{ maybe: '' }],
    [{ free: { a: [1, 'b', null, { c: false }], d: {} } }],
    [{ any_value: [] }],
    [{ mask: 'a,someValue' }],
    [{ by_name: { x: { at: '2026-01-02T03:04:05Z' } }, inner: { at: null } }],
    [{ perhaps: '' }],
  ])('gives %j back as a REST service would', (body, expected) => {
    expect(answered(body)).toEqual({ ...UNSET, ...Object(expected ?? body) });
  });

  it('returns an invalid time unchanged', () => {
    const encoded = type.encode(type.fromObject({ at: { seconds: 1e15, nanos: 0 } })).finish();

    expect(jsonOf(type, encoded)).toMatchObject({ at: { seconds: 1e15, nanos: 0 } });
  });
});
