import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  ConfigError,
  codeOf,
  EnvironmentError,
  ifPossible,
  type KnownError,
  messageOf,
} from '../../foundation/errors.ts';

/** Maximum size of a file that is read at once, compressed or not. The longest `run.json` of a comparison has some ten megabytes. */
const MAX_FILE_BYTES = 256 * 2 ** 20;

interface FileBounds {
  /** Folder that must contain the file, after resolving links. */
  readonly root?: string | undefined;
  readonly most?: number;
  /** Reads the beginning of a longer file instead of refusing it. */
  readonly isCut?: boolean;
  /** Refuses the file if it is a link itself, for roots that are opened through another process. */
  readonly isNoLink?: boolean;
}

type RefusalKind = 'missing' | 'outside' | 'no-file' | 'too-large' | 'damaged' | 'no-text' | 'unreadable';

/** Reason for not reading a file; the message continues after its path and a colon. */
export class FileRefusal extends Error {
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Content of a regular file below its root, never more than the limit. Nothing else in this program reads files. Throws FileRefusal. */
export function readBytes(path: string, bounds: FileBounds = {}): Buffer {
  const { most = MAX_FILE_BYTES, isCut = false } = bounds;
  const file = opened(path, bounds);
  try {
    const found = fstatSync(file);
    if (!found.isFile() && !(found.isFIFO() && isHandedOver(path))) {
      throw new FileRefusal('no-file', 'is not a file');
    }
    if (found.size > most && !isCut) {
      throw new FileRefusal('too-large', `has ${found.size} bytes; the limit is ${most}`);
    }
    const bytes = contentOf(file, Math.min(found.size, most), most);
    if (bytes.length > most && !isCut) {
      throw new FileRefusal('too-large', `has more than ${most} bytes, which is the limit`);
    }
    return bytes.subarray(0, most);
  } catch (thrown) {
    throw thrown instanceof FileRefusal ? thrown : fileRefusalOf(thrown);
  } finally {
    closeSync(file);
  }
}

function isHandedOver(path: string): boolean {
  return /^\/(?:dev|proc\/self)\/(?:fd\/\d+|stdin)$/.test(path);
}

function opened(path: string, { root, isNoLink = false }: FileBounds): number {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  try {
    // Opening a pipe without a writer would block; inherited descriptors have one.
    const flags = O_RDONLY | (isHandedOver(path) ? 0 : O_NONBLOCK) | (root !== undefined || isNoLink ? O_NOFOLLOW : 0);
    return openSync(root === undefined ? path : realPathInside(root, path), flags);
  } catch (thrown) {
    throw thrown instanceof FileRefusal ? thrown : fileRefusalOf(thrown);
  }
}

function realPathInside(root: string, path: string): string {
  const [own, real] = [realpathSync(root), realpathSync(path)];
  if (!real.startsWith(own.endsWith(sep) ? own : `${own}${sep}`)) {
    throw new FileRefusal('outside', 'points outside the repository');
  }
  return real;
}

export function fileRefusalOf(cause: unknown): FileRefusal {
  const code = codeOf(cause);
  return code === 'ENOENT' || code === 'ENOTDIR'
    ? new FileRefusal('missing', 'there is no such file', cause)
    : new FileRefusal('unreadable', `cannot be read: ${messageOf(cause)}`, cause);
}

const CHUNK_BYTES = 2 ** 16;

/** Reads at most one byte more than `most`: a file may grow, and those in /proc have no size. */
function contentOf(file: number, expected: number, most: number): Buffer {
  const chunks: Buffer[] = [];
  for (let length = 0; length <= most; ) {
    const chunk = Buffer.allocUnsafe(Math.min(most + 1 - length, Math.max(expected + 1 - length, CHUNK_BYTES)));
    const count = readSync(file, chunk);
    if (count === 0) {
      break;
    }
    chunks.push(chunk.subarray(0, count));
    length += count;
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** Text of a user's file: UTF-8 or UTF-16, maybe gzipped. A link must not lead out of the current folder. Throws ConfigError. */
export function readText(path: string, next: string, bounds: FileBounds = {}): string {
  try {
    return textOf(readBytes(path, { root: rootOf(path), ...bounds }));
  } catch (thrown) {
    throw thrown instanceof FileRefusal ? knownError(path, thrown, next) : thrown;
  }
}

/** Root for a file. A folder of results may be a link to another disk, but a link to a file must not lead out of a checkout. */
function rootOf(path: string): string | undefined {
  const [here, whole] = [process.cwd(), resolve(path)];
  const isOfCheckout = !relative(here, whole).startsWith('..');
  if (!isOfCheckout) {
    return undefined;
  }
  try {
    const folder = realpathSync(dirname(whole));
    const real = realpathSync(join(folder, basename(whole)));
    return real.startsWith(`${folder}${sep}`) ? folder : here;
  } catch {
    // Missing files are reported when they are opened.
    return undefined;
  }
}

export function readTextIfThere(path: string, next: string, bounds?: FileBounds): string | undefined {
  try {
    return readText(path, next, bounds);
  } catch (thrown) {
    if (thrown instanceof ConfigError && thrown.cause instanceof FileRefusal && thrown.cause.kind === 'missing') {
      return undefined;
    }
    throw thrown;
  }
}

interface InsideFile {
  /** Text with U+FFFD for invalid bytes. */
  readonly text: string;
  /** True if there are invalid bytes. */
  readonly isBinary: boolean;
  readonly base64: string;
}

/** File in a folder, or the reason for not reading it; links out of the folder are refused. */
export function readInside(root: string, path: string): InsideFile | { readonly refusal: string } {
  try {
    const bytes = readBytes(join(root, path), { root, most: MAX_NAMED_BYTES });
    const { text, isBinary } = decoded(bytes);
    return { text, isBinary, base64: bytes.toString('base64') };
  } catch (thrown) {
    if (thrown instanceof FileRefusal) {
      return { refusal: thrown.message };
    }
    throw thrown;
  }
}

/** Maximum size of configuration files, request bodies and feeds, which are sent to the load tool many times. */
export const MAX_NAMED_BYTES = 10 * 2 ** 20;

function knownError(path: string, cause: FileRefusal, next: string): KnownError {
  const words = `${path}: ${cause.message}`;
  switch (cause.kind) {
    case 'unreadable':
      return new EnvironmentError(words, { code: 'WG-107', cause, next });
    case 'outside':
      return new ConfigError(words, { code: 'WG-108', cause, next: 'Copy its target into the repository.' });
    case 'no-text':
      return new ConfigError(words, { code: 'WG-100', cause, next: 'Save the file as UTF-8.' });
    default:
      return new ConfigError(words, { code: 'WG-107', cause, next });
  }
}

function textOf(bytes: Buffer): string {
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? unpacked(bytes) : bytes;
  const { text, isBinary, encoding } = decoded(plain);
  if (isBinary) {
    throw new FileRefusal('no-text', `is not valid ${encoding.toUpperCase()}`);
  }
  return text;
}

function decoded(bytes: Buffer): { readonly text: string; readonly isBinary: boolean; readonly encoding: string } {
  const mark = bytes.toString('hex', 0, 2);
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), isBinary: false, encoding };
  } catch {
    return { text: new TextDecoder(encoding).decode(bytes), isBinary: true, encoding };
  }
}

function unpacked(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_FILE_BYTES });
  } catch (cause) {
    throw cause instanceof RangeError
      ? new FileRefusal('too-large', `unpacks to more than ${MAX_FILE_BYTES} bytes, which is the limit`, cause)
      : new FileRefusal('damaged', `cannot be unpacked as gzip: ${messageOf(cause)}`, cause);
  }
}

/** Text of a file in /proc or /sys; undefined if it is missing, hidden, or of an ended process. */
export function readProc(path: string): string | undefined {
  return ifPossible(() => readFileSync(path, 'utf8'));
}

/** Content of a file of any size. The next piece overwrites the one before: buffers of their own would take 100 MB. */
export async function* piecesOf(path: string): AsyncGenerator<Uint8Array, undefined> {
  await using file = await open(path);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(buffer);
    if (bytesRead === 0) {
      return undefined;
    }
    yield buffer.subarray(0, bytesRead);
  }
}
