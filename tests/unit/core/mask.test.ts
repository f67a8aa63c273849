import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskOf } from '../../../src/core/mask.ts';

describe('maskOf', () => {
  test.each([
    [['s3cret-value'], 'token=s3cret-value!', 'token=***!'],
    [['secretpart', 'secretpart-and-more'], 'x secretpart-and-more', 'x ***'],
    [['a"b\\c-and-more'], '{"a":1} "a\\"b\\\\c-and-more"', '{"a":1} "***"'],
    [['(.*)+$[x]'], 'a (.*)+$[x] b', 'a *** b'],
    [['user'], 'user users, user!', '*** users, ***!'],
    [['-----BEGIN KEY-----\nMIIEvabc\n-----END KEY-----\n'], 'at MIIEvabc', 'at ***'],
  ])('hides %j in %j', (values, text, masked) => {
    expect(maskOf(values)(text)).toBe(masked);
  });

  test.each([['abc'], ['5432'], ['1.5'], ['true'], ['null']])(
    'leaves %s, which stands in any text by chance',
    (value) => {
      expect(maskOf([value])(`x ${value} y`)).toBe(`x ${value} y`);
    },
  );

  test('keeps a document of JSON one: neither keys nor numbers are touched', () => {
    const mask = maskOf(['latency', '12345678']);

    expect(JSON.parse(mask('{"latency": 12345678, "text": "latency \\"12345678\\"", "list": ["latency"]}'))).toEqual({
      latency: 12345678,
      text: '*** "***"',
      list: ['***'],
    });
  });

  test('leaves no value of 8 characters or more in any text', () => {
    const value = fc.string({ minLength: 8, maxLength: 30 }).filter((text) => !/^\s|\*|[\d.]{7}/.test(text));
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (secret, before, after) => {
        expect(maskOf([secret])(`-${before}${secret}${after}`)).not.toContain(secret);
      }),
    );
  });
});
