import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { ConfigError } from '../../foundation/index.ts';
import { readText } from './repository.ts';

/** No output of a benchmark tool is larger, also when it is unpacked. */
const MOST_BYTES = 256 * 2 ** 20;

/**
 * The text of a file that another program wrote: UTF-8 or UTF-16, with or without a byte order mark, also packed by gzip. Throws
 * ConfigError, naming the encoding, for any other file.
 */
export function readEncoded(path: string, next: string): string {
  // For the errors of a file that cannot be read at all.
  const text = readText(path, next);
  const bytes = readFileSync(path);
  return isPlain(bytes) ? text : textOf(bytes, path);
}

function isPlain(bytes: Buffer): boolean {
  return !isGzip(bytes) && !/^(?:fffe|feff|efbbbf)/.test(bytes.toString('hex', 0, 3));
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function textOf(bytes: Buffer, path: string): string {
  const plain = isGzip(bytes) ? unpacked(bytes, path) : bytes;
  const mark = plain.toString('hex', 0, 2);
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(plain);
  } catch (cause) {
    throw new ConfigError(`${path}: is not valid ${encoding.toUpperCase()}`, {
      code: 'WG-100',
      cause,
      next: 'Save the file as UTF-8.',
    });
  }
}

function unpacked(bytes: Buffer, path: string): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES });
  } catch (cause) {
    throw new ConfigError(`${path}: cannot be unpacked as gzip, or is larger than ${MOST_BYTES / 2 ** 20} MiB then`, {
      code: 'WG-100',
      cause,
      next: 'Unpack it with gunzip, and pass the text.',
    });
  }
}
