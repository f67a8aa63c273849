import { describe, expect, it } from 'vitest';
import { meantOperation, mistakesInVariables } from '../../../../src/protocols/graphql/query.ts';

function operationOf(query: string, name?: string) {
  const meant = meantOperation(query, name);
  return 'operation' in meant ? meant.operation : expect.fail(meant.mistake);
}

function mistakeOf(query: string, name?: string): string {
  const meant = meantOperation(query, name);
  return 'mistake' in meant ? meant.mistake : expect.fail('there is no mistake');
}

describe('the operation of a query', () => {
  it.each([
    ['{ user { id } }', undefined, 'query'],
    ['query A { a } mutation B { b }', 'B', 'mutation'],
    ['query A { ...F } fragment F on User { id }', undefined, 'query'],
  ])('is found in %s', (query, name, kind) => {
    expect(operationOf(query, name).operation).toBe(kind);
  });

  it.each([
    ['{ user { id }', undefined, /^is not valid GraphQL \(line 1, column 14\): Expected Name, found <EOF>\.$/],
    ['', undefined, /^is not valid GraphQL/],
    ['fragment F on User { id }', undefined, /^has no operation/],
    ['query A { a } query B { b }', undefined, /^has several operations \(A, B\)/],
    ['query A { a }', 'B', /^has no operation B; it has A$/],
    ['subscription { changed { id } }', undefined, /^is a subscription/],
    [`{ ${'a '.repeat(30_000)} }`, undefined, /token/i],
  ])('is reported as wrong: %.40s', (query, name, message) => {
    expect(mistakeOf(query, name)).toMatch(message);
  });
});

describe('the variables of an operation', () => {
  const query = 'query Q($id: ID!, $limit: Int = 5, $tags: [String!], $filter: UserFilter) { a }';

  it.each([
    [{ id: 1 }],
    [{ id: 'a', limit: 7, tags: ['x'] }],
    // Only the service knows that type.
    [{ id: 1, filter: { any: 'thing' } }],
    // It will be a number once it is filled in.
    [{ id: 1, limit: '${env.LIMIT}' }],
    [{ id: 1, limit: null }],
  ])('are taken: %j', (variables) => {
    expect(mistakesInVariables(operationOf(query), variables)).toEqual([]);
  });

  it.each([
    [{}, ['the query needs $id']],
    [{ id: 1, name: 'a' }, ['the query does not declare $name']],
    [{ id: null }, [expect.stringContaining('$id: ')]],
    [{ id: 1, limit: 'many' }, ['$limit: Int cannot represent non-integer value: "many"']],
    [{ id: 1, tags: [1, 2] }, [expect.stringContaining('$tags.0: '), expect.stringContaining('$tags.1: ')]],
  ])('are refused: %j', (variables, mistakes) => {
    expect(mistakesInVariables(operationOf(query), variables)).toEqual(mistakes);
  });
});
