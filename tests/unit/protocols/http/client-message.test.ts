import { describe, expect, it, test } from 'vitest';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import type { Json } from '../../../../src/foundation/json.ts';
import { readContract } from '../../../../src/protocols/grpc/contract.ts';
import { messageJson } from '../../../../src/protocols/http/client.ts';

const TEXT = `syntax = "proto3";
package shop.v1;
import "google/protobuf/timestamp.proto";
enum Kind { NONE = 0; BOOK = 1; }
message Item { int64 id = 1; string long_name = 2; Kind kind = 3; map<string, int32> stock = 4; google.protobuf.Timestamp made = 5; bytes raw = 6; }
`;
const contract = readContract({
  name: 'shop',
  proto: { root: 'p', file: 'shop.proto', texts: { 'shop.proto': TEXT } },
});
const type = contract.message('shop.v1.Item');

const ITEM = {
  id: 7,
  long_name: 'x',
  kind: 'BOOK',
  stock: { a: 1 },
  made: '2026-01-31T12:00:00.500Z',
  raw: 'AAE=',
};

const BYTES = type
  .encode(
    type.fromObject({ ...ITEM, made: { seconds: Date.parse('2026-01-31T12:00:00Z') / 1000, nanos: 500_000_000 } }),
  )
  .finish();

function read(contentType: string | undefined, bytes: Uint8Array, json?: Json): Json {
  return messageJson(type, { answer: { contentType }, bytes, json });
}

describe('an answer over HTTP that is a message of protobuf', () => {
  test.each(['application/x-protobuf', 'application/protobuf; charset=x', 'application/vnd.google.protobuf'])(
    'is read by the contract: %s',
    (contentType) => {
      expect(read(contentType, BYTES)).toEqual(ITEM);
    },
  );

  test.each([
    ['numbers as numbers', ITEM],
    ['numbers as texts', { ...ITEM, id: '7' }],
    ['names in camel case', { id: 7, longName: 'x', kind: 1, stock: { a: 1 }, made: ITEM.made, raw: 'AAE=' }],
  ])('is the same in JSON, with %s', (_, json) => {
    expect(read('application/json', new Uint8Array(), json)).toEqual(ITEM);
  });

  it('has its unset fields, too', () => {
    const unset = { id: 0, long_name: '', kind: 'NONE', stock: {}, made: null, raw: '' };

    expect(read('application/x-protobuf', new Uint8Array())).toEqual(unset);
    expect(read('application/json', new Uint8Array(), {})).toEqual(unset);
  });

  test.each([
    [/^the answer is not a shop\.v1\.Item in protobuf: /, ['application/x-protobuf', new Uint8Array([8]), undefined]],
    [
      /not a shop\.v1\.Item in JSON: body\.idd: is an unknown field of/,
      ['application/json', new Uint8Array(), { idd: 1 }],
    ],
    [/it is neither JSON nor application\/x-protobuf/, ['text/html', new Uint8Array(), undefined]],
    [/it is neither JSON nor/, [undefined, BYTES, undefined]],
  ])('is refused where it is none: %s', (message, answer) => {
    const refused = () => read(...(answer as Parameters<typeof read>));

    expect(refused).toThrow(MeasurementError);
    expect(refused).toThrow(message);
  });
});
