import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fromProject, requestsFrom } from '../../../support/from-project.ts';
import { restOf } from '../../../support/suite.ts';

const DOCUMENT = `openapi: 3.1.0
servers: [{ url: "https://{region}.example.com/v1/", variables: { region: { default: eu } } }]
paths:
  /users/{user-id}:
    parameters: [{ $ref: "#/components/parameters/UserId" }]
    get:
      operationId: getUser
      parameters:
        - { name: verbose, in: query, schema: { type: boolean } }
        - { name: fields, in: query, example: [name, age], schema: { type: array, items: { type: string } } }
        - { name: X-Tenant, in: header, required: true, schema: { type: string, enum: [blue, green] } }
        - { name: Authorization, in: header, required: true }
      responses: { "200": {}, "404": {} }
    put:
      operationId: putUser
      requestBody:
        required: true
        content:
          application/merge-patch+json: { schema: { $ref: "#/components/schemas/User" } }
      responses: { "201": {}, 204: {} }
  /users:
    get: { parameters: [{ name: page, in: query, examples: { first: { value: 1 }, second: { value: 2 } } }], responses: { 2XX: {} } }
    post:
      operationId: addUser
      requestBody: { content: { text/plain: {}, application/json: { schema: { $ref: "#/components/schemas/User" } } } }
      responses: { default: {} }
  /login:
    post:
      operationId: login
      servers: [{ url: /auth }]
      requestBody:
        content:
          application/x-www-form-urlencoded:
            example: { user: "a b", roles: [x, y] }
      responses: { "302": {} }
  /notes:
    post: { operationId: note, requestBody: { content: { text/markdown: { example: "# {id}" } } } }
    patch: { operationId: list, requestBody: { content: { application/json: { example: [1, 2] } } } }
  /me: { get: { operationId: getMe, security: [{ token: [] }] } }
components:
  parameters:
    UserId: { name: user-id, in: path, required: true, schema: { $ref: "#/components/schemas/User/properties/id" } }
  schemas:
    Named: { required: [name], properties: { name: { type: string, minLength: 9 } } }
    User:
      allOf:
        - { $ref: "#/components/schemas/Named" }
        - { properties: { nick: { type: string }, tags: { type: array, items: { type: string }, example: [a] } } }
      type: object
      properties: { id: { type: integer, minimum: 5, readOnly: true }, email: { type: string, format: email } }
  securitySchemes: { token: { type: http, scheme: bearer } }
`;

const FILES = { files: { 'api/openapi.yaml': DOCUMENT } };
const from = (keys: string) => `{ from: api/openapi.yaml, ${keys} }`;
const sent = (keys: string) => requestsFrom([from(keys)], FILES)[0];
const operation = (keys: string) => fromProject([from(keys)], FILES).operations[0];

describe('an operation out of an OpenAPI document', () => {
  it.each([
    [
      'its required parameters and those with examples, below the path of its server',
      'operationId: getUser',
      ['GET /v1/users/5?fields=name | X-Tenant: blue'],
    ],
    [
      'a parameter that the arguments name, by its own name',
      'operationId: getUser, arguments: [{ user-id: 7, verbose: false }, { user-id: 8, verbose: true }]',
      [
        'GET /v1/users/7?verbose=false&fields=name | X-Tenant: blue',
        'GET /v1/users/8?verbose=true&fields=name | X-Tenant: blue',
      ],
    ],
    [
      'a request for each of several examples',
      'operationId: GET /users',
      ['GET /v1/users?page=1', 'GET /v1/users?page=2'],
    ],
    [
      'a body of what is required and what has an example, in the content type of the document',
      'operationId: putUser',
      ['PUT /v1/users/5 | Content-Type: application/merge-patch+json | {"name":"examplexx","tags":["a"]}'],
    ],
    [
      'arguments in the body, and the example of what they leave out',
      'operationId: addUser, arguments: [{ name: Ada, email: ada@example.com }]',
      ['POST /v1/users | Content-Type: application/json | {"name":"Ada","tags":["a"],"email":"ada@example.com"}'],
    ],
    [
      'a form, below the server of the operation',
      'operationId: login',
      ['POST /auth/login | Content-Type: application/x-www-form-urlencoded | user=a%20b&roles=x&roles=y'],
    ],
    [
      'an example that looks like a placeholder, as it is',
      'operationId: note',
      ['POST /v1/notes | Content-Type: text/markdown | # {id}'],
    ],
    ['a body that is no map', 'operationId: list', ['PATCH /v1/notes | Content-Type: application/json | [1,2]']],
    [
      'another body that is no map',
      'operationId: list, arguments: [{ body: [3] }, { body: [] }]',
      [
        'PATCH /v1/notes | Content-Type: application/json | [3]',
        'PATCH /v1/notes | Content-Type: application/json | []',
      ],
    ],
    [
      'what stands beside it first: headers and body',
      'operationId: addUser, rest: { headers: { X-A: b }, body: { id: 1 } }',
      ['POST /v1/users | Content-Type: application/json | X-A: b | {"id":1}'],
    ],
    [
      'what stands beside it first: method and path, with the examples that the path wants',
      'operationId: getUser, rest: "HEAD /v2/{user_id}"',
      ['HEAD /v2/5 | X-Tenant: blue'],
    ],
    [
      'a header where the document asks for credentials',
      'operationId: getMe, rest: { headers: { authorization: none } }',
      ['GET /v1/me | Authorization: none'],
    ],
  ])('has %s', (_, keys, requests) => {
    expect(sent(keys)).toEqual(requests);
  });

  it.each([
    ['getUser', [{ from: 200, to: 200 }]],
    [
      'putUser',
      [
        { from: 201, to: 201 },
        { from: 204, to: 204 },
      ],
    ],
    ['GET /users', [{ from: 200, to: 299 }]],
    ['login', [{ from: 302, to: 302 }]],
    ['addUser', [{ from: 200, to: 299 }]],
  ])('expects the success of %s', (id, status) => {
    expect(restOf(operation(`operationId: ${id}`))?.expect.status).toEqual(expect.arrayContaining(status));
    expect(restOf(operation(`operationId: ${id}`))?.expect.status).toHaveLength(status.length);
  });

  it('is named by its id, or by the entry, and may have a gRPC binding as well', () => {
    expect(operation('operationId: getUser')?.name).toBe('getUser');
    expect(operation('operationId: GET /users')?.name).toBe('get-users');
    const both = operation('operationId: getUser, name: Read, verify: status, grpc: a.B/Get, arguments: [{ id: 1 }]');
    expect(both).toMatchObject({ name: 'Read', verify: 'status', bindings: { grpc: { call: 'a.B/Get' }, rest: {} } });
  });

  it('takes its credentials from the service', () => {
    const services = ['api: { protocol: rest, port: 80, image: a:1, headers: { authorization: "Bearer x" } }'];

    expect(requestsFrom([from('operationId: getMe')], { ...FILES, services })).toEqual([
      ['GET /v1/me | Authorization: Bearer x'],
    ]);
  });

  it('takes arguments out of a file, whose other columns are for others', () => {
    const files = { ...FILES.files, 'users.csv': 'user_id,color\n1,red\n2,blue\n' };

    expect(requestsFrom([from('operationId: getUser, feed: { file: users.csv }')], { files })).toEqual([
      ['GET /v1/users/1?fields=name | X-Tenant: blue', 'GET /v1/users/2?fields=name | X-Tenant: blue'],
    ]);
  });
});

describe('all operations of a document', () => {
  it('are those that change nothing and can be sent; the others are left out with a reason', () => {
    const { operations, leftOut } = fromProject(['{ from: api/openapi.yaml, weight: 2 }'], FILES);

    expect(operations.map(({ name, share }) => [name, share])).toEqual([
      ['getUser', 0.5],
      ['get-users', 0.5],
    ]);
    expect(leftOut).toHaveLength(6);
    expect(leftOut[0]).toBe(
      'api/openapi.yaml: skipped PUT /users/{user-id} (putUser): a PUT may change data; select it by its operationId',
    );
    expect(leftOut[5]).toMatch(/skipped GET \/me \(getMe\): .*requires the header Authorization/);
  });

  it('are neither taken nor left out where they are in the list by themselves', () => {
    const entries = [
      '{ from: api/openapi.yaml }',
      from('operationId: getUser, name: Read, weight: 3'),
      from('operationId: putUser'),
      '{ name: get-users, rest: GET / }',
    ];
    const { operations, leftOut } = fromProject(entries, FILES);

    expect(operations.map(({ name }) => name)).toEqual(['Read', 'putUser', 'get-users']);
    expect(leftOut.filter((line) => line.includes('putUser'))).toEqual([]);
    expect(leftOut).toHaveLength(5);
  });

  it('have names of their own where they have no ids', () => {
    const files = {
      'a.json': JSON.stringify({ openapi: '3.1.0', paths: { '/a-b': { get: {} }, '/a/b': { get: {} } } }),
    };

    expect(requestsFrom(['{ from: a.json }'], { files })).toEqual([['GET /a-b'], ['GET /a/b']]);
    expect(fromProject(['{ from: a.json }'], { files }).operations.map(({ name }) => name)).toEqual([
      'get-a-b',
      'get-a-b-2',
    ]);
  });
});

it('gives the reference service the requests that its suite writes out', () => {
  const path = 'services/users/python-rest/src/user_rest/openapi.json';
  const files = { files: { [path]: readFileSync(path, 'utf8') } };
  const written = [
    '{ name: GetUser, rest: "GET /user/{id}", arguments: [{ id: 1 }, { id: 2 }] }',
    '{ name: ListUsers, rest: GET /users }',
  ];
  const taken = [
    `{ from: ${path}, operationId: GetUser, arguments: [{ id: 1 }, { id: 2 }] }`,
    `{ from: ${path}, operationId: ListUsers }`,
  ];

  expect(requestsFrom(taken, files)).toEqual(requestsFrom(written, files));
  expect(fromProject(taken, files).operations.map(({ name }) => name)).toEqual(['GetUser', 'ListUsers']);
  expect(requestsFrom([`{ from: ${path} }`], files)).toEqual([
    ['GET /user/1'],
    ['GET /users'],
    ['GET /health'],
    ['GET /openapi.json'],
  ]);
});
