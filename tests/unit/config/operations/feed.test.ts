import { describe, expect, test } from 'vitest';
import { feedRows } from '../../../../src/config/operations/feed.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

const csv = (text: string) => () => feedRows({ file: 'users.csv', text });
const json = (text: string) => () => feedRows({ file: 'users.json', text });

describe('a feed', () => {
  test('of CSV has a row for each line, with the names of the header', () => {
    expect(csv('id,name\r\n1,"Zoë, 2"\r\n2,\r\n')()).toEqual([
      { id: '1', name: 'Zoë, 2' },
      { id: '2', name: '' },
    ]);
  });

  test('of JSON keeps its types', () => {
    expect(json('[{"id":1,"tags":["a"]},{"id":null}]')()).toEqual([{ id: 1, tags: ['a'] }, { id: null }]);
  });

  test.each([
    ['no rows', csv('id,name\n'), 'users.csv: has no rows'],
    ['nothing at all', csv(''), 'users.csv: has no rows'],
    ['too few fields', csv('id,name\n1,a\n2\n'), 'users.csv:3: has 1 fields, but the header has 2'],
    ['too many fields', csv('id\n1,2\n'), 'users.csv:2: has 2 fields, but the header has 1'],
    ['a name twice', csv('id,id\n1,2\n'), 'users.csv:1: "id" is not a valid column name'],
    ['a name that no placeholder can have', csv('user id\n1\n'), 'users.csv:1: "user id" is not a valid column name'],
    ['a quote that is never closed', csv('id\n"1\n'), /^users\.csv:2: is not valid CSV/],
    ['too many rows', csv(`id\n${'1\n'.repeat(10_001)}`), 'users.csv: has 10001 rows; the limit is 10000'],
    ['no JSON', json('{'), /^users\.json: is not valid JSON/],
    ['a map of JSON', json('{"id":1}'), 'users.json: must be a list of maps'],
    ['a list of other things', json('[{"id":1},2]'), 'users.json: item 2: must be a list of maps'],
    ['an empty list', json('[]'), 'users.json: has no rows'],
    ['lists within lists', json(`${'['.repeat(50_000)}${']'.repeat(50_000)}`), /^users\.json: is nested too deeply$/],
    ['a header of one name', csv(`${'id,'.repeat(50_000)}id\n`), 'users.csv:1: "id" is not a valid column name'],
  ])('is refused for %s', (_, parse, words) => {
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(words);
  });
});
