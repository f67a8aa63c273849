import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import { readSuites, type VersionFolder } from '../../../../src/measure/session/versions.ts';

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

  test('ignores of an answer what either version ignores, so that a pull request may begin to', () => {
    const operation = (ignore: string) => `{ name: Get, rest: GET /, ignore: [${ignore}] }`;
    const base = versionWith('main', [STARTED], operation('$.at, $.old'));
    const head = versionWith('topic', [STARTED], operation('$.at, $.new'));

    const [get] = readSuites({ base, head }, undefined, undefined).suite.operations;

    expect(get?.ignore?.toSorted()).toEqual(['$.at', '$.new', '$.old']);
  });

  test('minds no service that already runs where others are asked for', () => {
    const folders = { base: version('main', OTHER, RUNNING), head: version('topic', OTHER, RUNNING) };

    expect(readSuites(folders, undefined, ['other']).suite.services).toEqual(['other']);
  });
});
