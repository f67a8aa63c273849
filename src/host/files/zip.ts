import { buffer } from 'node:stream/consumers';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { ConfigError, messageOf } from '../../foundation/errors.ts';

/** Text of the only file with this name in an untrusted archive, within limits to its entries and that file; nothing is written to disk. */
export async function textInZip(
  bytes: Uint8Array,
  name: string,
  limits: { readonly entries: number; readonly bytes: number },
): Promise<string> {
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
  // The stream fails if the content exceeds the stated size.
  const unpacked = await known(name, async () => await buffer(await archive.openReadStreamPromise(entry)));
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
