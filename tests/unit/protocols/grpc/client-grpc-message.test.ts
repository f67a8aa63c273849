import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import type { Json } from '../../../../src/foundation/json.ts';
import { messagesFor } from '../../../../src/protocols/grpc/message.ts';
import { ALL_TYPES } from '../../../support/proto-reference.ts';

const method = ALL_TYPES.method('all.v1.Everything/Ask');
const type = method.resolvedRequestType ?? expect.fail('it has no type');

/** What a service would read of a message. */
function sent(body: Json): unknown {
  const [message = {}] = messagesFor(method, { call: 'all.v1.Everything/Ask', body });
  const bytes = type.encode(type.fromObject(message)).finish();
  return type.toObject(type.decode(bytes), { longs: String, enums: String, bytes: String });
}

describe('a message in JSON', () => {
  it('may have values of `prepare` where no text belongs, and nothing else around them', () => {
    expect(() => sent({ whole: '${prepare.id}', flag: '${prepare.flag}', raw: '${prepare.raw}' })).not.toThrow();
    expect(sent({ color: '${prepare.c}', inner: '${prepare.i}', list: ['${prepare.l}'], at: '${prepare.at}' })).toEqual(
      {
        ...{ color: 'NONE', inner: {}, list: [{}], at: {} },
      },
    );
    expect(() => sent({ whole: '7${prepare.id}' })).toThrow(/must be a whole number/);
  });

  it.each<[Json, unknown]>([
    [{ whole: -5, large: '18446744073709551615', real: 0.5, flag: true, text: '7' }, undefined],
    [
      { whole: '12', real: 'Infinity', raw: 'AAE=' },
      { whole: 12, real: Number.POSITIVE_INFINITY, raw: 'AAE=' },
    ],
    [{ color: 'RED' }, undefined],
    [{ color: 1 }, { color: 'RED' }],
    [
      { inner: { someValue: 3 }, list: [{ some_value: 1 }, {}] },
      { inner: { some_value: 3 }, list: [{ some_value: 1 }, {}] },
    ],
    [
      { by_name: { a: 1 }, byFlag: { true: {} } },
      { by_name: { a: 1 }, by_flag: { true: {} } },
    ],
    [{ right: 'b', perhaps: '' }, undefined],
    [{ text: null, inner: null }, {}],
    [{ at: '2026-01-02T03:04:05.5+01:00' }, { at: { seconds: '1767319445', nanos: 500_000_000 } }],
    [{ lasts: '-1.5s' }, { lasts: { seconds: '-1', nanos: -500_000_000 } }],
    [{ maybe: 0 }, { maybe: { value: 0 } }],
    [
      { free: { a: [1, 'b'] } },
      { free: { fields: { a: { listValue: { values: [{ numberValue: 1 }, { stringValue: 'b' }] } } } } },
    ],
    [{ any_value: null }, { any_value: { nullValue: 'NULL_VALUE' } }],
    [{ mask: 'a,someValue' }, { mask: { paths: ['a', 'some_value'] } }],
  ])('%j is what a service reads', (body, expected) => {
    // Maps keyed by booleans come back with text keys of one byte in protobufjs; the content is what counts.
    expect(JSON.parse(JSON.stringify(sent(body)))).toEqual(JSON.parse(JSON.stringify(expected ?? body)));
  });

  it.each<[Json, RegExp]>([
    [{ whol: 1 }, /Ask: message\.whol: is an unknown field of all\.v1\.All/],
    [{ inner: { some_valu: 1 } }, /message\.inner\.some_valu: is an unknown field of all\.v1\.Inner/],
    [{ whole: 1.5 }, /message\.whole: must be a whole number from -2147483648 to 2147483647 \(int32\), but is 1\.5/],
    [{ whole: 2 ** 31 }, /message\.whole: must be a whole number/],
    [{ whole: true }, /message\.whole: must be a whole number/],
    [{ large: -1 }, /message\.large: must be a whole number from 0/],
    [{ real: 'half' }, /message\.real: must be a number/],
    [{ perhaps: null }, /message\.perhaps: must not be null/],
    [{ flag: 'yes' }, /message\.flag: must be true or false, but is "yes"/],
    [{ text: 7 }, /message\.text: must be a string \(in quotation marks\), but is 7/],
    [{ raw: 'a' }, /message\.raw: must be bytes in base64/],
    [{ color: 'BLUE' }, /message\.color: must be one of all\.v1\.Color: NONE, RED, but is "BLUE"/],
    [{ inner: 3 }, /message\.inner: must be a map of the fields of all\.v1\.Inner/],
    [{ list: {} }, /message\.list: must be a list/],
    [{ list: [{}, { some_value: 'x' }] }, /message\.list\.1\.some_value: must be a whole number/],
    [{ by_name: [] }, /message\.by_name: must be a map/],
    [{ by_name: { a: 'x' } }, /message\.by_name\.a: must be a whole number/],
    [{ by_flag: { perhaps: {} } }, /message\.by_flag\.perhaps: must be true or false/],
    [{ left: 'a', right: 'b' }, /message: has left and right, but choice allows only one of them/],
    [{ at: 'yesterday' }, /message\.at: must be a time/],
    [{ lasts: 5 }, /message\.lasts: must be a duration/],
    [{ packed: {} }, /message\.packed: is a google\.protobuf\.Any/],
    [[{}], /takes one message, but `messages` is a stream/],
  ])('refuses %j', (body, message) => {
    expect(() => sent(body)).toThrow(ConfigError);
    expect(() => sent(body)).toThrow(message);
  });

  it('is one message, or a list of them for a stream', () => {
    const listen = ALL_TYPES.method('all.v1.Everything/Listen');

    expect(messagesFor(listen, { call: 'x', body: [{ text: 'a' }, {}] })).toEqual([{ text: 'a' }, {}]);
    expect(() => messagesFor(listen, { call: 'x', body: {} })).toThrow(/takes a stream of messages/);
    expect(() => messagesFor(listen, { call: 'x', body: [{ txt: 'a' }] })).toThrow(/messages\.0\.txt/);
  });

  it('is either sent or refused as a mistake, for any value', () => {
    const fields = fc.constantFrom(...Object.keys(type.fields));
    fc.assert(
      fc.property(fc.dictionary(fields, fc.jsonValue()), (body) => {
        try {
          sent(body as Json);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ConfigError);
        }
      }),
    );
  });
});
