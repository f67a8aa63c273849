import { createHash } from 'node:crypto';
import { type BuiltEntry, contentHash } from '../../built-program.ts';

/** The size of a header, to which contents are filled up. */
const BLOCK = 512;

/** Names and attributes are no longer. */
const MOST_EXTENDED = 2 ** 20;

/** A content that is held whole. */
const MOST_HELD = 2 ** 26;

/** A header whose names are those of the extended headers before it. */
interface Header {
  readonly path: string;
  readonly type: string;
  readonly size: number;
  readonly mode: number;
  /** Owner, device and target, extended attributes. */
  readonly rest: string;
}

/** An entry of an archive. */
export interface ArchivedEntry extends BuiltEntry {
  /** Absolute. */
  readonly path: string;
  readonly mode: number;
  /** Content of a file, if it was asked for. */
  readonly content?: Buffer | undefined;
}

const KINDS: Readonly<Record<string, BuiltEntry['kind']>> = { 0: 'file', 5: 'folder' };

/** Entries of an archive as the engine writes it, in its order. Throws RangeError for a broken one. */
export async function* tarEntries(
  stream: AsyncIterable<Uint8Array>,
  { hasContents = false } = {},
): AsyncGenerator<ArchivedEntry> {
  const pieces = new Pieces(stream);
  let extended = new Map<string, string>();
  for (;;) {
    const block = await pieces.take(BLOCK);
    if (block.every((byte) => byte === 0)) {
      return;
    }
    const header = headerOf(block, extended);
    const filled = Math.ceil(header.size / BLOCK) * BLOCK - header.size;
    if ('xgLK'.includes(header.type)) {
      const content = await pieces.take(limited(header.size, MOST_EXTENDED));
      await pieces.take(filled);
      extended = withExtended(extended, header.type, content);
      continue;
    }
    extended = new Map();
    const { path, type, mode } = header;
    const rights = `${mode.toString(8)} ${header.rest}`;
    const content = hasContents ? await pieces.take(limited(header.size, MOST_HELD)) : undefined;
    const hash = content === undefined ? await hashed(pieces, header) : '';
    await pieces.take(filled);
    const kind = KINDS[type] ?? 'other';
    const text = kind === 'file' ? `${rights} ${hash}` : `${type} ${rights}`;
    yield { path, kind, text, mode, content };
  }
}

/** Programs and compiled modules have parts that do not count. */
async function hashed(pieces: Pieces, { path, size, mode }: Header): Promise<string> {
  if ((path.endsWith('.pyc') || (mode & 0o111) !== 0) && size <= MOST_HELD) {
    return contentHash(path, await pieces.take(size));
  }
  const hash = createHash('sha256');
  for await (const piece of pieces.pass(size)) {
    hash.update(piece);
  }
  return hash.digest('hex');
}

function headerOf(block: Buffer, extended: ReadonlyMap<string, string>): Header {
  const text = (from: number, length: number): string => {
    const field = block.subarray(from, from + length);
    const end = field.indexOf(0);
    return field.subarray(0, end < 0 ? length : end).toString('utf8');
  };
  const prefix = text(257, 5) === 'ustar' && text(257, 8) !== 'ustar  ' ? text(345, 155) : '';
  const short = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`;
  const path = `/${extended.get('path') ?? short}`.replace(/^\/\.?\/+/, '/').replace(/(?<=.)\/+$/, '');
  const type = text(156, 1) || '0';
  const mode = numberIn(block.subarray(100, 108)) & 0o7777;
  const owner = [extended.get('uid'), extended.get('gid')].map(
    (own, place) => own ?? numberIn(block.subarray(108 + 8 * place, 116 + 8 * place)),
  );
  const target = extended.get('linkpath') ?? text(157, 100);
  const device = type === '3' || type === '4' ? [text(329, 8), text(337, 8)] : [];
  const attributes = [...extended].filter(([name]) => name.startsWith('SCHILY.xattr.')).sort();
  const size = Number(extended.get('size') ?? numberIn(block.subarray(124, 136)));
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new RangeError('the archive of a container is broken');
  }
  return { path, type, size, mode, rest: JSON.stringify([owner, target, device, attributes]) };
}

/** Octal digits, or a binary number if the first bit is set. */
function numberIn(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) === 0) {
    return Number.parseInt(field.toString('latin1').replace(/[\0 ]/g, '') || '0', 8);
  }
  return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, (field[0] ?? 0) & 0x7f);
}

function limited(size: number, most: number): number {
  if (size > most) {
    throw new RangeError('the archive of a container is broken');
  }
  return size;
}

/** Records of PAX ("30 path=..."), or a long name of GNU. Those of the whole archive have no file. */
function withExtended(known: ReadonlyMap<string, string>, type: string, content: Buffer): Map<string, string> {
  const found = new Map(known);
  if (type === 'L' || type === 'K') {
    found.set(type === 'L' ? 'path' : 'linkpath', content.toString('utf8').replace(/\0+$/, ''));
  }
  for (let from = 0; type === 'x' && from < content.length; ) {
    const space = content.indexOf(' ', from);
    const length = Number(content.subarray(from, space).toString('latin1'));
    if (space < 0 || !(length > space - from)) {
      throw new RangeError('the archive of a container is broken');
    }
    const record = content.subarray(space + 1, from + length - 1);
    const equals = record.indexOf('=');
    // Attributes are bytes.
    found.set(record.subarray(0, equals).toString('utf8'), textOf(record.subarray(equals + 1)));
    from += length;
  }
  return found;
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : `base64:${bytes.toString('base64')}`;
}

/** A stream of which so many bytes can be taken at once. */
class Pieces {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#source = stream[Symbol.asyncIterator]();
  }

  async take(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.pass(size)) {
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  /** The next bytes, in pieces. */
  async *pass(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#held.length === 0) {
        const next = await this.#source.next();
        if (next.done === true) {
          throw new RangeError('the archive of a container ends early');
        }
        this.#held = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
      }
      const part = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }
}
