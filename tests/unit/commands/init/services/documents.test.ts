import { expect, test } from 'vitest';
import { proposeServices } from '../../../../../src/commands/init/services/propose.ts';
import { proposed } from './repositories.ts';

const document = (operationId: string) =>
  JSON.stringify({ openapi: '3.1.0', paths: { '/x': { get: { operationId } } } });

const PROGRAM = '{ "scripts": { "start": "node x.js" }, "dependencies": { "express": "5" } }';

/** The names of the operations of each service, by the folder of the service. */
const found = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    proposed(texts).proposals.map(({ folder, operations }) => [folder, operations.map(({ name }) => name)]),
  );

test('a service is asked for what the nearest document says', () => {
  expect(
    found({
      'apps/api/package.json': PROGRAM,
      'openapi.json': document('ofTheRoot'),
      'apps/openapi.json': document('ofTheApps'),
      'apps/web/package.json': PROGRAM,
      'apps/web/spec/openapi.json': document('ofWeb'),
    }),
  ).toEqual({ 'apps/api': ['ofTheApps'], 'apps/web': ['ofWeb'] });
});

test('a service is never asked for what a document in the folder of another says', () => {
  expect(
    found({ 'api/package.json': PROGRAM, 'web/package.json': PROGRAM, 'web/openapi.json': document('ofWeb') }),
  ).toEqual({ api: [], web: ['ofWeb'] });
  expect(
    found({ 'package.json': PROGRAM, 'web/package.json': PROGRAM, 'web/openapi.json': document('ofWeb') }),
  ).toEqual({
    '': [],
    web: ['ofWeb'],
  });
});

test('of folders that are alike, the one with the shorter name comes first', () => {
  const texts = { 'shop-next/package.json': PROGRAM, 'shop/package.json': PROGRAM };

  expect(proposed(texts).proposals.map(({ folder }) => folder)).toEqual(['shop', 'shop-next']);
});

test('a document next to all services may describe any', () => {
  expect(found({ 'api/package.json': PROGRAM, 'spec/openapi.json': document('shared') })).toEqual({ api: ['shared'] });
});

const posts = (...paths: readonly string[]) =>
  JSON.stringify({
    openapi: '3.1.0',
    paths: Object.fromEntries(
      paths.map((path) => {
        const schema = {
          type: 'object',
          required: ['text'],
          properties: { text: { type: 'string', example: 'hello' } },
        };
        return [path, { post: { requestBody: { content: { 'application/json': { schema } } } } }];
      }),
    ),
  });

test('a service that answers no GET is sent an example of what reads with a body', () => {
  const { operations } = proposed({ 'package.json': PROGRAM, 'openapi.json': posts('/v1/predict', '/v1/orders') });

  expect(operations).toMatchObject([
    { bindings: { rest: { method: 'POST', path: '/v1/predict' } }, arguments: [{ text: 'hello' }] },
  ]);
});

test('the operations that are left out are named in a comment', () => {
  const { text } = proposed({ 'package.json': PROGRAM, 'openapi.json': posts('/v1/predict', '/v1/orders') });

  expect(text).toContain(' Left out: POST /v1/orders {"text":"hello"}.\n');
});

test('operations that change something are proposed if they are asked for', () => {
  const files = Object.entries({ 'package.json': PROGRAM, 'openapi.json': posts('/v1/predict', '/v1/orders') });
  const [{ operations }] = proposeServices({
    name: 'x',
    files: files.map(([path, text]) => ({ path, text })),
    writes: true,
  });

  expect(operations.map(({ binding }) => binding)).toMatchObject([
    { rest: { path: '/v1/predict' } },
    { rest: { method: 'POST', path: '/v1/orders', body: { json: { text: '{text}' } } } },
  ]);
});

const guarded = (scheme: object, open: readonly string[] = []) =>
  JSON.stringify({
    openapi: '3.1.0',
    security: [{ key: [] }],
    paths: Object.fromEntries(
      ['/health', '/orders', '/me'].map((path) => [
        path,
        { get: { operationId: path.slice(1), ...(open.includes(path) && { security: [] }) } },
      ]),
    ),
    components: { securitySchemes: { key: scheme } },
  });

test.each([
  [{ type: 'http', scheme: 'bearer' }, { Authorization: 'Bearer ${env.API_TOKEN}' }],
  [{ type: 'http', scheme: 'basic' }, { Authorization: 'Basic ${env.API_TOKEN}' }],
  [{ type: 'apiKey', in: 'header', name: 'X-Key' }, { 'X-Key': '${env.API_TOKEN}' }],
  [{ type: 'apiKey', in: 'cookie', name: 'sid' }, { Cookie: 'sid=${env.API_TOKEN}' }],
  [{ type: 'apiKey', in: 'query', name: 'key' }, undefined],
])('credentials that a document wants for all are headers of the service: %j', (scheme, headers) => {
  const { service, operations, text } = proposed({
    'package.json': PROGRAM,
    'openapi.json': guarded(scheme, ['/health']),
  });

  expect(service?.headers).toEqual(headers);
  expect(operations.map(({ name }) => name)).toEqual(['health', 'orders', 'me']);
  expect(text.includes('set API_TOKEN in the environment')).toBe(headers !== undefined);
});

test('what is left out has the base path of the document, as the requests have', () => {
  const get = { responses: { 200: { description: 'ok' } } };
  const secured = { ...get, parameters: [{ name: 'X-Key', in: 'header', required: true, schema: { type: 'string' } }] };
  const document = {
    openapi: '3.0.0',
    info: { title: 'shop', version: '1' },
    servers: [{ url: 'https://shop.example/api/v3' }],
    paths: { '/orders': { get, delete: get }, '/me': { get: secured }, '/login': { post: get } },
  };
  const { text, proposals } = proposed({ 'package.json': PROGRAM, 'openapi.json': JSON.stringify(document) });

  expect(text).toContain('rest: GET /api/v3/orders');
  expect(proposals[0].further).toEqual(['DELETE /api/v3/orders', 'GET /api/v3/me', 'POST /api/v3/login']);
  expect(proposals[0].logins).toEqual(['POST /api/v3/login']);
});

test('what needs credentials is left out if something else does not', () => {
  const document = guarded({ type: 'http', scheme: 'bearer' }, ['/health', '/orders']);
  const { service, operations, proposals } = proposed({ 'package.json': PROGRAM, 'openapi.json': document });

  expect(service?.headers).toBeUndefined();
  expect(operations.map(({ name }) => name)).toEqual(['health', 'orders']);
  expect(proposals[0].further).toEqual(['GET /me']);
});

test('what is sent with a body is left alone if anything else answers', () => {
  const both = JSON.parse(posts('/search'));
  const text = JSON.stringify({ ...both, paths: { ...both.paths, '/x': { get: { operationId: 'getX' } } } });

  expect(found({ 'package.json': PROGRAM, 'openapi.json': text })).toEqual({ '': ['getX'] });
  expect(found({ 'package.json': PROGRAM, 'openapi.json': posts('/orders') })).toEqual({ '': [] });
});
