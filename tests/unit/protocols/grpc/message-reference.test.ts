import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import type { Json } from '../../../../src/foundation/json.ts';
import { messageFrom } from '../../../../src/protocols/grpc/message.ts';
import { ALL_TYPES, referenceEncoder } from '../../../support/proto-reference.ts';

const type = ALL_TYPES.message('all.v1.All');
const byReference = referenceEncoder(type);

/** What a service reads, or that it is refused. */
function read(encode: () => Uint8Array, refusal: new (...rest: never[]) => Error): unknown {
  try {
    return type.toObject(type.decode(encode()), { longs: String, enums: String, bytes: String, defaults: true });
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(refusal);
    return 'refused';
  }
}

const own = (body: Json) =>
  read(() => type.encode(type.fromObject(messageFrom(type, body, 'm'))).finish(), ConfigError);
const reference = (body: Json) => read(() => byReference(body), Error);

const time = fc.date({ min: new Date('-000001-01-01'), max: new Date('+010001-01-01'), noInvalidDate: true });
const leaf = fc.oneof(
  fc.constantFrom<Json>(
    0,
    -1,
    2 ** 31,
    2 ** 32,
    2 ** 63,
    1e39,
    Number.POSITIVE_INFINITY,
    '18446744073709551616',
    '-9223372036854775808',
  ),
  fc.constantFrom<Json>(
    true,
    'true',
    'NaN',
    '-Infinity',
    '1.5',
    'RED',
    'BLUE',
    1,
    99,
    1.5,
    'AAE=',
    'a,someValue',
    'a_b',
  ),
  fc.constantFrom<Json>('0s', '-1.5s', '315576000001s', '1.0000000001s', '5', '\ud800', '😀', '2026-01-31T25:00:00Z'),
  fc.integer(),
  fc.double(),
  fc.string(),
  time.map((found) => found.toISOString()),
);
const { value } = fc.letrec<{ value: Json; map: Json }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('value'), { maxLength: 2 }), tie('map')),
  map: fc.dictionary(fc.constantFrom('some_value', 'someValue', 'deeper', 'true', '7', 'x'), tie('value'), {
    maxKeys: 2,
  }),
}));
const fields = Object.keys(type.fields).filter((field) => field !== 'packed');
const names = fc.constantFrom(...fields, 'byName', 'anyValue');

/** What the reference takes, and a load tool does not. */
function isOfNoTool(body: Json): boolean {
  const text = JSON.stringify(body);
  // The reference lets half a character pass within a Struct.
  return /null|\\ud8/.test(text) || LOOSE_NUMBER.test(text) || isLooseBase64(body) || isLooseDuration(body);
}

/** Texts that JavaScript reads as numbers and JSON does not, such as "+1", ".5", "0x1" and " 1", and those with an exponent. */
const LOOSE_NUMBER = /" | "|"\+|"-?0[xob]|"-?\.\d|"-?\d+\.(?!\d)|"-?\d+(\.\d+)?e/i;

/** The reference passes over what follows the unit. */
function isLooseDuration(body: Json): boolean {
  const { lasts } = body as { readonly lasts?: Json };
  return typeof lasts === 'string' && !/^-?\d+(\.\d+)?s$/.test(lasts);
}

function isLooseBase64(body: Json): boolean {
  const { raw } = body as { readonly raw?: Json };
  return typeof raw === 'string' && (raw.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(raw));
}

describe('a message in JSON, compared with @bufbuild/protobuf', () => {
  it('is read alike, or refused by both', () => {
    fc.assert(
      fc.property(fc.dictionary(names, value, { maxKeys: 3 }), (body) => {
        const [ours, theirs] = [own(body as Json), reference(body as Json)];
        if (ours !== 'refused' || !isOfNoTool(body as Json)) {
          expect(ours).toEqual(theirs);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each<[Json, RegExp]>([
    [{ lasts: '315576000001s' }, /m\.lasts: must be a duration like 1\.5s, of up to 315576000000 seconds/],
    [{ at: '0000-12-31T23:59:59Z' }, /m\.at: must be a time like .*, in the years 1 to 9999/],
    [{ real: Number.POSITIVE_INFINITY }, /m\.real: must be a number up to 1\.80e\+308 \(double\)/],
    [{ half: 1e39 }, /m\.half: must be a number up to 3\.40e\+38 \(float\)/],
    [{ whole: [5] }, /m\.whole: must be a whole number/],
    [{ whole: { toString: 1, valueOf: 1 } }, /m\.whole: must be a whole number/],
    [{ color: 2 ** 31 }, /m\.color: must be one of all\.v1\.Color: NONE, RED/],
    [{ at: { toString: 1 } }, /m\.at: must be a time/],
    [{ mask: 'a_b' }, /m\.mask: must be field names in camel case/],
    [{ text: '\ud800' }, /m\.text: must be a string/],
    [{ by_name: {}, byName: {} }, /m\.byName: is set twice/],
  ])('is refused where no service could read %j', (body, words) => {
    expect(() => messageFrom(type, body, 'm')).toThrow(ConfigError);
    expect(() => messageFrom(type, body, 'm')).toThrow(words);
  });
});
