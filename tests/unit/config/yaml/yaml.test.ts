import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parsePlaced } from '../../../../src/config/yaml/yaml.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

const parsed = (text: string) => parsePlaced({ file: 'a.yml', text }, z.unknown());

/** Ten times as many values with each line. */
const bomb = (lines: number) =>
  [
    'a0: &a0 [x, x]',
    ...Array.from({ length: lines }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(', ')}]`),
  ].join('\n');

describe('parsePlaced', () => {
  test('gives the place of a value, or of the nearest one around a missing value', () => {
    const { placeOf } = parsed('a:\n  - b: 1\n');

    expect(placeOf(['a', 0, 'b'])).toBe('a.yml:2:5: a.0.b');
    expect(placeOf(['a', 0, 'c'])).toBe('a.yml:2:5: a.0.c');
    expect(placeOf([])).toBe('a.yml:1:1: the file');
  });

  test('takes aliases for what they replace', () => {
    expect(parsed('a: &x { b: 1 }\nc: [*x, *x]').value).toEqual({ a: { b: 1 }, c: [{ b: 1 }, { b: 1 }] });
  });

  test.each([
    ['a: &x { b: *x }', 'a.yml:1:12: *x refers to a value that contains it'],
    ['a: &x\n  - [*x]', 'a.yml:2:6: *x refers to a value that contains it'],
    [bomb(9), 'a.yml:6:20: with *a4, aliases expand to more than 100000 values'],
    [
      `a: &x [${'1, '.repeat(999)}1]\nb: [${'*x, '.repeat(100)}*x]`,
      'a.yml:2:401: with *x, aliases expand to more than 100000 values',
    ],
    ['a: *x\nb: &x 1', 'a.yml:1:4: *x is undefined: there is no &x before it'],
  ])('refuses a value without an end, and one that would fill the memory', (text, words) => {
    expect(() => parsed(text)).toThrow(ConfigError);
    expect(() => parsed(text)).toThrow(words);
  });

  test.each([
    ['[', `a: ${'['.repeat(30_000)}${']'.repeat(30_000)}`, 1],
    ['{a: ', '{a: '.repeat(30_000), 1],
    ['- ', `a: 1\n${'- '.repeat(30_000)}`, 2],
    ['? ', `\n\n${'? '.repeat(30_000)}`, 3],
  ])('refuses %j within itself, over and over, which would end the program', (_, text, line) => {
    expect(() => parsed(text)).toThrow(ConfigError);
    expect(() => parsed(text)).toThrow(`a.yml:${line}: is nested too deeply`);
  });

  test.each([
    ['a: 1\nb: 2\na: 3\n', 'a.yml:3:1: the key "a" is duplicated'],
    ['a: { "1": x, 1: y }', 'a.yml:1:14: the key "1" is duplicated'],
    ['- a: &x { b: 1 }\n  c: *x\n  a: 2', 'a.yml:3:3: the key "a" is duplicated'],
  ])('refuses a key that stands twice, with its place: %j', (text, words) => {
    expect(() => parsed(text)).toThrow(ConfigError);
    expect(() => parsed(text)).toThrow(words);
  });

  test.each([
    ['? [a]\n: 1', 'a.yml:1:3: a list or a map cannot be a key'],
    ['a: &x { b: 1 }\n*x : 1', 'a.yml:2:1: a list or a map cannot be a key'],
  ])('refuses what is not a key: %j', (text, words) => {
    expect(() => parsed(text)).toThrow(ConfigError);
    expect(() => parsed(text)).toThrow(words);
  });

  test('lets an anchor be redefined', () => {
    expect(parsed('a: &x 1\nb: *x\nc: &x 2\nd: *x').value).toEqual({ a: 1, b: 1, c: 2, d: 2 });
  });

  test('reads as many keys as fit into a file, and refuses a longer file', () => {
    const keys = Array.from({ length: 50_000 }, (_, index) => `k${index}: 1`).join('\n');

    expect(Object.keys(Object(parsed(keys).value))).toHaveLength(50_000);
    expect(() => parsed(`${keys}\n# ${'x'.repeat(1_000_000)}`)).toThrow(
      /^a\.yml: has \d+ characters; the limit is 1000000$/,
    );
  });

  test('does not change inherited properties, for any keys', () => {
    const value = Object(
      parsed('a: { b: { __proto__: { polluted: 1 } } }\nconstructor: { prototype: { polluted: 1 } }').value,
    );

    expect(Object.keys(value)).toEqual(['a', 'constructor']);
    expect(Object.keys(value.a.b)).toEqual(['__proto__']);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  test.each(['services: { __proto__: { a: 1 } }', '__proto__: { a: 1 }'])('loses no part in silence: %s', (text) => {
    expect(() => parsePlaced({ file: 'a.yml', text }, z.looseObject({}))).toThrow(
      /__proto__: this name is not allowed/,
    );
  });

  test('takes what is as deep as no file of people is', () => {
    expect(parsed('['.repeat(150) + ']'.repeat(150)).value).toHaveLength(1);
  });
});
