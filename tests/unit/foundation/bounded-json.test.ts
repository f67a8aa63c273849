import { describe, expect, test } from 'vitest';
import { excessInText, excessInValue, goesDeeper } from '../../../src/foundation/json.ts';

const LIMITS = { characters: 50, values: 10, itemsOfList: 4, keysOfMap: 3 };

describe('excessInText', () => {
  test.each([
    ['x'.repeat(51), 'has 51 characters; the limit is 50'],
    ['[0,0,0,0,0,0,0,0,0,0]', 'has 11 values; the limit is 10'],
    ['["x","x","x","x","x","x","x","x","x","x"]', 'has 11 values; the limit is 10'],
    ['[[[[[[[[[[]]]]]]]]]]', 'has 11 values; the limit is 10'],
    ['{"a":{"b":{"c":[0,0,0,0]}}}', undefined],
    ['[{},{},{},{},{}]', 'has 11 values; the limit is 10'],
    ['[0,0,0,0,0,0,0,0,0]', undefined],
    ['0', undefined],
  ])('of %s', (text, words) => {
    expect(excessInText(text, LIMITS)).toBe(words);
  });
});

describe('excessInValue', () => {
  test.each([
    [[[1, 2, 3, 4, 5]], 'has 5 items in a list; the limit is 4'],
    [[[[], [], [], [], []]], 'has 5 items in a list; the limit is 4'],
    [{ a: [{ b: 1, c: 2, d: 3, e: 4 }] }, 'has 4 keys in a map; the limit is 3'],
    [{ a: [1, 2, 3, { b: null }] }, undefined],
    [null, undefined],
  ])('of %j', (value, words) => {
    expect(excessInValue(value, LIMITS)).toBe(words);
  });

  test('checks deeply nested values', () => {
    const deep = JSON.parse(`${'['.repeat(200_000)}[1,2,3,4,5]${']'.repeat(200_000)}`);

    expect(excessInValue(deep, LIMITS)).toBe('has 5 items in a list; the limit is 4');
  });

  test('looks into lists as long as they may be', () => {
    const long = Array.from({ length: 100_000 }, () => [[0, 0, 0]]);

    expect(excessInValue(long, { ...LIMITS, itemsOfList: 100_000 })).toBeUndefined();
  });
});

test.each([
  [1, 0, false],
  [[], 0, false],
  [[1], 0, true],
  [[1], 1, false],
  [{ a: [{ b: 1 }] }, 2, true],
  [{ a: [{ b: 1 }] }, 3, false],
])('goesDeeper(%j, %i) is %s', (value, most, expected) => {
  expect(goesDeeper(value, most)).toBe(expected);
});
