import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import { readInside } from '../../../../src/host/files/reader.ts';
import { insideRepository, readProtos } from '../../../../src/host/files/repository.ts';

let folder = '';
let root = '';

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'config-files-')));
  root = join(folder, 'repository');
  mkdirSync(join(root, 'inner'), { recursive: true });
  writeFileSync(join(root, 'inner/body.txt'), 'Zoë');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  symlinkSync(join(folder, 'secret.txt'), join(root, 'out.txt'));
  symlinkSync(folder, join(root, 'up'));
  symlinkSync('inner/body.txt', join(root, 'within.txt'));
  symlinkSync('gone.txt', join(root, 'dangling.txt'));
  mkdirSync(join(folder, 'repository-other'));
  symlinkSync('../repository-other', join(root, 'beside'));
  writeFileSync(join(root, 'huge.bin'), '');
  truncateSync(join(root, 'huge.bin'), 10 * 2 ** 20 + 1);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('readInside', () => {
  test.each(['inner/body.txt', 'within.txt'])('gives %s as text and as it is', (path) => {
    expect(readInside(root, path)).toEqual({ text: 'Zoë', isBinary: false, base64: 'Wm/Dqw==' });
  });

  test.each([
    ['UTF-16', Buffer.from('\ufeffZoë', 'utf16le'), { text: 'Zoë', isBinary: false }],
    ['no text', Buffer.from([0x61, 0xff]), { text: 'a\ufffd', isBinary: true }],
  ])('reads %s', (_, bytes, read) => {
    writeFileSync(join(root, 'encoded'), bytes);

    expect(readInside(root, 'encoded')).toMatchObject(read);
  });

  test.each([
    ['dangling.txt', 'there is no such file'],
    ['huge.bin', 'has 10485761 bytes; the limit is 10485760'],
  ])('refuses %s: it %s', (path, refusal) => {
    expect(readInside(root, path)).toEqual({ refusal });
  });
});

describe('readProtos', () => {
  test('finds contracts in any folder, but those of packages only where they are asked for', () => {
    for (const path of ['a.proto', 'inner/b.proto', 'node_modules/other/c.proto']) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), path);
    }

    expect(readProtos(root, '.')).toEqual({ 'a.proto': 'a.proto', 'inner/b.proto': 'inner/b.proto' });
    expect(readProtos(root, 'node_modules/other')).toEqual({ 'c.proto': 'node_modules/other/c.proto' });
    expect(readProtos(root, 'none')).toEqual({});
  });

  test('reads links that stay in the repository, and nothing else that only looks like a contract', () => {
    const protos = join(root, 'protos');
    mkdirSync(join(protos, 'folder.proto'), { recursive: true });
    writeFileSync(join(root, 'shared.txt'), 'shared');
    symlinkSync('../shared.txt', join(protos, 'shared.proto'));
    symlinkSync(join(folder, 'secret.txt'), join(protos, 'out.proto'));
    symlinkSync('..', join(protos, 'loop'));

    expect(readProtos(root, 'protos')).toEqual({ 'shared.proto': 'shared' });
  });

  test('refuses a folder that is a link out of the repository', () => {
    expect(() => readProtos(root, 'up')).toThrow(/^proto\.root: up is a link to .*, outside the repository/);
  });
});

describe('insideRepository', () => {
  test.each([
    ['inner/body.txt', 'inner/body.txt'],
    ['within.txt', 'inner/body.txt'],
    ['.', ''],
  ])('follows %s', (path, real) => {
    expect(insideRepository(root, path, 'a: files')).toBe(join(root, real));
  });

  test.each([
    ['out.txt', 'a: files: out.txt is a link to '],
    ['beside', 'a: files: beside is a link to '],
    ['dangling.txt', 'a: files: there is no dangling.txt'],
    ['missing/file', 'a: files: there is no missing/file'],
  ])('refuses %s', (path, message) => {
    const refused = () => insideRepository(root, path, 'a: files');

    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow(message);
  });
});
