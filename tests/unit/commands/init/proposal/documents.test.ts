import { expect, test } from 'vitest';
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

test('a document beside all services may be that of any', () => {
  expect(found({ 'api/package.json': PROGRAM, 'spec/openapi.json': document('shared') })).toEqual({ api: ['shared'] });
});
