import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import { insideRepository } from '../../../../src/host/files/repository.ts';

let folder: string;
let root: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'repository-path-')));
  root = join(folder, 'repository');
  mkdirSync(join(root, 'site'), { recursive: true });
  mkdirSync(join(folder, 'repository-other'));
  writeFileSync(join(folder, 'secret'), 'x');
  symlinkSync('site', join(root, 'within'));
  symlinkSync('../secret', join(root, 'outside'));
  symlinkSync('../repository-other', join(root, 'beside'));
  symlinkSync('nowhere', join(root, 'broken'));
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each(['site', 'within', '.'])('follows %s', (path) => {
  expect(insideRepository(root, path, 'a: files')).toBe(join(root, path === '.' ? '' : 'site'));
});

test.each([
  ['outside', 'a: files: outside is a link to '],
  ['beside', 'a: files: beside is a link to '],
  ['broken', 'a: files: there is no broken'],
  ['missing/file', 'a: files: there is no missing/file'],
])('refuses %s', (path, message) => {
  const refused = () => insideRepository(root, path, 'a: files');

  expect(refused).toThrow(ConfigError);
  expect(refused).toThrow(message);
});
