import { describe, expect, it } from 'vitest';
import { fromProject, fromRefusal } from '../../../support/from-project.ts';

const DOCUMENT = 'openapi: 3.0.3\npaths: { "/a/{id}": { get: { operationId: getA } } }\n';
const FILES = { files: { 'a.yaml': DOCUMENT } };
const GET_A = '{ from: a.yaml, operationId: getA }';

describe('an entry with `from` is refused', () => {
  it.each([
    ['{ from: http://x.test/a.json }', /:4:\d+: operations\.0\.from: must be a file in the repository/],
    ['{ from: ../a.yaml }', /operations\.0\.from: must be a path inside the repository$/],
    ['{ from: /etc/a.yaml }', /operations\.0\.from: must be a path inside the repository$/],
    ['{ from: user.proto }', /operations\.0\.from: must name a service of the contract/],
    ['{ from: user/v1/User/Get }', /operations\.0\.from: must be the path of an OpenAPI document/],
    ['{ from: none.yaml }', /:4:\d+: operations\.0\.from: none\.yaml: there is no such file$/],
    ['{ operationId: getA, rest: GET / }', /operations\.0\.operationId: needs an OpenAPI document/],
    ['{ from: a.B/C, operationId: getA }', /operations\.0\.operationId: needs an OpenAPI document/],
    ['{ from: a.yaml, name: A }', /operations\.0\.name: applies to one operation, .* `operationId`$/],
    [
      '{ from: a.B, arguments: [{}] }',
      /operations\.0\.arguments: applies to one operation, .* `from: Service\/Method`$/,
    ],
    ['{ rest: GET / }', /:4:5: operations\.0\.name: is missing$/],
    ['{ name: A, rest: { method: GET } }', /operations\.0\.rest\.path: is missing$/],
    ['{ name: A, grpc: { deadlineMs: 1 } }', /operations\.0\.grpc\.call: is missing$/],
    ['{ from: a.yaml, operationId: getA, grpc: { deadlineMs: 1 } }', /operations\.0\.grpc\.call: is missing$/],
    ['{ from: a.B/C, rest: { method: GET } }', /operations\.0\.(from|rest\.path): /],
  ])('%s', (entry, words) => {
    expect(fromRefusal(entry, FILES).message).toMatch(words);
  });

  it.each([
    [GET_A.replace('getA', 'getAa'), 'operations.0.operationId: a.yaml has no operation "getAa"', 'Did you mean getA?'],
    [GET_A.replace('getA', 'somethingElse'), 'has no operation "somethingElse"', 'Available operations: getA.'],
    [
      '{ from: a.yaml, operationId: getA, arguments: [{ id: 1 }, { idd: 2 }] }',
      'operations.0.arguments.1.idd: is not a parameter of GET /a/{id}',
      'Did you mean id?',
    ],
    [
      '{ from: a.yaml, operationId: getA, arguments: [{ color: 2 }] }',
      'arguments.0.color: is not a parameter',
      'Available parameters: id',
    ],
  ])('%s', (entry, words, next) => {
    const found = fromRefusal(entry, FILES);

    expect(found.message).toMatch(/^wiregauge\.yml:4:\d+: /);
    expect(found.message).toContain(words);
    expect(found.next).toContain(next);
  });

  it('for a name that is listed twice', () => {
    const twice = () => fromProject([GET_A, '{ name: getA, rest: GET / }'], FILES);

    expect(twice).toThrow(/^wiregauge\.yml:5:\d+: operations\.1\.name: duplicates operation getA$/);
  });
});
