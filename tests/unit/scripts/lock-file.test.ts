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
])('%s is told', (_, installed, words) => {
  expect(driftOf(locked, installed)).toEqual([expect.stringMatching(words)]);
});

test('a locked package without a checksum is told', () => {
  expect(driftOf({ 'node_modules/one': { version: '1.0.0' } }, { 'node_modules/one': { version: '1.0.0' } })).toEqual([
    'node_modules/one has no checksum in package-lock.json',
  ]);
});

test('the committed lock file has a checksum of every package', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));

  expect(driftOf(packages, packages).filter((line) => !line.includes('sha512'))).toEqual([]);
});

test('whoever installs the packages of the lock file checks that they are what it names', () => {
  const installing = workflowFiles()
    .filter(({ root }) => root === '.')
    .flatMap((workflow) =>
      Object.values(workflow.jobs).flatMap(({ steps }) =>
        steps.flatMap(({ run = '' }, at) =>
          run.startsWith('npm install') ? [{ file: workflow.file, next: steps[at + 1]?.run }] : [],
        ),
      ),
    );

  expect(new Set(installing.map(({ file }) => file))).toEqual(
    new Set(['ci', 'docs', 'fuzz', 'release'].map((name) => `.github/workflows/${name}.yml`)),
  );
  for (const { file, next } of installing) {
    expect(next, file).toMatch(/^(node scripts\/lock-file\.ts|npm run check:lock)$/);
  }
});
