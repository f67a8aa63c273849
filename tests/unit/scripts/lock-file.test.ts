import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { driftOf } from '../../../scripts/lock-file.ts';
import { workflowFiles } from '../../support/workflow-files.ts';

const one = { version: '1.0.0', integrity: 'sha512-one' };
const two = { version: '2.0.0', integrity: 'sha512-two' };
const locked = {
  '': { version: '0.1.0' },
  'node_modules/one': one,
  'node_modules/two': two,
  'node_modules/one-windows': { ...one, optional: true },
};

test('what is installed is what is locked, without the packages of other platforms', () => {
  expect(driftOf(locked, { 'node_modules/one': one, 'node_modules/two': two })).toEqual([]);
});

test.each([
  [
    'another version',
    { 'node_modules/one': { ...one, version: '1.0.1' }, 'node_modules/two': two },
    /one is installed as 1\.0\.1/,
  ],
  ['other bytes', { 'node_modules/one': { ...one, integrity: 'sha512-x' }, 'node_modules/two': two }, /\(sha512-x\)/],
  ['one package less', { 'node_modules/one': one }, /two 2\.0\.0 is locked, and not installed/],
  [
    'one package more',
    { 'node_modules/one': one, 'node_modules/two': two, 'node_modules/three': one },
    /three 1\.0\.0 is installed, and not in package-lock\.json/,
  ],
])('%s is reported', (_, installed, words) => {
  expect(driftOf(locked, installed)).toEqual([expect.stringMatching(words)]);
});

test('a locked package without a checksum is reported', () => {
  expect(driftOf({ 'node_modules/one': { version: '1.0.0' } }, { 'node_modules/one': { version: '1.0.0' } })).toEqual([
    'node_modules/one has no checksum in package-lock.json',
  ]);
});

test('the committed lock file has a checksum of every package', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));

  expect(driftOf(packages, packages).filter((line) => !line.includes('sha512'))).toEqual([]);
});

test('the committed lock file has the packages of every platform, without which `npm ci` refuses it', () => {
  const packages: Record<string, { readonly optionalDependencies?: object }> = JSON.parse(
    readFileSync('package-lock.json', 'utf8'),
  ).packages;
  const named = Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
  const locked = new Set(Object.keys(packages).map((folder) => folder.replace(/^.*node_modules\//, '')));

  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((name) => !locked.has(name))).toEqual([]);
});

test('installing the packages of the lock file verifies their checksums', () => {
  const installing = workflowFiles()
    .filter(({ root }) => root === '.')
    .flatMap((workflow) =>
      Object.values(workflow.jobs).flatMap(({ steps }) =>
        steps.flatMap(({ run = '' }, at) =>
          /^npm (?:ci|install)/.test(run) ? [{ file: workflow.file, run, next: steps[at + 1]?.run }] : [],
        ),
      ),
    );

  expect(new Set(installing.map(({ file }) => file))).toEqual(
    new Set(['ci', 'docs', 'fuzz', 'release'].map((name) => `.github/workflows/${name}.yml`)),
  );
  for (const { file, run, next } of installing) {
    expect(run, file).toMatch(/^npm ci /);
    expect(next, file).toMatch(/^(node scripts\/lock-file\.ts|npm run check:lock)$/);
  }
});
