import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { noticesOf, packageFolder } from '../../../scripts/notices.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'notices-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function addPackage(name: string, version: string, license?: string): void {
  const folder = join(root, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, license: 'MIT' }));
  if (license !== undefined) {
    writeFileSync(join(folder, 'LICENSE.md'), license);
  }
}

const bundleOf = (files: Readonly<Record<string, number>>) => {
  const inputs = Object.fromEntries(Object.entries(files).map(([path, bytesInOutput]) => [path, { bytesInOutput }]));
  return { outputs: { 'dist/x.js': { bytes: 1, inputs, imports: [], exports: [] } } };
};

test.each([
  ['src/cli.ts', undefined],
  ['node_modules/zod/v4/index.js', 'node_modules/zod'],
  ['node_modules/@grpc/grpc-js/build/x.js', 'node_modules/@grpc/grpc-js'],
  ['node_modules/a/node_modules/b/x.js', 'node_modules/a/node_modules/b'],
])('%s is of the package %s', (path, folder) => {
  expect(packageFolder(path)).toBe(folder);
});

test('has the license of each package that is in a bundle, once, in order', () => {
  addPackage('b', '1.0.0', 'the text of b');
  addPackage('@x/a', '2.0.0', 'the text of a');
  addPackage('unused', '3.0.0', 'the text of nothing');
  const first = bundleOf({ 'node_modules/b/one.js': 10, 'src/own.ts': 10, 'node_modules/unused/x.js': 0 });

  const text = noticesOf([first, bundleOf({ 'node_modules/b/two.js': 1, 'node_modules/@x/a/x.js': 5 })], root);

  expect(text.match(/^\S+ [\d.]+ \(MIT\)$/gm)).toEqual(['@x/a 2.0.0 (MIT)', 'b 1.0.0 (MIT)']);
  expect(text).toContain('the text of a\n');
  addPackage('c', '3.0.0', 'the text of a');
  const both = noticesOf([bundleOf({ 'node_modules/c/x.js': 1, 'node_modules/@x/a/x.js': 5 })], root);
  expect(both).toContain('@x/a 2.0.0 (MIT)\nc 3.0.0 (MIT)\n\nthe text of a\n');
  expect(text).not.toContain('unused');
});

test('says what a package without a license text says of itself, with the usual text', () => {
  addPackage('bare', '1.0.0');

  const text = noticesOf([bundleOf({ 'node_modules/bare/x.js': 1 })], root);

  expect(text).toMatch(/has no license text\. Its own statement: license MIT\.\n\nPermission is hereby granted/);
});
