import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/foundation/errors.ts';
import { readSuite, servicesIn, suiteRoot } from '../../../src/project/suite.ts';

const PROJECT = `name: shop
services:
  api: { protocol: rest, port: 8080, image: nginx:1.27 }
  other: { protocol: rest, port: 8081, image: nginx:1.27 }
operations:
  - { name: Index, rest: GET / }
`;
const SUITE = `name: small
title: Small
services: [old]
operations:
  - { name: Index, rest: GET / }
`;
const MANIFEST = 'name: old\nprotocol: rest\nport: 80\nimage: nginx:1.27\n';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'checkout-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function refusal(read: () => unknown): ConfigError {
  try {
    read();
  } catch (thrown) {
    if (thrown instanceof ConfigError) {
      return thrown;
    }
    throw thrown;
  }
  return expect.unreachable('nothing was refused');
}

describe('with a wiregauge.yml', () => {
  beforeEach(() => write('wiregauge.yml', PROJECT));

  test.each([undefined, 'shop'])('reads its suite when asked for %s', (name) => {
    const { suite, services, ownServices } = readSuite(root, name);

    expect(suite.name).toBe('shop');
    expect([...services.keys()]).toEqual(['api', 'other']);
    expect(ownServices).toEqual(['api', 'other']);
  });

  test('has the title that it says, or its name; else that of the package, or of the services', () => {
    const nameless = PROJECT.replace('name: shop\n', '');
    const titles = [PROJECT, `title: The shop\n${PROJECT}`, nameless].map((text) => {
      write('wiregauge.yml', text);
      return readSuite(root, undefined).suite.title;
    });
    write('package.json', '{ "name": "@one/shop-api" }');
    const { suite } = readSuite(root, undefined);

    expect(titles).toEqual(['shop', 'The shop', 'api, other']);
    // Histories know it by its name, which stays.
    expect([suite.name, suite.title]).toEqual(['main', 'shop-api']);
  });

  test('reads some of its services', () => {
    const { suite, services, ownServices } = readSuite(root, undefined, ['other']);

    expect([suite.services, [...services.keys()], ownServices]).toEqual([['other'], ['other'], ['api', 'other']]);
  });

  test('names its services where one is asked for that there is none of', () => {
    const { message, next } = refusal(() => readSuite(root, undefined, ['apu']));

    expect([message, next]).toEqual(['there is no service "apu"', 'Available services: api, other. Did you mean api?']);
  });

  test('reads a suite of the folder by its name', () => {
    write('suites/small.yml', SUITE);
    write('services/old/service.yml', MANIFEST);

    expect(readSuite(root, 'small').suite.services).toEqual(['old']);
    expect(servicesIn(root)).toEqual(['api', 'other', 'old']);
  });

  test('names all suites where one is asked for that there is none of', () => {
    write('suites/small.yml', SUITE);

    expect(refusal(() => readSuite(root, 'large')).next).toBe('Available suites: shop, small.');
  });

  test('has another hash when anything in it changes', () => {
    const { configHash } = readSuite(root, undefined);
    write('wiregauge.yml', PROJECT.replace('8081', '8082'));

    expect(readSuite(root, undefined).configHash).not.toBe(configHash);
  });

  test('has the hash of before among its former ones if nothing but names changed', () => {
    const { configHash, formerHashes } = readSuite(root, undefined);
    expect(formerHashes).toBeUndefined();
    write('wiregauge.yml', PROJECT.replace('  api: {', '  gateway: { wasNamed: [api],'));
    const renamed = readSuite(root, undefined);
    write('wiregauge.yml', PROJECT.replace('  api: {', '  gateway: { wasNamed: [api],').replace('8081', '8082'));

    expect(renamed.configHash).not.toBe(configHash);
    expect(renamed.formerHashes).toContain(configHash);
    expect(readSuite(root, undefined).formerHashes).not.toContain(configHash);
  });

  test('has one hash whether it says a former name or not', () => {
    const { configHash } = readSuite(root, undefined);
    write('wiregauge.yml', PROJECT.replace('  other: {', '  other: { wasNamed: [old],'));

    expect(readSuite(root, undefined).configHash).toBe(configHash);
  });

  test('is measured rather than what Wiregauge brings', () => {
    expect(suiteRoot(root, '/own')).toBe(root);
  });
});

test('takes the only suite of the folder where none is named', () => {
  write('suites/small.yml', SUITE);
  write('services/old/service.yml', MANIFEST);

  expect(readSuite(root, undefined).suite.name).toBe('small');
});

test('says what to write where there is nothing to measure', () => {
  const { message, next } = refusal(() => readSuite(root, undefined));

  expect(message).toBe('there is nothing to measure here');
  expect(next).toMatch(/no wiregauge\.yml or suites\/\*\.yml.*`wiregauge init`.*`wiregauge demo`/);
});

test('asks for a name where there are several suites', () => {
  write('suites/small.yml', SUITE);
  write('suites/large.yml', SUITE);

  expect(refusal(() => readSuite(root, undefined)).next).toBe(
    'Available suites: large, small. Select one with --suite.',
  );
});

describe('what a configuration names', () => {
  const project = (service: string, operation: string): void =>
    write(
      'wiregauge.yml',
      `services:\n  api: { protocol: rest, port: 80, image: a:1${service} }\noperations:\n  - ${operation}\n`,
    );

  test('files are part of what distinguishes configurations', () => {
    project('', '{ name: A, rest: "GET /{id}", feed: { file: ids.csv } }');
    const hashes = ['id\n1\n', 'id\n2\n'].map((feed) => {
      write('ids.csv', feed);
      return readSuite(root, undefined).configHash;
    });

    expect(hashes[0]).not.toBe(hashes[1]);
  });

  test('secrets are reported with their places, for the selected services', () => {
    write(
      'wiregauge.yml',
      PROJECT.replace('nginx:1.27 }', 'nginx:1.27, environment: { A: "${env.ONE}" } }').replace(
        '8081, image: nginx:1.27 }',
        '8081, image: nginx:1.27, environment: { B: "${env.TWO}" } }',
      ),
    );
    const variablesOf = (requested?: readonly string[]) =>
      readSuite(root, undefined, requested).secrets.map(({ variable }) => variable);

    expect(variablesOf()).toEqual(['ONE', 'TWO']);
    expect(variablesOf(['other'])).toEqual(['TWO']);
  });

  test('secrets of manifests are reported, too', () => {
    write('suites/small.yml', SUITE);
    write('services/old/service.yml', `${MANIFEST}headers: { Authorization: "\${env.TOKEN}" }\n`);

    expect(readSuite(root, 'small').secrets).toMatchObject([
      { variable: 'TOKEN', place: 'services/old/service.yml:5:12: headers.Authorization' },
    ]);
  });
});
