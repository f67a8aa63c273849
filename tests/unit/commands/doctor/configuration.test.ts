import { expect, test } from 'vitest';
import { configuration } from '../../../../src/commands/doctor/doctor.ts';
import { currentFolderPerTest } from '../../../support/current-folder.ts';

const folder = currentFolderPerTest();

const diagnosed = (need: string) => {
  folder.write(
    'wiregauge.yml',
    `services:
  shop: { protocol: rest, process: { command: [shop] }, needs: { db: ${need} } }
operations:
  - { name: Get, rest: GET / }
`,
  );
  return configuration(undefined).diagnoses;
};

test('is well if a plain process needs a container', () => {
  expect(diagnosed('{ image: "postgres:17", port: 5432 }').map(({ state }) => state)).toEqual(['ok']);
});

test('has a problem if no runtime can start what a service needs, and says what to add', () => {
  const needs = '{ image: "postgres:17", port: 5432 }, cache: { process: { command: [cache] } }';
  expect(diagnosed(needs)).toEqual([
    {
      about: 'configuration',
      state: 'problem',
      says: expect.stringContaining('cache has no image, and db has no process'),
      next: 'Add a `process` with a `command` to db, or an `image` with a `port` to cache.',
      code: 'WG-116',
    },
  ]);
});

test('is well if both are plain processes, without a port', () => {
  expect(diagnosed('{ process: { command: [db] } }').map(({ state }) => state)).toEqual(['ok']);
});

test('has no warning of a Dockerfile that is not there if plain processes are measured', () => {
  folder.write(
    'wiregauge.yml',
    `services:
  shop: { protocol: rest, port: 8000, image: { context: . }, process: { command: [shop] } }
operations:
  - { name: Get, rest: GET / }
`,
  );

  expect(configuration(undefined, 'auto').diagnoses.map(({ state }) => state)).toEqual(['warning']);
  expect(configuration(undefined, 'process').diagnoses.map(({ state }) => state)).toEqual(['ok']);
});
