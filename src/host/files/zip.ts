import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { ConfigError, messageOf } from '../../foundation/errors.ts';

/** What may be read of an archive. */
export interface ArchiveLimits {
  /** Files that it lists. */
  readonly entries: number;
  /** Of the file that is wanted, unpacked. */
  readonly bytes: number;
}

/**
 * The text of the one file of that name in an archive that a stranger may have made; nothing is written to disk. Throws ConfigError
 * if the archive is none, lists too many files, has none or several of that name, or if the file is longer than allowed,
 * encrypted, cut short or not UTF-8.
 */
export async function textInZip(bytes: Uint8Array, name: string, limits: ArchiveLimits): Promise<string> {
  const archive = await known(name, () =>
    fromBufferPromise(Buffer.from(bytes), { strictFileNames: true, lazyEntries: true }),
  );
  if (archive.entryCount > limits.entries) {
    throw refusal(name, `it lists ${archive.entryCount} files; the limit is ${limits.entries}`);
  }
  const entry = await known(name, () => entryNamed(archive, name));
  if (entry.uncompressedSize > limits.bytes) {
    throw refusal(name, `the file has ${entry.uncompressedSize} bytes; the limit is ${limits.bytes}`);
  }
  // The stream ends with an error if there is more than the archive says.
  const unpacked = await known(name, async () => await joined(await archive.openReadStreamPromise(entry)));
  return await known(name, () => new TextDecoder('utf-8', { fatal: true }).decode(unpacked));
}

async function entryNamed(archive: ZipFile, name: string): Promise<Entry> {
  const found: Entry[] = [];
  for await (const entry of archive.eachEntry()) {
    if (entry.fileName === name) {
      found.push(entry);
    }
  }
  const [first] = found;
  if (first === undefined || found.length > 1) {
    throw refusal(name, `it has ${found.length} files with that name`);
  }
  return first;
}

async function joined(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function known<Result>(name: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof ConfigError ? thrown : refusal(name, messageOf(thrown), thrown);
  }
}

function refusal(name: string, why: string, cause?: unknown): ConfigError {
  return new ConfigError(`${name} cannot be read from the artifact: ${why}`, {
    code: 'WG-506',
    cause,
    next: 'Check the workflow run that created the artifact: it should contain the output of `wiregauge compare`.',
  });
}
