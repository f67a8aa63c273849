import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { readEncoded } from '../../../../src/host/files/encoded.ts';

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
    expect(readEncoded(written(name, bytes), 'Pass a file.')).toBe(TEXT);
  });

  test.each([
    ['half of UTF-16', utf16(TEXT).subarray(0, 9), 'is not valid UTF-16LE'],
    ['half of gzip', gzipSync(TEXT).subarray(0, 12), 'cannot be unpacked as gzip'],
    ['bytes in gzip', gzipSync(Buffer.from([0xff, 0x80])), 'is not valid UTF-8'],
    ['much in little', gzipSync(Buffer.alloc(257 * 2 ** 20)), 'larger than 256 MiB'],
  ])('is refused by name: %s', (name, bytes, why) => {
    expect(() => readEncoded(written(name, bytes), 'Pass a file.')).toThrow(why);
  });

  test('that is missing is named', () => {
    expect(() => readEncoded(join(folder, 'none'), 'Pass a file.')).toThrow('there is no such file');
  });
});
