import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageNameIn } from '../../../../src/host/files/package-name.ts';
import { currentFolderPerTest } from '../../../support/current-folder.ts';

const folder = currentFolderPerTest();

test.each([
  ['package.json', '{ "dependencies": { "name": "no" }, "name": "@shop/orders-api" }', 'orders-api'],
  ['go.mod', '// a comment\nmodule example.com/shop/cart/v2\n\ngo 1.26\n', 'cart'],
  ['pyproject.toml', '[tool.x]\nname = "no"\n\n[project]\nversion = "1"\nname = "catalogue"\n', 'catalogue'],
  ['Cargo.toml', '[package]\nname = \'greeter\'\n\n[[bin]]\nname = "no"\n', 'greeter'],
  ['pyproject.toml', '[project]\nversion = "1"\n\n[tool.x]\nname = "no"\n', undefined],
  ['package.json', '{ "name": ', undefined],
  ['package.json', '{ "name": "<b>bold</b> [link](x)" }', undefined],
  ['package.json', '{ "name": 7 }', undefined],
  ['README.md', 'name: no', undefined],
])('the package of %s with %j', (file, text, name) => {
  folder.write(file, text);

  expect(packageNameIn(process.cwd())).toBe(name);
});

test('is not read from outside the folder', () => {
  folder.write('package.json', '{ "name": "outside" }');
  folder.write('inner/README.md', '');
  symlinkSync(join(process.cwd(), 'package.json'), join(process.cwd(), 'inner/package.json'));

  expect(packageNameIn(join(process.cwd(), 'inner'))).toBeUndefined();
});
