import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beginningOf, endingOf, maskOf } from '../../../src/core/mask.ts';

describe('maskOf', () => {
  test.each([
    [['s3cret-value'], 'token=s3cret-value!', 'token=***!'],
    [['secretpart', 'secretpart-and-more'], 'x secretpart-and-more', 'x ***'],
    [['a"b\\c-and-more'], '{"a":1} "a\\"b\\\\c-and-more"', '{"a":1} "***"'],
    [['  tok-en-12\r\n'], 'no tok-en-12 here', 'no *** here'],
    [['MIIEvabc\r\nMIIEwxyz\r\n'], 'at MIIEwxyz', 'at ***'],
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

  test('hides every line of a bundle of certificates, which would be too large for one expression', () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `${index}`.padStart(64, 'MIIE'));
    const mask = maskOf([`-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`, 'tok-en-12']);

    expect(mask(`tok-en-12 ${lines[0]} ${lines[4999]}`)).toBe('*** *** ***');
  });

  test('masks a document of JSON with a text of any length', () => {
    const text = JSON.stringify({ long: `${'x'.repeat(3e7)} s3cret-value` });

    expect(maskOf(['s3cret-value'])(text).slice(-6)).toBe(' ***"}');
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

describe('a text that is cut for a message', () => {
  test.each([
    ['short', 'short', 'short'],
    ['an answer with tok-en.12/34= in it', 'an answer with …', '… in it'],
  ])('%j leaves no half of a secret', (text, beginning, ending) => {
    expect(beginningOf(text, 20)).toBe(beginning);
    expect(endingOf(text, 10)).toBe(ending);
  });

  test('shows a secret to the end or not at all', () => {
    const secret = fc.stringMatching(/^[\w-]{8,20}$/);
    fc.assert(
      fc.property(secret, fc.nat(40), (token, at) => {
        const text = `${' '.repeat(at)}"${token}"${' #'.repeat(20)}`;
        expect(maskOf([token])(beginningOf(text, 30))).not.toContain(token.slice(0, 4));
      }),
    );
  });
});
