import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ArchivedEntry, tarEntries } from '../../../../../src/runtime/docker/images/contents.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tar-'));
  mkdirSync(join(folder, 'app'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, text: string) => writeFileSync(join(folder, path), text);

/** In pieces whose ends are anywhere. */
function archive(format: string): Readable {
  const bytes = execFileSync('tar', ['--create', `--format=${format}`, '--directory', folder, 'app']);
  return Readable.from(
    Array.from({ length: Math.ceil(bytes.length / 700) }, (_, at) => bytes.subarray(700 * at, 700 * (at + 1))),
  );
}

async function entries(
  format = 'pax',
  options?: { hasContents: boolean },
): Promise<ReadonlyMap<string, ArchivedEntry>> {
  const found = new Map<string, ArchivedEntry>();
  for await (const entry of tarEntries(archive(format), options)) {
    found.set(entry.path, entry);
  }
  return found;
}

const texts = async () => [...(await entries())].map(([path, { kind, text }]) => [path, kind, text]);

describe('tarEntries', () => {
  test.each(['pax', 'gnu'])('reads names of any length, links and contents of the format %s', async (format) => {
    const long = `app/${'long-'.repeat(40)}`;
    write('app/main.py', 'print()\n'.repeat(1000));
    write(long, 'text');
    write('app/ä', '');
    symlinkSync('main.py', join(folder, 'app/link'));

    const found = await entries(format, { hasContents: true });

    expect([...found].map(([path, { kind }]) => [path, kind]).sort()).toEqual([
      ['/app', 'folder'],
      ['/app/link', 'other'],
      [`/${long}`, 'file'],
      ['/app/main.py', 'file'],
      ['/app/ä', 'file'],
    ]);
    expect(found.get('/app/main.py')?.content?.toString()).toBe('print()\n'.repeat(1000));
  });

  test('distinguishes contents, permissions and targets, but not times', async () => {
    write('app/a', 'one');
    symlinkSync('a', join(folder, 'app/link'));
    const before = await texts();

    utimesSync(join(folder, 'app/a'), 1, 1);
    expect(await texts()).toEqual(before);
    write('app/a', 'two');
    expect(await texts()).not.toEqual(before);
    write('app/a', 'one');
    expect(await texts()).toEqual(before);
    chmodSync(join(folder, 'app/a'), 0o600);
    expect(await texts()).not.toEqual(before);
    chmodSync(join(folder, 'app/a'), 0o644);
    rmSync(join(folder, 'app/link'));
    symlinkSync('b', join(folder, 'app/link'));
    expect(await texts()).not.toEqual(before);
  });

  test('refuses an archive that ends early', async () => {
    write('app/a', 'x'.repeat(5000));
    const whole = execFileSync('tar', ['--create', '--directory', folder, 'app']);

    await expect(async () => {
      for await (const _ of tarEntries(Readable.from([whole.subarray(0, 3000)]))) {
        // Reads on.
      }
    }).rejects.toThrow(/Unexpected end of data/);
  });
});
