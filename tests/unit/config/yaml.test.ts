import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parsePlaced } from '../../../src/config/yaml.ts';
import { ConfigError } from '../../../src/core/errors.ts';

const parsed = (text: string) => parsePlaced({ file: 'a.yml', text }, z.unknown());

describe('parsePlaced', () => {
  test('tells where things stand, and of what is not there, where it would be', () => {
    const { placeOf } = parsed('a:\n  - b: 1\n');

    expect(placeOf(['a', 0, 'b'])).toBe('a.yml:2:5: a.0.b');
    expect(placeOf(['a', 0, 'c'])).toBe('a.yml:2:5: a.0.c');
    expect(placeOf([])).toBe('a.yml:1:1: the file');
  });

  test('takes aliases for what they stand for', () => {
    expect(parsed('a: &x { b: 1 }\nc: [*x, *x]').value).toEqual({ a: { b: 1 }, c: [{ b: 1 }, { b: 1 }] });
  });

  test.each([
    ['a: &x { b: *x }', 'a.yml:1:12: *x stands for something that it is itself a part of'],
    ['a: &x\n  - [*x]', 'a.yml:2:6: *x stands for something that it is itself a part of'],
    [
      `a0: &a0 [x, x]\n${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}*a${i}]`).join('\n')}`,
      'a.yml: cannot be read: Excessive alias count',
    ],
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
    expect(() => parsed(text)).toThrow(`a.yml:${line}: goes too deep`);
  });

  test('takes what is as deep as no file of people is', () => {
    expect(parsed('['.repeat(150) + ']'.repeat(150)).value).toHaveLength(1);
  });
});
