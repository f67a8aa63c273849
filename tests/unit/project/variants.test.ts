import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inBothRuntimes } from '../../../src/project/both.ts';
import type { SuiteFiles } from '../../../src/project/files.ts';
import { servicesBefore, suiteBefore } from '../../../src/project/former-names.ts';
import { configPlaces } from '../../../src/project/places.ts';
import { readSuite, servicesIn } from '../../../src/project/suite.ts';
import { sampleRun } from '../../support/sample-run.ts';
import { restService, usersSuite } from '../../support/suite.ts';

const MANIFEST = 'name: api\nprotocol: rest\nport: 80\nimage: nginx:1.27\nenvironment: { WORKERS: 8 }\n';
const SUITE = `name: servers
title: Servers
services: [api, other]
operations:
  - { name: Index, rest: GET / }
variants:
  api: { WORKERS: [1, 2] }
`;
const PROJECT = `services:
  api:
    { protocol: rest, port: 80, image: "nginx:1.27", headers: { Authorization: "\${env.TOKEN}" } }
  own: { protocol: rest, port: 80, image: "nginx:1.27", operations: [{ name: Own, rest: GET /own }] }
operations:
  - { name: Index, rest: GET / }
variants:
  api: { one: { WORKERS: 1 }, two: { WORKERS: 2 } }
  own: { red: { COLOR: red }, blue: { COLOR: blue } }
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'checkout-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe('variants of a service that was renamed', () => {
  const renamed = PROJECT.replaceAll('  api:', '  gateway:').replace(
    '{ protocol: rest, port: 80',
    '{ wasNamed: [api], protocol: rest, port: 80',
  );

  test('have former names, and are found in a version from before', () => {
    write('wiregauge.yml', renamed);
    const { suite } = readSuite(root, undefined);
    write('wiregauge.yml', PROJECT);

    expect(suite.wasNamed?.services).toEqual({ 'gateway.one': ['api.one'], 'gateway.two': ['api.two'] });
    expect(servicesBefore(root, suite).common).toEqual(suite.services);
    expect([...suiteBefore(root, undefined, suite).services.keys()]).toEqual(suite.services);
  });

  test('have them in both runtimes, too', () => {
    const suite = { ...usersSuite(), wasNamed: { services: { rest: ['api'] }, operations: {} } };
    const service = { ...restService('rest'), image: { reference: 'rest' }, process: { command: ['rest'] } };
    const files = {
      root,
      suite,
      ownServices: ['rest'],
      services: new Map([['rest', service]]),
      configHash: '',
      secrets: [],
    };

    expect(inBothRuntimes(files as unknown as SuiteFiles).suite.wasNamed?.services).toEqual({
      'rest-process': ['api-process'],
      'rest-docker': ['api-docker'],
    });
  });
});

describe('variants in a file of suites/', () => {
  beforeEach(() => {
    write('suites/servers.yml', SUITE);
    write('services/api/service.yml', MANIFEST);
    write('services/other/service.yml', MANIFEST.replace('api', 'other'));
  });

  test('are in the place of their service', () => {
    const { suite, services, ownServices } = readSuite(root, 'servers');

    expect(suite.services).toEqual(['api.workers-1', 'api.workers-2', 'other']);
    expect(suite.variants).toBeUndefined();
    expect([...services.keys()]).toEqual(suite.services);
    expect(ownServices).toEqual(suite.services);
    expect(services.get('api.workers-2')?.environment).toEqual({ WORKERS: '2' });
  });

  test.each([
    [['api.workers-2'], ['api.workers-2']],
    [
      ['other', 'api'],
      ['other', 'api.workers-1', 'api.workers-2'],
    ],
    [
      ['api.workers-2', 'api'],
      ['api.workers-2', 'api.workers-1'],
    ],
  ])('are chosen by %j', (requested, found) => {
    expect(readSuite(root, 'servers', requested).suite.services).toEqual(found);
  });

  test.each(['api.workers-3', 'apa'])('are named if someone asks for %s', (name) => {
    expect(() => readSuite(root, 'servers', [name])).toThrow(`there is no service "${name}"`);
  });

  test('are services of the repository in that suite alone', () => {
    expect(servicesIn(root, 'servers')).toEqual(['api', 'other', 'api.workers-1', 'api.workers-2']);
    expect(servicesIn(root)).toEqual(['api', 'other']);
  });

  test('have the line of their service', () => {
    const run = sampleRun();
    const services = [
      { ...run.services[0], name: 'api.workers-1', variant: { of: 'api', name: 'x', environment: {} } },
    ];
    const found = { ...run, suite: { ...run.suite, name: 'servers' }, services } as typeof run;
    const cell = { suite: 'servers', service: 'api.workers-1', operation: 'all', tier: 'all' };

    expect(configPlaces(root, found, undefined).cell(cell)).toEqual({ path: 'services/api/service.yml', line: 1 });
  });
});

describe('variants in a wiregauge.yml', () => {
  beforeEach(() => write('wiregauge.yml', PROJECT));

  test('are in the place of their services, with the operations and secrets of each', () => {
    const { suite, secrets } = readSuite(root, undefined);

    expect(suite.services).toEqual(['api.one', 'api.two', 'own.red', 'own.blue']);
    expect(suite.groups?.map(({ services }) => services)).toEqual([
      ['api.one', 'api.two'],
      ['own.red', 'own.blue'],
    ]);
    expect(secrets.map(({ service }) => service)).toEqual(['api.one', 'api.two']);
  });

  test('are chosen by the name of their service', () => {
    const { suite, secrets } = readSuite(root, undefined, ['own']);

    expect(suite.services).toEqual(['own.red', 'own.blue']);
    expect(secrets).toEqual([]);
  });
});
