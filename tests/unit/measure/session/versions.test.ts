import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, EnvironmentError, MeasurementError } from '../../../../src/foundation/errors.ts';
import { readSuites, retold, type VersionFolder, withoutFolders } from '../../../../src/measure/session/versions.ts';

const STARTED = 'shop: { protocol: rest, port: 80, image: shop:1 }';
const RUNNING = 'shop: { protocol: rest, address: "127.0.0.1:8080" }';
const OTHER = 'other: { protocol: rest, port: 80, image: other:1 }';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'versions-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function version(ref: string, ...services: readonly string[]): VersionFolder {
  const root = mkdtempSync(join(folder, 'version-'));
  const lines = services.map((service) => `  ${service}\n`).join('');
  writeFileSync(join(root, 'wiregauge.yml'), `services:\n${lines}operations:\n  - { name: Get, rest: GET / }\n`);
  return { root, ref, commit: '0123456789', dirty: false, subject: 'A version' };
}

describe('readSuites', () => {
  test.each([
    ['head', [STARTED], [RUNNING]],
    ['base', [RUNNING], [STARTED]],
  ])('refuses a service that already runs, where %s says so: there is one version of it', (_side, base, head) => {
    const reading = () =>
      readSuites({ base: version('main', ...base), head: version('topic', ...head) }, undefined, undefined);

    expect(reading).toThrow(ConfigError);
    expect(reading).toThrow(/^shop: already runs at 127\.0\.0\.1:8080, so there is one version of it/);
  });

  test('minds no service that already runs where others are asked for', () => {
    const folders = { base: version('main', OTHER, RUNNING), head: version('topic', OTHER, RUNNING) };

    expect(readSuites(folders, undefined, ['other']).suite.services).toEqual(['other']);
  });
});

describe('what is told of a version', () => {
  test('names no folder that is gone when it is read', () => {
    const [base, head] = [{ root: '/tmp/wiregauge-a1/shop' }, { root: '/tmp/wiregauge-b2/shop' }];

    expect(
      withoutFolders('File "/tmp/wiregauge-b2/shop/app.py", in /tmp/wiregauge-a1/shop: spawn make ENOENT', base, head),
    ).toBe('File "app.py", in the repository: spawn make ENOENT');
  });

  test.each([ConfigError, EnvironmentError, MeasurementError])('holds a secret in none of its texts: %o', (Kind) => {
    const secret = 'hunter22';
    const error = new Kind(`a ${secret}`, { brief: `b ${secret}`, printed: `c ${secret}`, next: `d ${secret}` });

    const { message, brief, printed, next } = retold(error, { text: (text) => text.replaceAll(secret, '***') });

    expect([message, brief, printed, next]).toEqual(['a ***', 'b ***', 'c ***', 'd ***']);
    expect(retold(error, { text: (text) => text })).toBeInstanceOf(Kind);
  });

  test('is the place in the repository, where its configuration is wrong', () => {
    const broken = version('topic', STARTED);
    writeFileSync(join(broken.root, 'wiregauge.yml'), 'services: [');
    const reading = () => readSuites({ base: version('main', STARTED), head: broken }, undefined, undefined);

    expect(reading).toThrow(/^in topic: .*wiregauge\.yml:/);
    expect(reading).not.toThrow(broken.root);
  });
});
