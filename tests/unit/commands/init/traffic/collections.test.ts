import { describe, expect, test } from 'vitest';
import { brunoRequests, brunoVariables, isBrunoFile } from '../../../../../src/commands/init/traffic/formats/bruno.ts';
import { httpFileRequests, isHttpFile } from '../../../../../src/commands/init/traffic/formats/http-file.ts';
import { jsonLogRequest } from '../../../../../src/commands/init/traffic/formats/json-log.ts';
import { postmanRequests, postmanVariables } from '../../../../../src/commands/init/traffic/formats/postman.ts';
import { withValues } from '../../../../../src/commands/init/traffic/formats/variables.ts';
import { BINARY } from '../../../../../src/commands/init/traffic/request.ts';

const NONE = new Map<string, string>();

const collection = (item: readonly unknown[], version = 'v2.1.0') => ({
  info: { name: 'shop', schema: `https://schema.getpostman.com/json/collection/${version}/collection.json` },
  item,
  variable: [{ key: 'host', value: 'https://shop.test' }],
  auth: { type: 'bearer', bearer: [{ key: 'token', value: 'x' }] },
});

describe('a collection of Postman', () => {
  const read = (request: unknown) =>
    postmanRequests(collection([{ name: 'folder', item: [{ name: 'one', request }] }]), new Map([['page', '2']]));

  test('has its requests in folders, with variables of the environment and of itself', () => {
    expect(
      read({
        method: 'GET',
        url: { raw: '{{host}}/items/:id?page={{page}}&q={{q}}', variable: [{ key: 'id', value: '7' }] },
      }),
    ).toEqual([
      {
        method: 'GET',
        target: 'https://shop.test/items/7?page=2&q={{q}}',
        headers: [['Authorization', 'Bearer secret']],
        body: undefined,
        isTemplate: true,
      },
    ]);
  });

  test.each([
    [{ mode: 'raw', raw: '{"page":{{page}}}' }, '{"page":2}'],
    [
      {
        mode: 'urlencoded',
        urlencoded: [
          { key: 'a', value: '1 2' },
          { key: 'b', value: '3', disabled: true },
        ],
      },
      'a=1%202',
    ],
    [
      { mode: 'graphql', graphql: { query: '{ a }', variables: '{"p":{{page}}}' } },
      '{"query":"{ a }","variables":{"p":2}}',
    ],
    [{ mode: 'file', file: { src: '/etc/passwd' } }, BINARY],
    [undefined, undefined],
  ])('sends %j', (body, expected) => {
    expect(read({ method: 'POST', url: '{{host}}/a', body })[0]?.body).toBe(expected);
  });

  test('takes no secret of an environment', () => {
    const values = [
      { key: 'a', value: '1' },
      { key: 'b', value: '2', enabled: false },
      { key: 'c', value: '3', type: 'secret' },
    ];

    expect([...postmanVariables({ values })]).toEqual([['a', '1']]);
    expect(
      withValues(
        '{{a}} {{ token }}',
        new Map([
          ['a', '1'],
          ['token', 'x'],
        ]),
      ),
    ).toBe('1 {{ token }}');
  });

  test.each([
    [collection([], 'v1.0.0'), /another version than 2\.x/],
    [{ info: {} }, /another version than 2\.x/],
    [collection([{ request: 7 }]), /^item\[0\]\.request/],
    [collection([{ item: [{ request: { method: 7 } }] }]), /^item\[0\]\.item\[0\]\.request/],
    [collection([Array.from({ length: 50 }).reduce<object>((inner) => ({ item: [inner] }), {})]), /nested too deeply/],
  ])('is refused with the place: %#', (document, message) => {
    expect(() => postmanRequests(document, NONE)).toThrow(message);
  });
});

test('variables that grow without end are left alone', () => {
  const variables = new Map(Array.from({ length: 9 }, (_, place) => [`v${place}`, `{{v${place + 1}}}`.repeat(100)]));

  expect(withValues('{{v0}}', variables).length).toBeLessThanOrEqual(10_000_000);
});

const HTTP = `@host = https://shop.test
# @name first
GET {{host}}/items
    ?page=2
    &limit=5
Accept: application/json

### second
POST {{host}}/orders HTTP/1.1
Content-Type: application/json
Authorization: Bearer {{token}}

{
  "item": 7
}

> {%
  client.log("x");
GET https://no.test/x
%}

###
POST /upload

< ./body.bin
###
/plain
`;

test('a file of an editor has its requests, without scripts', () => {
  const found = httpFileRequests(HTTP, NONE);

  expect(isHttpFile('a.txt', HTTP)).toBe(true);
  expect(found.map(({ method, target, body }) => [method, target, body])).toEqual([
    ['GET', 'https://shop.test/items?page=2&limit=5', undefined],
    ['POST', 'https://shop.test/orders', '{\n  "item": 7\n}'],
    ['POST', '/upload', BINARY],
    ['GET', '/plain', undefined],
  ]);
  expect(found[1]?.headers).toEqual([
    ['Content-Type', 'application/json'],
    ['Authorization', 'Bearer {{token}}'],
  ]);
});

test('targets of vegeta are its requests', () => {
  const text =
    'GET https://shop.test/a\nX-A: 1\n\nPOST https://shop.test/b\n@/tmp/body\n\nDELETE https://shop.test/c\n';
  const json = {
    method: 'POST',
    url: 'https://shop.test/b',
    body: Buffer.from('{"a":1}').toString('base64'),
    header: { 'X-A': ['1'] },
  };

  expect(httpFileRequests(text, NONE).map(({ method, target, body }) => [method, target, body])).toEqual([
    ['GET', 'https://shop.test/a', undefined],
    ['POST', 'https://shop.test/b', BINARY],
    ['DELETE', 'https://shop.test/c', undefined],
  ]);
  expect(jsonLogRequest(JSON.stringify(json))).toMatchObject({
    method: 'POST',
    body: '{"a":1}',
    headers: [['X-A', '1']],
  });
});

const BRUNO = `meta {
  name: Add
  type: http
}

post {
  url: {{host}}/orders/:id?a=1
  body: json
  auth: apikey
}

params:path {
  id: 7
}

headers {
  X-A: {{a}}
  ~X-B: 2
}

auth:apikey {
  key: X-Key
  value: {{key}}
}

body:json {
  {
    "item": "{{a}}"
  }
}
`;

test('a file of Bruno has a request, with the variables of an environment', () => {
  const variables = brunoVariables('vars {\n  host: https://shop.test\n  a: 1\n  ~b: 2\n}\nvars:secret [\n  key\n]\n');

  expect(isBrunoFile(BRUNO)).toBe(true);
  expect(brunoRequests('meta {\n  name: folder\n}\n', variables)).toEqual([]);
  expect(brunoRequests(BRUNO, variables)).toEqual([
    {
      method: 'POST',
      target: 'https://shop.test/orders/7?a=1',
      headers: [
        ['X-A', '1'],
        ['X-Key', 'secret'],
      ],
      body: '{\n    "item": "1"\n  }',
      isTemplate: true,
    },
  ]);
});

test('all of them are read in a time that grows with them: a square of these would take minutes', () => {
  for (const piece of ['{{a}}', 'GET /\n', '###\n', '@a=', '> {%\n', '/:a', 'get {\n', '  a: b\n', '"', '  ']) {
    const text = piece.repeat(300_000 / piece.length);
    isHttpFile('a.http', text);
    httpFileRequests(text, NONE);
    isBrunoFile(text);
    brunoRequests(`get {\n  url: ${text}\n}\n${text}`, NONE);
  }
});
