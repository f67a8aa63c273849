import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/foundation/json.ts';
import { canonicalJson } from '../../../src/foundation/json.ts';
import { firstDifference, isJsonPath, valueAt, withoutPaths } from '../../../src/foundation/json-path.ts';

describe('isJsonPath', () => {
  test.each([
    '$.id',
    '$.größe',
    '$.items[*].at',
    '$[0]',
    '$[12].a_b1',
    "$['created at']",
    '$["created at"].x',
    String.raw`$['it\'s']`,
    '$[*][*]',
  ])('%s is one', (text) => {
    expect(isJsonPath(text)).toBe(true);
  });

  test.each([
    '$',
    '',
    'id',
    '.id',
    '$id',
    '$.',
    '$..id',
    '$.*',
    '$.created-at',
    '$.id ',
    '$[01]',
    '$[-1]',
    '$[0:2]',
    '$[?(@.id)]',
    '$[',
    '$[]',
    '$["a]',
    String.raw`$["\x"]`,
    '$.a\n',
  ])('%j is none', (text) => {
    expect(isJsonPath(text)).toBe(false);
  });
});

describe('withoutPaths', () => {
  const value = { id: 1, items: [{ at: 5, name: 'a' }, { name: 'b' }], 'created at': 3, by: { x: { at: 1 }, y: 2 } };

  test.each<[string, readonly string[], Json]>([
    ['a key', ['$.id'], { items: value.items, 'created at': 3, by: value.by }],
    ['a key of every item', ['$.items[*].at'], { ...value, items: [{ name: 'a' }, { name: 'b' }] }],
    ['an item, which stays as null', ['$.items[0]'], { ...value, items: [null, { name: 'b' }] }],
    ['every item, so that their number still counts', ['$.items[*]'], { ...value, items: [null, null] }],
    ['every value of a map', ['$.by[*]'], { ...value, by: {} }],
    ['a key of every value of a map', ['$.by[*].at'], { ...value, by: { x: {}, y: 2 } }],
    ['quoted keys', [`$['created at']`, '$["id"]'], { items: value.items, by: value.by }],
    ['what is not there', ['$.none', '$.items[7].at', '$.id.x', '$.items.at', '$.by[0]'], value],
  ])('leaves out %s', (_what, paths, left) => {
    expect(withoutPaths(value, paths)).toEqual(left);
  });

  test('keeps the key `__proto__`', () => {
    const own = JSON.parse('{"__proto__":{"a":1},"b":2}') as Json;
    expect(canonicalJson(withoutPaths(own, ['$.b', '$.__proto__.c']))).toBe('{"__proto__":{"a":1}}');
  });

  test('leaves a list alone that is the whole answer, but for what is meant', () => {
    expect(withoutPaths([{ at: 1, b: 2 }, 3], ['$[*].at'])).toEqual([{ b: 2 }, 3]);
    expect(withoutPaths('text', ['$.at'])).toBe('text');
  });
});

describe('firstDifference', () => {
  test.each<[Json, Json, string, Json | undefined, Json | undefined]>([
    [{ a: 1 }, { a: 2 }, '$.a', 1, 2],
    [{ users: [{ id: 1 }] }, { users: [{ id: 1, extra: true }] }, '$.users[0].extra', undefined, true],
    [{ b: 1, a: [1, 2] }, { b: 2, a: [1] }, '$.a[1]', 2, undefined],
    [[], {}, '$', [], {}],
    [{ a: null }, {}, '$.a', null, undefined],
    [{ 'x y': { "it's": 1 } }, { 'x y': { "it's": 2 } }, `$["x y"]["it's"]`, 1, 2],
    ['one', 'two', '$', 'one', 'two'],
    [{ a: { b: 1 } }, { a: [1] }, '$.a', { b: 1 }, [1]],
  ])('of %j and %j', (...[left, right, path, ofLeft, ofRight]) => {
    expect(firstDifference(left, right)).toEqual({ path, left: ofLeft, right: ofRight });
  });

  test('is none between the same data in another order', () => {
    expect(firstDifference({ a: [1, { b: null, c: [] }], d: {} }, { d: {}, a: [1, { c: [], b: null }] })).toBe(
      undefined,
    );
  });

  test('finds its way however deep a value is', () => {
    const deep = (end: number) => JSON.parse(`${'['.repeat(50_000)}${end}${']'.repeat(50_000)}`) as Json;
    expect(firstDifference(deep(1), deep(2))?.path).toBe(`$${'[0]'.repeat(50_000)}`);
  });

  test('names no character of a key that a terminal or a page could take for its own', () => {
    const key = '\u001b[31m\n</script>';
    expect(firstDifference({ [key]: 1 }, {})?.path).toBe(String.raw`$["\u001b[31m\n</script>"]`);
  });
});

describe('valueAt', () => {
  const value = { user: { token: 't', 'a b': null }, items: [{ id: 1 }, { id: 2 }] };

  test.each([
    ['$.user.token', 't'],
    ["$.user['a b']", null],
    ['$.items[1].id', 2],
    ['$.items[*].id', 1],
    ['$.user', value.user],
    ['$.items.length', undefined],
    ['$.user.constructor', undefined],
    ['$.user.token[0]', undefined],
    ['$.none.id', undefined],
  ])('%s', (path, found) => {
    expect(valueAt(value, path)).toEqual(found);
  });
});
