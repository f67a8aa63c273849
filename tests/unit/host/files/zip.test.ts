import { describe, expect, test } from 'vitest';
import { textInZip } from '../../../../src/host/files/zip.ts';
import { type ZipEntry, zipOf } from '../../../support/zip.ts';

const LIMITS = { entries: 20, bytes: 1_000_000 };

const read = (entries: readonly ZipEntry[], limits = LIMITS) => textInZip(zipOf(entries), 'run.json', limits);

describe('textInZip', () => {
  test('gives the text of the file that is asked for', async () => {
    const entries = [
      { name: 'report.md', text: '# no' },
      { name: 'run.json', text: '{"ä": 1}' },
    ];
    expect(await read(entries)).toBe('{"ä": 1}');
  });

  test.each<[string, readonly ZipEntry[], RegExp]>([
    ['has none of that name', [{ name: 'other/run.json', text: '{}' }], /has 0 files with that name/],
    [
      'has two of that name',
      [
        { name: 'run.json', text: '{}' },
        { name: 'run.json', text: '[]' },
      ],
      /has 2 files with that name/,
    ],
    ['leads out of its folder', [{ name: '../run.json', text: '{}' }], /relative path|invalid/i],
    ['has an absolute path', [{ name: '/run.json', text: '{}' }], /absolute path|invalid/i],
    ['is encrypted', [{ name: 'run.json', text: '{}', isEncrypted: true }], /encrypted/],
    ['is no text', [{ name: 'run.json', text: Uint8Array.of(0xff, 0xfe, 0xfd) }], /utf-8|encoded/i],
    [
      'says that it is longer than allowed',
      [{ name: 'run.json', text: '{}', claimedBytes: 2e9 }],
      /the limit is 1000000/,
    ],
    [
      'unpacks to more than it says',
      [{ name: 'run.json', text: 'x'.repeat(5_000_000), claimedBytes: 10 }],
      /too many bytes/,
    ],
    ['unpacks to less than it says', [{ name: 'run.json', text: '{}', claimedBytes: 900 }], /not enough bytes/],
    [
      'lists too many files',
      Array.from({ length: 21 }, (_, index) => ({ name: `${index}`, text: '' })),
      /lists 21 files/,
    ],
  ])('refuses an archive that %s', async (_what, entries, words) => {
    await expect(read(entries)).rejects.toMatchObject({ name: 'ConfigError', message: expect.stringMatching(words) });
  });

  test('refuses what is not an archive, and one that is cut short', async () => {
    const whole = zipOf([{ name: 'run.json', text: '{}' }]);
    for (const bytes of [new Uint8Array(), Buffer.from('no archive'), whole.subarray(0, whole.length - 9)]) {
      await expect(textInZip(bytes, 'run.json', LIMITS)).rejects.toMatchObject({ name: 'ConfigError' });
    }
  });
});
