import { describe, expect, it } from 'vitest';
import { fromRefusal } from '../../../support/from-project.ts';

const HEAD = 'openapi: 3.0.3\npaths:\n';
const GET_A = '{ from: a.yaml, operationId: getA }';
const ADD_A = '{ from: a.yaml, operationId: addA }';

/** With the operation on line 4, and more from line 5 on. */
const get = (operation: string, more = '') =>
  `${HEAD}  /a/{id}:\n    get: { operationId: getA, ${operation} }\n${more}`;
const post = (operation: string, more = '') => `${HEAD}  /a:\n    post: { operationId: addA, ${operation} }\n${more}`;

const ofDocument = (entry: string, text: string) => fromRefusal(entry, { files: { 'a.yaml': text } });

describe('a document is refused', () => {
  it.each([
    ['that is no YAML', 'openapi: [', /^a\.yaml:\d+:\d+: is not valid YAML/],
    ['that is Swagger 2', 'swagger: "2.0"\n', /^a\.yaml:1:1: swagger: is a Swagger 2 document/],
    ['of a later version', '# Later\nopenapi: 4.0.0\n', /^a\.yaml:2:1: openapi: is OpenAPI 4\.0\.0/],
    ['that is something else', 'paths: {}', /^a\.yaml: is not an OpenAPI document/],
    ['that is nothing', '', /^a\.yaml: is not an OpenAPI document/],
    [
      'that is too long',
      `openapi: 3.0.0\n#${'x'.repeat(2 ** 22)}`,
      /^a\.yaml: has \d+ characters; the limit for a document is 1000000/,
    ],
    ['that goes too deep', `openapi: 3.0.0\nx: ${'['.repeat(300)}`, /^a\.yaml:2: is nested too deeply/],
    [
      'that is a bomb',
      `openapi: 3.0.0\na: &a [x]\n${'bcdefgh'
        .split('')
        .map((name, index) => `${name}: &${name} [${`*${'abcdefg'[index]},`.repeat(9)}]\n`)
        .join('')}`,
      /^a\.yaml:\d+:\d+: with \*\w, aliases expand to more than/,
    ],
  ])('%s', (_, text, words) => {
    const found = ofDocument(GET_A, text);

    expect(found.message).toMatch(words);
    expect(found.next).toBeDefined();
  });

  it.each([
    [
      'one of its paths is in another file',
      `${HEAD}  /a: { $ref: "paths/a.yaml" }\n`,
      /^a\.yaml:3:\d+: paths\.\/a\.\$ref: refers to "paths\/a\.yaml", which is outside/,
    ],
    [
      'a reference leads to another address',
      get('parameters: [{ $ref: "https://x.test/p.json" }]'),
      /^a\.yaml:4:\d+: .*refers to "https:\/\/x\.test\/p\.json", which is outside/,
    ],
    [
      'a reference leads nowhere',
      get('parameters: [{ $ref: "#/components/p" }]'),
      /^a\.yaml:4:\d+: paths\.\/a\/\{id\}\.get\.parameters\.0\.\$ref: refers to "#\/components\/p", which is not in the document/,
    ],
    [
      'a reference leads to what every object has',
      get('parameters: [{ $ref: "#/constructor" }]'),
      /refers to "#\/constructor", which is not in the document/,
    ],
    [
      'references lead in a circle',
      get('parameters: [{ $ref: "#/x/a" }]', 'x: { a: { $ref: "#/x/b" }, b: { $ref: "#/x/a" } }\n'),
      /^a\.yaml:5:\d+: x\.\w\.\$ref: refers to itself through "#\/x\/\w"/,
    ],
    [
      'a parameter has no value',
      get('parameters: [{ name: q, in: query, required: true, schema: { type: string, pattern: "^(?=x)y$" } }]'),
      /^a\.yaml:4:\d+: .*the parameter "q" \(query\) has limits or a pattern that no known string fits$/,
    ],
    [
      'a parameter is a map',
      get('parameters: [{ name: q, in: query, required: true, schema: { type: object } }]'),
      /the parameter "q" \(query\) has no example with a plain value/,
    ],
    [
      'limits exclude each other',
      get('parameters: [{ name: id, in: path, schema: { type: integer, minimum: 2, maximum: 1 } }]'),
      /the parameter "id" \(path\) has no whole number within its limits/,
    ],
    ['a cookie is wanted', get('parameters: [{ name: s, in: cookie, required: true }]'), /requires the cookie "s"/],
    [
      'a header cannot be sent',
      get('parameters: [{ name: "a b", in: header, required: true }]'),
      /the header "a b" must be the name of a header/,
    ],
    [
      'a path cannot be sent',
      get('x: 1').replace('/a/{id}', '"/a b"'),
      /^a\.yaml:3:\d+: paths\.\/a b: "\/a b" is not a valid request path/,
    ],
  ])('where %s', (_, text, words) => {
    expect(ofDocument(GET_A, text).message).toMatch(words);
  });

  it.each([
    [
      'it has neither schema nor example',
      'content: { application/json: {} }',
      /requestBody: needs a body, but the document has neither a schema nor an example of it/,
    ],
    [
      'its type would be more than a header',
      'content: { "application/json; a=${env.TOKEN}": { example: {} } }',
      /requestBody: needs a body, but the document does not describe its content/,
    ],
    [
      'it has no content',
      'description: none',
      /requestBody: needs a body, but the document does not describe its content/,
    ],
    [
      'nothing is made of its type',
      'content: { multipart/form-data: { schema: { type: object } } }',
      /needs a body, but "multipart\/form-data" needs an example/,
    ],
    [
      'it holds itself',
      'content: { application/json: { schema: { $ref: "#/x" } } }',
      /none can be generated: a\.yaml:5:\d+: x is recursive without end/,
    ],
    [
      'it holds itself by an alias',
      'content: { application/json: { schema: &s { required: [a], properties: { a: *s } } } }',
      /^a\.yaml:4:\d+: \*s refers to a value that contains it/,
    ],
    [
      'it is a part of itself',
      'content: { application/json: { schema: { $ref: "#/y" } } }',
      /^a\.yaml:6:\d+: y\.allOf: contains itself/,
    ],
  ])('where a body is needed and %s', (_, body, words) => {
    const more = 'x: { required: [x], properties: { x: { $ref: "#/x" } } }\ny: { allOf: [{ $ref: "#/y" }] }\n';
    const found = ofDocument(ADD_A, post(`requestBody: { required: true, ${body} }`, more));

    expect(found.message).toMatch(words);
    expect(found.next).toBeDefined();
  });

  it.each([
    [
      '{ type: http, scheme: bearer }',
      'the header Authorization',
      'headers: { Authorization: "Bearer ${env.API_TOKEN}" }',
    ],
    ['{ type: apiKey, in: header, name: X-Key }', 'the header X-Key', 'headers: { X-Key: "${env.API_TOKEN}" }'],
    ['{ type: apiKey, in: cookie, name: key }', 'the header Cookie', 'headers: { Cookie:'],
    ['{ type: apiKey, in: query, name: key }', 'key in the query', 'rest: { path:'],
    ['{ type: mutualTLS }', 'a client certificate', 'tls: {'],
  ])('where it asks for %s, and nothing gives it', (scheme, words, next) => {
    const found = ofDocument(
      GET_A,
      get('security: [{ s: [] }]', `components: { securitySchemes: { s: ${scheme} } }\n`),
    );

    expect(found.message).toMatch(/^wiregauge\.yml:4:\d+: operations\.0\.from: GET \/a\/\{id\} requires /);
    expect(found.message).toContain(
      `${words} (security scheme s in a.yaml), but neither the operation nor the service api sets it`,
    );
    expect(found.next).toContain(next);
  });

  it('where all of it is left out, with the reasons', () => {
    const found = ofDocument('{ from: a.yaml }', post('responses: {}'));

    expect(found.message).toBe(
      'wiregauge.yml:4:7: operations.0.from: no operation in a.yaml can be sent as it is: POST /a (addA): a POST may change data; select it by its operationId',
    );
  });
});
