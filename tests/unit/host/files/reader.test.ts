import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { FileRefusal, readBytes, readInside, readText, readTextIfThere } from '../../../../src/host/files/reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'wiregauge-encoded-'));
afterAll(() => rmSync(folder, { recursive: true }));

const TEXT = 'BenchmarkÄ-4\t10\t5 ns/op\r\n';

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

const written = (name: string, bytes: Buffer) => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

describe('a file of another program', () => {
  test.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16 as PowerShell writes it', utf16(TEXT)],
    ['UTF-16 with the bytes in the other order', Buffer.from(utf16(TEXT)).swap16()],
    ['gzip', gzipSync(TEXT)],
    ['UTF-16 in gzip', gzipSync(utf16(TEXT))],
  ])('is read as %s', (name, bytes) => {
    expect(readText(written(name, bytes), 'Pass a file.')).toBe(TEXT);
  });

  test.each([
    ['half of UTF-16', utf16(TEXT).subarray(0, 9), 'is not valid UTF-16LE'],
    ['half of gzip', gzipSync(TEXT).subarray(0, 12), 'cannot be unpacked as gzip'],
    ['bytes in gzip', gzipSync(Buffer.from([0xff, 0x80])), 'is not valid UTF-8'],
    ['much in little', gzipSync(Buffer.alloc(257 * 2 ** 20)), 'unpacks to more than 268435456 bytes'],
  ])('is refused by name: %s', (name, bytes, why) => {
    expect(() => readText(written(name, bytes), 'Pass a file.')).toThrow(why);
  });

  test('that is missing is named', () => {
    expect(() => readText(join(folder, 'none'), 'Pass a file.')).toThrow('there is no such file');
  });
});

describe('a file that a checkout names', () => {
  const root = join(folder, 'checkout');
  const outside = join(folder, 'outside.json');
  mkdirSync(join(root, 'suites'), { recursive: true });
  mkdirSync(join(folder, 'checkout-other'));
  writeFileSync(outside, '{"secret":"hunter2"}');
  writeFileSync(join(folder, 'checkout-other', 'a.yml'), 'secret');
  writeFileSync(join(root, 'real.yml'), 'real');
  symlinkSync(outside, join(root, 'wiregauge.yml'));
  symlinkSync(join(folder, 'checkout-other'), join(root, 'other'));
  symlinkSync('real.yml', join(root, 'inner.yml'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  writeFileSync(join(root, 'sparse'), '');
  truncateSync(join(root, 'sparse'), 3 * 2 ** 30);

  test.each([
    ['a link to a file outside', 'wiregauge.yml', 'points outside the repository'],
    ['a link to a folder outside whose name begins as its own', 'other/a.yml', 'points outside the repository'],
    ['a path that climbs out', '../outside.json', 'points outside the repository'],
    ['a folder', 'suites', 'is not a file'],
    ['a pipe without a writer', 'pipe', 'is not a file'],
    ['a sparse file of 3 GB', 'sparse', 'has 3221225472 bytes; the limit is'],
    ['nothing', 'none', 'there is no such file'],
    ['a file as a folder', 'real.yml/none', 'there is no such file'],
  ])('is refused: %s', (_name, path, why) => {
    expect(() => readText(join(root, path), 'Fix it.', { root })).toThrow(why);
    expect(readInside(root, path)).toEqual({ refusal: expect.stringContaining(why) });
  });

  test('may be a link within it', () => {
    expect(readText(join(root, 'inner.yml'), '', { root })).toBe('real');
  });

  test('in the current folder may not be a link out of it, but lie in a folder that is one', ({ onTestFinished }) => {
    const before = process.cwd();
    process.chdir(root);
    onTestFinished(() => process.chdir(before));
    expect(() => readText('wiregauge.yml', '')).toThrow('points outside the repository');
    expect(readText('other/a.yml', '')).toBe('secret');
    expect(readText('../outside.json', '')).toContain('hunter2');
  });
});

describe('a file of any kind', () => {
  test.each(['/dev/zero', '/dev/urandom', '/dev/null'])('is not a device: %s', (path) => {
    expect(() => readBytes(path)).toThrow(FileRefusal);
  });

  test('that has no size is read to its limit', () => {
    expect(readBytes('/proc/version').toString()).toBe(readFileSync('/proc/version', 'utf8'));
    expect(() => readBytes('/proc/self/status', { most: 10 })).toThrow('has more than 10 bytes');
    expect(readBytes('/proc/self/status', { most: 5, isCut: true }).toString()).toBe('Name:');
  });

  test('that a shell hands over is read', () => {
    const script = `import { readText } from ${JSON.stringify(join(import.meta.dirname, '../../../../src/host/files/reader.ts'))};
      process.stdout.write(readText(process.argv.at(-1), ''));`;
    const file = join(folder, 'read.ts');
    writeFileSync(file, script);
    const command = `${JSON.stringify(process.execPath)} --import tsx ${file} <(sleep 0.2; echo handed over)`;
    expect(execFileSync('bash', ['-c', command], { encoding: 'utf8' })).toBe('handed over\n');
  });

  test('may be missing where that is not a mistake', () => {
    expect(readTextIfThere(join(folder, 'none'), '')).toBeUndefined();
    expect(() => readTextIfThere(folder, '')).toThrow('is not a file');
  });
});
