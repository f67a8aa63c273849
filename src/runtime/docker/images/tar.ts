import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extract, type Header } from 'tar-stream';
import { type BuiltEntry, contentHash } from '../../built-program.ts';

interface Entry extends AsyncIterable<Uint8Array> {
  readonly header: Header;
}

/** Largest content that is read as a whole. */
const MOST_READ = 2 ** 26;

export interface ArchivedEntry extends BuiltEntry {
  /** Absolute. */
  readonly path: string;
  readonly mode: number;
  readonly content?: Buffer | undefined;
}

const KINDS: Readonly<Record<string, BuiltEntry['kind']>> = { file: 'file', directory: 'folder' };

/** Extended headers without meaning for a program, or that the entry has in a field of its own. */
const OTHER_HEADERS = ['path', 'linkpath', 'size', 'mtime', 'atime', 'ctime'];

/** Entries of an archive as the engine writes it, in its order. Throws for a broken one. */
export async function* tarEntries(
  stream: AsyncIterable<Uint8Array>,
  { hasContents = false } = {},
): AsyncGenerator<ArchivedEntry> {
  const archive = extract();
  const source = Readable.from(stream);
  source.once('error', (error) => archive.destroy(error));
  source.pipe(archive);
  // The types of the library do not say that the pieces of an entry are bytes.
  for await (const entry of archive as AsyncIterable<unknown> as AsyncIterable<Entry>) {
    const { name, type, mode } = entry.header;
    const path = resolve('/', name);
    const kind = KINDS[type] ?? 'other';
    const content = hasContents ? await contentOf(entry) : undefined;
    const hash = content === undefined ? await hashOf(path, entry) : '';
    yield { path, kind, text: `${type} ${rightsOf(entry)} ${hash}`, mode, content };
  }
}

async function contentOf(entry: Entry): Promise<Buffer> {
  if (entry.header.size > MOST_READ) {
    throw new RangeError(`a file of the image has ${entry.header.size} bytes`);
  }
  return await buffer(entry);
}

/** Programs and compiled modules have parts that do not count. */
async function hashOf(path: string, entry: Entry): Promise<string> {
  const { size, mode } = entry.header;
  if ((path.endsWith('.pyc') || (mode & 0o111) !== 0) && size <= MOST_READ) {
    return contentHash(path, await buffer(entry));
  }
  const hash = createHash('sha256');
  for await (const piece of entry) {
    hash.update(piece);
  }
  return hash.digest('hex');
}

function rightsOf({ header }: Entry): string {
  const { mode, uid, gid, linkname, devmajor, devminor, pax } = header;
  const others = Object.entries(pax ?? {}).filter(([name]) => !OTHER_HEADERS.includes(name));
  const text = JSON.stringify([mode.toString(8), uid, gid, linkname, devmajor, devminor, others.sort()]);
  if (text.includes('\uFFFD')) {
    // Attributes may be bytes that are no text, of which two could look equal.
    throw new RangeError(`${header.name} has attributes that cannot be compared`);
  }
  return text;
}
