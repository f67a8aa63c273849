import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EnvironmentError } from '../../src/foundation/errors.ts';
import { demonstrationFolder } from '../../src/project/own-root.ts';

const FILES = {
  Dockerfile: 'FROM scratch\n',
  '.dockerignore': '*\n',
  'pyproject.toml': '[project]\n',
  'uv.lock': 'version = 1\n',
  'proto/user/v1/user.proto': 'syntax = "proto3";\n',
  'scripts/make-service': '#!/bin/sh\n',
  'scripts/proto': '#!/bin/sh\n',
  'scripts/uv': '#!/bin/sh\n',
  'services/rest/service.yml': 'name: rest\n',
  'suites/users.yml': 'name: users\n',
  'tools/games-database/go.mod': 'module games\n',
  'tools/users-store/redis/start': '#!/bin/sh\n',
  'dist/cli.js': 'not needed by a service\n',
};

let folder = '';
let root = '';
let cache = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'demonstration-'));
  root = join(folder, 'node_modules/wiregauge');
  cache = join(folder, 'cache/wiregauge');
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  chmodSync(join(root, 'scripts/proto'), 0o555);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();

test('a checkout is measured as it lies', async () => {
  mkdirSync(join(root, '.git'));

  expect(await demonstrationFolder(root, cache)).toBe(root);
  expect(existsSync(cache)).toBe(false);
});

test('an installed package is copied into the cache: what services are made of, and what may be run', async () => {
  const copy = await demonstrationFolder(root, cache);

  expect(dirname(copy)).toBe(cache);
  const { 'dist/cli.js': _, ...needed } = FILES;
  expect(filesIn(copy)).toEqual(Object.keys(needed).sort());
  expect(readFileSync(join(copy, 'suites/users.yml'), 'utf8')).toBe(FILES['suites/users.yml']);
  expect(statSync(join(copy, 'scripts/proto')).mode & 0o111).toBe(0o111);
  expect(filesIn(root)).toEqual(Object.keys(FILES).sort());
});

test('the copy is used again, with what builds have left in it', async () => {
  const first = await demonstrationFolder(root, cache);
  writeFileSync(join(first, 'built'), '');

  expect(await demonstrationFolder(root, cache)).toBe(first);
  expect(existsSync(join(first, 'built'))).toBe(true);
  expect(readdirSync(cache)).toHaveLength(1);
});

test.each([
  ['was changed', (copy: string) => writeFileSync(join(copy, 'suites/users.yml'), 'name: other\n')],
  ['lacks a file', (copy: string) => rmSync(join(copy, 'services/rest/service.yml'))],
])('a copy that %s is recreated', async (_, spoil) => {
  const copy = await demonstrationFolder(root, cache);
  spoil(copy);

  expect(await demonstrationFolder(root, cache)).toBe(copy);
  expect(readFileSync(join(copy, 'suites/users.yml'), 'utf8')).toBe(FILES['suites/users.yml']);
  expect(existsSync(join(copy, 'services/rest/service.yml'))).toBe(true);
  expect(readdirSync(cache)).toHaveLength(1);
});

test('another version has a copy of its own', async () => {
  const other = join(folder, 'other');
  cpSync(root, other, { recursive: true });
  writeFileSync(join(other, 'services/rest/service.yml'), 'name: rest # newer\n');

  expect(await demonstrationFolder(other, cache)).not.toBe(await demonstrationFolder(root, cache));
});

test('of many starts at once each gets a whole copy', async () => {
  const copies = await Promise.all([1, 2, 3, 4].map(() => demonstrationFolder(root, cache)));

  expect(new Set(copies).size).toBe(1);
  expect(filesIn(copies[0] ?? '')).toHaveLength(Object.keys(FILES).length - 1);
  expect(readdirSync(cache)).toHaveLength(1);
});

test('says which folder cannot be written', async () => {
  mkdirSync(dirname(cache));
  writeFileSync(cache, 'a file in the way');

  const thrown: unknown = await demonstrationFolder(root, cache).catch((error: unknown) => error);

  expect(thrown).toBeInstanceOf(EnvironmentError);
  expect(thrown).toMatchObject({ message: expect.stringContaining(cache) });
});

test('says that a package is not whole', async () => {
  rmSync(join(root, 'uv.lock'));

  const thrown: unknown = await demonstrationFolder(root, cache).catch((error: unknown) => error);

  expect(thrown).toBeInstanceOf(EnvironmentError);
  expect(thrown).toMatchObject({
    message: expect.stringContaining('uv.lock'),
    next: expect.stringContaining('Reinstall'),
  });
});
