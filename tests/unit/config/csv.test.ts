import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../../src/config/csv.ts';
import { ConfigError } from '../../../src/foundation/errors.ts';

const parse = (text: string) => parseCsv({ file: 't.csv', text });

describe('a text of CSV', () => {
  it.each(['\n', '\r\n', '\r'])('ends its lines in %j, also within quotes, and every record knows its own', (end) => {
    const text = ['\uFEFFa,b', '', '"1', '', '2",""', '""', '3,"4 ""5"""', ''].join(end);

    expect(parse(text)).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 3, fields: [`1${end}${end}2`, ''] },
      { line: 7, fields: ['3', '4 "5"'] },
    ]);
  });

  it('comes back as it was written', () => {
    const field = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', ',', '\n', '\r', ' '), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 4 }), (rows) => {
        const quoted = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(','));

        expect(parse(quoted.join('\n')).map(({ fields }) => fields)).toEqual(rows);
      }),
    );
  });

  it.each([
    [
      'a quote that is never closed, with the line of its record',
      'a\n\n"b\nc\n',
      't.csv:3: is not valid CSV: a misplaced quote',
    ],
    ['a quote in the middle of a field', 'a\nb"c\n', 't.csv:2: is not valid CSV: a misplaced quote'],
    ['something after a quote', 'a\n"b"c\n', 't.csv:2: is not valid CSV: a misplaced quote'],
    ['a long field', `a\n\n"${'é'.repeat(401)}"\n`, 't.csv:3: is not valid CSV: a field with more than 400 characters'],
    ['a long field that never ends', `"${'a'.repeat(1e6)}`, 't.csv:1: is not valid CSV: a misplaced quote'],
    ['many lines', `a${'\n'.repeat(100_000)}b`, 't.csv: has more than 100000 lines'],
    ['a long text', 'a'.repeat(32 * 1024 * 1024 + 1), 't.csv: has 33554433 characters; the limit is 33554432'],
  ])('is refused for %s', (_, text, words) => {
    expect(() => parse(text)).toThrow(ConfigError);
    expect(() => parse(text)).toThrow(words);
  });

  it('has as many lines, and fields as long, as it may', () => {
    const [first, ...others] = parse(`${'é'.repeat(400)}\n${'a\n'.repeat(99_999)}`);

    expect(first?.fields[0]).toHaveLength(400);
    expect(others).toHaveLength(99_999);
  });
});
