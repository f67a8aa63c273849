import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '../../../foundation/errors.ts';
import { piecesOf } from '../../../host/files/reader.ts';
import { FormatError } from './formats/format-error.ts';

/** Documents are parsed as a whole. */
const MOST_DOCUMENT = 2 ** 28;

/** Text of a file in pieces: UTF-8 or, by its byte order mark, UTF-16; also gzipped. */
export async function* textOf(path: string): AsyncGenerator<string, undefined> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const piece of await unpacked(piecesOf(path))) {
    decoder ??= new TextDecoder(encodingOf(piece));
    yield decoder.decode(piece, { stream: true });
  }
  return undefined;
}

async function unpacked(pieces: AsyncGenerator<Uint8Array, undefined>): Promise<AsyncIterable<Uint8Array>> {
  const first = await pieces.next();
  const [one, two] = first.value ?? [];
  const isPacked = one === 0x1f && two === 0x8b;
  const all = (async function* () {
    try {
      for (let next = first; next.value !== undefined; next = await pieces.next()) {
        yield isPacked ? Buffer.from(next.value) : next.value;
      }
    } finally {
      // Closes the file of one that is not read to its end.
      await pieces.return(undefined);
    }
  })();
  return isPacked ? Readable.from(all).pipe(createGunzip()) : all;
}

function encodingOf([one, two]: Uint8Array): string {
  return one === 0xff && two === 0xfe ? 'utf-16le' : one === 0xfe && two === 0xff ? 'utf-16be' : 'utf-8';
}

/** Text of a file as a whole, after its first piece. */
export async function wholeOf(first: string, pieces: AsyncIterable<string>): Promise<string> {
  const all = [first];
  let length = first.length;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > MOST_DOCUMENT) {
      throw new FormatError(`has more than ${MOST_DOCUMENT} characters in one document, which is the limit`);
    }
    all.push(piece);
  }
  return all.join('');
}

/** Value of a JSON text. Throws FormatError with line and column. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const isTruncated = isBeginning(text);
    // The longest beginning that lacks only its end, since the engine does not always report the place.
    let [good, bad] = isTruncated ? [text.length, text.length] : [0, text.length];
    while (bad - good > 1) {
      const middle = Math.floor((good + bad) / 2);
      [good, bad] = isBeginning(text.slice(0, middle)) ? [middle, bad] : [good, middle];
    }
    const before = text.slice(0, bad).split('\n');
    const what = isTruncated ? 'ends inside of the JSON: it is truncated' : 'is not valid JSON';
    throw new FormatError(`${before.length}:${Math.max(1, before.at(-1)?.length ?? 1)}: ${what}`);
  }
}

/** True if a text could be the beginning of a JSON text. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (thrown) {
    const why = messageOf(thrown);
    const at = Number(/at position (\d+)/.exec(why)?.[1] ?? -1);
    return /end of JSON|Unterminated string/.test(why) || at >= text.trimEnd().length;
  }
}
