import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beginningOf, endingOf, maskOf } from '../../../../src/model/secrets/mask.ts';

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
    'leaves %s, which occurs in any text by chance',
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

  const ODD = `a/b c+"d'&<é>\\n%2\u20ac`;

  test.each<[string, (text: string) => string]>([
    ['in an address', encodeURIComponent],
    ['in an address, in small letters', (text) => encodeURIComponent(text).replace(/%../g, (one) => one.toLowerCase())],
    ['in a path, whose slashes stay', (text) => encodeURIComponent(text).replaceAll('%2F', '/')],
    ['in an address within an address', (text) => encodeURIComponent(encodeURIComponent(text))],
    ['in a form', (text) => String(new URLSearchParams({ q: text }))],
    ['in JSON', (text) => JSON.stringify(text)],
    ['in JSON within JSON', (text) => JSON.stringify(JSON.stringify({ text }))],
    [
      'in JSON of ASCII',
      (text) =>
        JSON.stringify(text).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ],
    [
      'in JSON for a page',
      (text) => JSON.stringify(text).replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
    ],
    [
      'in a page',
      (text) =>
        text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&#34;').replaceAll("'", '&#x27;'),
    ],
    ['in Markdown', (text) => text.replace(/[^\p{L}\p{N} ]/gu, '\\$&')],
    ['in a command of a workflow', (text) => text.replaceAll('%', '%25')],
  ])('hides what is escaped %s', (_what, escaped) => {
    expect(maskOf([ODD])(`at ${escaped(ODD)} end`)).toMatch(/^at (?:q=|\W*text\W*)?\W*\*\*\*\W* end$/);
    expect(maskOf([ODD])(`at ${escaped(ODD)} end`)).not.toContain('b');
  });

  test.each(['', 'x', 'xy', 'user:', 'é'])('hides what is in base64 behind %j', (before) => {
    const bytes = Buffer.from(`${before}${ODD}, and more`);
    const mask = maskOf([ODD]);

    for (const form of ['base64', 'base64url'] as const) {
      const masked = mask(`Basic ${bytes.toString(form)}`);
      expect(masked).toMatch(/^Basic [\w=+/-]{0,10}\*\*\*[\w=+/-]{0,20}$/);
    }
  });

  test.each([
    ['Bearer tok-en-1234', 'no tok-en-1234 there', 'no *** there'],
    ['postgres://shop:pass%2Fword-1@db/shop', 'for pass/word-1 and pass%2Fword-1', 'for *** and ***'],
    [btoa('shop:pass word 1'), 'shop:pass word 1, or pass word 1', '***, or ***'],
    [`Basic ${btoa('shop:pass word 1')}`, `${btoa('shop:pass word 1')} is pass word 1`, '*** is ***'],
  ])('hides what %j holds', (value, text, masked) => {
    expect(maskOf([value])(text)).toBe(masked);
  });

  test('takes no word for base64, and no short part of a secret for one', () => {
    expect(maskOf(['postgres://shop:shop@db/shop', 'abcdefgh'])('shop db abcdefg')).toBe('shop db abcdefg');
  });

  test.each([
    ['%20', 'ab-c'],
    ['\\n', 'ab-c'],
    ['\\u0020', 'ab-c'],
  ])('hides a short value behind %j, which ends in a letter', (before, value) => {
    expect(maskOf([value])(`x${before}${value} y`)).toBe(`x${before}*** y`);
    expect(maskOf([value])(`x${value} y`)).toBe(`x${value} y`);
  });

  test('keeps a document of JSON one, however its texts are escaped', () => {
    const secret = fc.string({
      minLength: 8,
      maxLength: 12,
      unit: fc.constantFrom('\\', '"', '/', 'a', '\n', 'é', '%'),
    });
    fc.assert(
      fc.property(
        secret,
        fc.string(),
        fc.string({ unit: fc.constantFrom('\\', '"', 'x') }),
        (value, before, behind) => {
          const text = JSON.stringify({ key: before + value + behind, [`${before}x`]: [1, null, value] });
          const masked = JSON.parse(maskOf([value])(text));
          expect(Object.keys(masked)).toEqual(Object.keys(JSON.parse(text)));
          expect(Object.values(masked)[0]).not.toContain(value.trim() === '' ? 'never' : value);
        },
      ),
    );
  });

  test('takes no longer for rows of backslashes than for others', () => {
    const secret = `${'\\'.repeat(30)}${'-\\'.repeat(30)}!`;

    expect(maskOf([secret])('\\'.repeat(20_000))).toHaveLength(20_000);
    expect(maskOf([secret])(`${'-\\'.repeat(5000)}${secret}`)).toMatch(/\*\*\*$/);
  });

  test('hides a text that is too long to be looked for in every way of writing', () => {
    const secret = 'a/b "c '.repeat(500);

    expect(maskOf([secret])(`<${secret}> <${encodeURIComponent(secret)}> ${JSON.stringify(secret)}`)).toBe(
      '<***> <***> "***"',
    );
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

describe('a secret that a program has encoded', () => {
  const secret = 'hunter2-Hunter3';
  const hex = Buffer.from(secret).toString('hex');
  const percent = hex.replace(/../g, '%$&');
  const twice = Buffer.from(Buffer.from(secret).toString('base64')).toString('base64');

  test.each([hex, hex.toUpperCase(), percent, percent.toUpperCase(), twice])('is masked in %s', (form) => {
    expect(maskOf([secret])(`<${form}>`)).toBe('<***>');
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
