import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import { readSuites, refuseAdopted } from '../../../../src/measure/session/versions/suites.ts';
import type { VersionFolder } from '../../../../src/measure/session/versions/words.ts';

const STARTED = 'shop: { protocol: rest, port: 80, image: shop:1 }';
const RUNNING = 'shop: { protocol: rest, address: "127.0.0.1:8080" }';
const OTHER = 'other: { protocol: rest, port: 80, image: other:1 }';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'versions-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function version(ref: string, ...services: readonly string[]): VersionFolder {
  return versionWith(ref, services, '{ name: Get, rest: GET / }');
}

function versionWith(ref: string, services: readonly string[], operation: string): VersionFolder {
  const root = mkdtempSync(join(folder, 'version-'));
  const lines = services.map((service) => `  ${service}\n`).join('');
  writeFileSync(join(root, 'wiregauge.yml'), `services:\n${lines}operations:\n  - ${operation}\n`);
  return { root, ref, commit: '0123456789', dirty: false, subject: 'A version' };
}

describe('variants of a service', () => {
  const MANIFEST = 'name: shop\nprotocol: rest\nport: 80\nimage: shop:1\n';
  const SUITE =
    'name: servers\ntitle: Servers\nservices: [shop]\noperations:\n  - { name: Get, rest: GET / }\nvariants:\n  shop: ';

  function versionOfSuite(ref: string, variants: string): VersionFolder {
    const root = mkdtempSync(join(folder, 'version-'));
    mkdirSync(join(root, 'suites'));
    mkdirSync(join(root, 'services', 'shop'), { recursive: true });
    writeFileSync(join(root, 'services', 'shop', 'service.yml'), MANIFEST);
    writeFileSync(join(root, 'suites', 'servers.yml'), `${SUITE}${variants}\n`);
    return { root, ref, commit: '0123456789', dirty: false, subject: 'A version' };
  }

  test.each([
    [undefined, ['shop.workers-2']],
    [['shop'], ['shop.workers-2']],
    [['shop.workers-2'], ['shop.workers-2']],
  ])('are compared if both versions have them: %j', (requested, services) => {
    const base = versionOfSuite('main', '{ WORKERS: [1, 2] }');
    const head = versionOfSuite('topic', '{ WORKERS: [2, 4] }');

    const { suite, ...sides } = readSuites({ base, head }, 'servers', { services: requested });

    expect(suite.services).toEqual(services);
    expect([sides.base, sides.head].map((one) => [...one.services.keys()])).toEqual([services, services]);
    expect(sides.base.services.get('shop.workers-2')?.environment).toEqual({ WORKERS: '2' });
  });

  test('are taken from the head if the base has none of them', () => {
    const base = versionOfSuite('main', '{ WORKERS: [1] }');
    const head = versionOfSuite('topic', '{ WORKERS: [2] }');

    const suites = readSuites({ base, head }, 'servers', undefined);

    expect(suites.adopted).toBe('other-configuration');
    expect([...suites.base.services.keys()]).toEqual(['shop.workers-2']);
  });
});

describe('a base without a configuration of its own for what the head measures', () => {
  const suiteOf = (name: string, ...services: readonly string[]) => {
    const found = version('main', ...services);
    const path = join(found.root, 'wiregauge.yml');
    writeFileSync(path, `name: ${name}\n${readFileSync(path, 'utf8')}`);
    return found;
  };
  const empty = () => ({ ...version('main'), root: mkdtempSync(join(folder, 'version-')) });

  test.each([
    ['has none at all', { baseOf: empty, name: undefined, adopted: 'no-configuration' }],
    ['has other services', { baseOf: () => version('main', OTHER), name: undefined, adopted: 'other-configuration' }],
    [
      'has no suite of that name',
      { baseOf: () => suiteOf('before', STARTED), name: 'now', adopted: 'other-configuration' },
    ],
    [
      'has other operations',
      {
        baseOf: () => versionWith('main', [STARTED], '{ name: List, rest: GET /list }'),
        name: undefined,
        adopted: 'other-configuration',
      },
    ],
  ])('is measured with that of the head: it %s', (_what, { baseOf, name, adopted }) => {
    const head = name === undefined ? version('topic', STARTED) : suiteOf(name, STARTED);
    const base = baseOf();

    const suites = readSuites({ base, head }, name, undefined);

    expect(suites.adopted).toBe(adopted);
    expect(suites.base).toEqual({ ...suites.head, root: base.root });
    expect(suites.suite.operations.map((one) => one.name)).toEqual(['Get']);
    expect(() => refuseAdopted(suites, base)).toThrow(
      'main does not have the services shop, so there is nothing to compare with',
    );
  });

  test('is measured with its own if it has one of the services, and the others are in one version only', () => {
    const base = version('main', STARTED);
    const suites = readSuites({ base, head: version('topic', STARTED, OTHER) }, undefined, undefined);

    expect(suites.adopted).toBeUndefined();
    expect(suites.suite.services).toEqual(['shop']);
    expect(() => refuseAdopted(suites, base)).not.toThrow();
  });

  test('is refused if its configuration cannot be read, with any content', () => {
    const reading = () =>
      readSuites({ base: version('main', 'other: 7'), head: version('topic', STARTED) }, undefined, undefined);

    expect(reading).toThrow(/^in main: wiregauge\.yml:2:3: services\.other/);
  });
});

describe('readSuites', () => {
  test('says which version has a file that cannot be read', () => {
    const broken = version('main', 'shop: 7');
    const reading = () => readSuites({ base: broken, head: version('topic', STARTED) }, undefined, undefined);

    expect(reading).toThrow(/^in main: wiregauge\.yml:2:3: services\.shop/);
  });

  test.each([
    ['head', [STARTED], [RUNNING]],
    ['base', [RUNNING], [STARTED]],
  ])('refuses a service that already runs, where %s says so: there is one version of it', (_side, base, head) => {
    const reading = () =>
      readSuites({ base: version('main', ...base), head: version('topic', ...head) }, undefined, undefined);

    expect(reading).toThrow(ConfigError);
    expect(reading).toThrow(/^shop: is already running at 127\.0\.0\.1:8080, so there is only one version of it/);
  });

  test('compares a service and an operation with what they were named before', () => {
    const base = version('main', STARTED, OTHER);
    const renamed = [STARTED.replace('shop:', 'store:').replace(' }', ', wasNamed: [market, shop] }'), OTHER];
    const head = versionWith('topic', renamed, '{ name: List, wasNamed: [Get], rest: GET / }');

    const suites = readSuites({ base, head }, undefined, undefined);

    expect(suites.suite.services).toEqual(['store', 'other']);
    expect(suites.suite.operations.map(({ name }) => name)).toEqual(['List']);
    expect(suites.base.ownServices).toEqual(['store', 'other']);
    expect(suites.base.suite.operations.map(({ name }) => name)).toEqual(['List']);
    expect([...suites.base.services].map(([key, { name, title }]) => [key, name, title])).toEqual([
      ['store', 'store', 'store'],
      ['other', 'other', 'other'],
    ]);
  });

  test('takes the operations that both versions have of each service, though another has one of that name, too', () => {
    const own = (name: string, ...operations: readonly string[]) =>
      `${name}: { protocol: rest, port: 80, image: a:1, operations: [${operations.map((one) => `{ name: ${one}, rest: GET /${name} }`).join(', ')}] }`;
    const base = version(
      'main',
      own('shop', 'List', 'Old'),
      own('users', 'List', 'New'),
      'plain: { protocol: rest, port: 80, image: a:1 }',
    );
    const head = version(
      'topic',
      own('shop', 'List', 'New'),
      own('users', 'List', 'Old'),
      'plain: { protocol: rest, port: 80, image: a:1 }',
    );

    const { suite } = readSuites({ base, head }, undefined, undefined);

    const named = suite.groups?.map(({ services, operations }) => [services, operations.map(({ name }) => name)]);
    expect(named).toEqual([
      [['shop'], ['List']],
      [['users'], ['List']],
      [['plain'], ['Get']],
    ]);
    expect(suite.groups?.map(({ operations }) => operations[0]?.share)).toEqual([1, 1, 1]);
  });

  test('refuses a service whose versions have no operation in common, and names it', () => {
    const own = (name: string) =>
      `users: { protocol: rest, port: 80, image: a:1, operations: [{ name: ${name}, rest: GET / }] }`;
    const reading = () =>
      readSuites(
        { base: version('main', STARTED, own('Old')), head: version('topic', STARTED, own('New')) },
        undefined,
        undefined,
      );

    expect(reading).toThrow(/^users of suite main: main and topic have no operation in common/);
  });

  test('ignores of an answer what either version ignores, so that a pull request may begin to', () => {
    const operation = (ignore: string) => `{ name: Get, rest: GET /, ignore: [${ignore}] }`;
    const base = versionWith('main', [STARTED], operation('$.at, $.old'));
    const head = versionWith('topic', [STARTED], operation('$.at, $.new'));

    const [get] = readSuites({ base, head }, undefined, undefined).suite.operations;

    expect(get?.ignore?.toSorted()).toEqual(['$.at', '$.new', '$.old']);
  });

  test('compares some of the operations, and says nothing of the others', () => {
    const operations = (...names: readonly string[]) =>
      names.map((one) => `{ name: ${one}, rest: GET /${one} }`).join('\n  - ');
    const base = versionWith('main', [STARTED], operations('Get', 'List', 'Old'));
    const head = versionWith('topic', [STARTED], operations('Get', 'List', 'New'));

    const suites = readSuites({ base, head }, undefined, { operations: ['Get', 'New'] });

    expect(suites.suite.operations.map(({ name, share }) => [name, share])).toEqual([['Get', 1]]);
    expect([suites.base, suites.head].map(({ suite }) => suite.operations.map(({ name }) => name))).toEqual([
      ['Get'],
      ['Get', 'New'],
    ]);
    expect(() => readSuites({ base, head }, undefined, { operations: ['Old'] })).toThrow('there is no operation "Old"');
  });

  test('minds no service that already runs where others are asked for', () => {
    const folders = { base: version('main', OTHER, RUNNING), head: version('topic', OTHER, RUNNING) };

    expect(readSuites(folders, undefined, { services: ['other'] }).suite.services).toEqual(['other']);
  });

  test('names the file of a mistake by its path in the repository', () => {
    const head = version('topic', STARTED);
    writeFileSync(join(head.root, 'wiregauge.yml'), 'services: [\n');
    const reading = () => readSuites({ base: version('main', STARTED), head }, undefined, undefined);

    expect(reading).toThrow(/^in topic: wiregauge\.yml:/);
  });
});

describe('a pull request cannot loosen the load', () => {
  const BASE = `tiers: [{ name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.1 }, { name: high, users: 100, spawnPerSecond: 10, thinkSeconds: 0.1 }]
saturation: { workers: 20, warmupSeconds: 1 }
operations:
  - { name: Get, rest: GET /, weight: 1 }
  - { name: List, rest: GET /list, weight: 1 }
`;
  const versionOf = (ref: string, text: string): VersionFolder => {
    const root = mkdtempSync(join(folder, 'version-'));
    writeFileSync(join(root, 'wiregauge.yml'), `services:\n  ${STARTED}\n${text}`);
    return { root, ref, commit: '0123456789', dirty: false, subject: 'A version' };
  };
  const compared = (text: string) =>
    readSuites({ base: versionOf('main', BASE), head: versionOf('topic', text) }, undefined);
  let same: ReturnType<typeof readSuites>;
  beforeAll(() => {
    same = compared(BASE);
  });

  test('and nothing is said if it changes none of it', () => {
    expect(same.load).toEqual([]);
  });

  test.each([
    ['fewer users', ['users: 100', 'users: 1'], ['tier high', '100 users', '1 user']],
    [
      'more think time',
      ['users: 100, spawnPerSecond: 10, thinkSeconds: 0.1', 'users: 100, spawnPerSecond: 10, thinkSeconds: 9'],
      ['tier high', 'thinkSeconds":0.1', 'thinkSeconds":9'],
    ],
    ['a tier of one operation', ['name: high,', 'name: high, operations: [Get],'], ['tier high', '100 users (Get)']],
    ['fewer workers', ['workers: 20', 'workers: 1'], ['saturation', '20 workers', '1 workers']],
    ['a longer warm-up', ['warmupSeconds: 1', 'warmupSeconds: 30'], ['saturation', 'warmupSeconds":30']],
    ['a weight', ['GET /list, weight: 1', 'GET /list, weight: 99'], ['weight of Get', '50.0%', '1.00%']],
    ['a slow network', ['saturation:', 'network: { rtt: 500ms }\nsaturation:'], ['network', 'none', '500 ms']],
  ] as const)('with %s: both versions have the load of the base, and the change is named', (_, [from, to], words) => {
    expect(BASE).toContain(from);

    const { suite, load } = compared(BASE.replace(from, to));

    expect([suite.tiers, suite.saturation, suite.network]).toEqual([
      same.suite.tiers,
      same.suite.saturation,
      same.suite.network,
    ]);
    expect(suite.operations.map(({ share }) => share)).toEqual([0.5, 0.5]);
    const named = JSON.stringify(load).replaceAll('\\"', '"');
    expect(words.filter((word) => !named.includes(word))).toEqual([]);
  });

  test.each([
    [
      'a tier that is gone',
      [', { name: high, users: 100, spawnPerSecond: 10, thinkSeconds: 0.1 }', ''],
      { what: 'tier high', from: '100 users', to: 'gone' },
    ],
    [
      'answers that are not compared',
      ['rest: GET /,', 'rest: GET /, verify: none,'],
      { what: 'verify of Get', from: 'answer', to: 'none' },
    ],
    [
      'answers that are ignored',
      ['rest: GET /,', 'rest: GET /, ignore: [$.id],'],
      { what: 'ignored in answers of Get', from: 'nothing', to: '$.id' },
    ],
  ] as const)('and %s is named', (_, [from, to], change) => {
    expect(BASE).toContain(from);
    expect(compared(BASE.replace(from, to)).load).toEqual([change]);
  });

  test('and neither values of headers nor bodies are named', () => {
    const withKey = (ref: string, key: string): VersionFolder => {
      const get = `rest: { method: POST, path: /, body: { key: ${key} } },`;
      const found = versionOf(ref, BASE.replace('rest: GET /,', get));
      const file = join(found.root, 'wiregauge.yml');
      const headers = STARTED.replace(' }', `, headers: { X-Key: ${key}, Accept: text/plain } }`);
      writeFileSync(file, readFileSync(file, 'utf8').replace(STARTED, headers));
      return found;
    };
    const { load } = readSuites({ base: withKey('main', 'one'), head: withKey('topic', 'two') }, undefined);

    expect(load).toEqual([
      { what: 'request of Get', from: 'POST /', to: 'changed' },
      { what: 'headers of shop', from: 'X-Key', to: 'changed' },
    ]);
  });

  test('and weights that only make room for a new operation are not a change', () => {
    expect(compared(`${BASE}  - { name: New, rest: GET /new, weight: 8 }\n`).load).toEqual([]);
  });

  test('and a new tier is the head’s', () => {
    const { suite, load } = compared(
      BASE.replace('tiers: [', 'tiers: [{ name: new, users: 5, spawnPerSecond: 1, thinkSeconds: 1 }, '),
    );

    expect(suite.tiers.map(({ name }) => name)).toEqual(['new', 'low', 'high']);
    expect(load).toEqual([]);
  });

  test('but an anchor does not say how the default branch is loaded', () => {
    const folders = {
      base: versionOf('main', BASE),
      head: versionOf('topic', BASE.replace('workers: 20', 'workers: 1')),
    };

    const { suite, load } = readSuites(folders, undefined, { hasLoadOfHead: true });

    expect([suite.saturation.workers, load]).toEqual([1, undefined]);
  });
});
