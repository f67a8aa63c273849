import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RepairRequest } from '../../../../src/history/repair/repair.ts';
import { readChanges } from '../../../../src/history/store/changes.ts';
import { readIndex } from '../../../../src/history/store/index-file.ts';
import { CHANGES_PATH, INDEX_PATH } from '../../../../src/history/store/segments.ts';
import { anyEntries, sampleEntry } from '../../../support/sample-history.ts';
import { ABOUT, distributionsOf, type Files, historyOf, repaired, STEPPED } from '../repairs.ts';

describe('an index that is made again', () => {
  it('is the one that was lost, for any runs', async () => {
    await fc.assert(
      fc.asyncProperty(anyEntries, fc.boolean(), async (entries, isGone) => {
        fc.pre(entries.length > 0);
        const files = await historyOf(entries);
        const before = files.get(INDEX_PATH) ?? '';
        if (isGone) {
          files.delete(INDEX_PATH);
        } else {
          files.set(INDEX_PATH, before.slice(0, -2));
        }

        await repaired(files, { about: ABOUT });

        expect(files.get(INDEX_PATH)).toBe(before);
      }),
      { numRuns: 50 },
    );
  });

  it('is left alone with all that follows from it, once all is well', async () => {
    const files = await historyOf(STEPPED);
    await repaired(files);

    expect((await repaired(files)).changes).toEqual([]);
  });

  it('never changes a segment or what is next to it', async () => {
    const files = await historyOf(STEPPED);
    files.set('history/2026-01.histograms.jsonl', distributionsOf('run-0', 'run-1'));
    files.delete(INDEX_PATH);

    const { changes } = await repaired(files);

    expect(changes.map(({ path }) => path)).toEqual(['feed.xml', 'badges/users.svg', INDEX_PATH]);
  });

  it('keeps what its first line contains if only the rest is damaged, and prefers given values', async () => {
    const damaged = async (request: Partial<RepairRequest>, damage: (text: string) => string) => {
      const files = await historyOf(STEPPED);
      files.set(INDEX_PATH, damage(files.get(INDEX_PATH) ?? ''));
      const { index } = await repaired(files, request);
      return [index.repository, index.branch];
    };
    const otherwise = { repository: 'https://github.com/two/other', branch: 'trunk' };
    const cut = (text: string) => text.slice(0, -20);

    expect(await damaged({ otherwise }, cut)).toEqual([ABOUT.repository, ABOUT.branch]);
    expect(await damaged({ otherwise }, () => 'x')).toEqual([otherwise.repository, otherwise.branch]);
    expect(await damaged({ about: { wiregauge: '1', branch: 'next' } }, cut)).toEqual([ABOUT.repository, 'next']);
  });

  it('says which segments it did not name, and which are not there', async () => {
    const files = await historyOf(STEPPED);
    const text = files.get(INDEX_PATH) ?? '';
    files.set(INDEX_PATH, text.replaceAll('2026-01.jsonl', '2025-12.jsonl'));

    const { found, lost } = await repaired(files);

    expect(found.map(({ file, runs }) => [file, runs])).toEqual([['2026-01.jsonl', 31]]);
    expect(lost.map(({ file }) => file)).toEqual(['2025-12.jsonl']);
    expect(readIndex(files.get(INDEX_PATH) ?? '', INDEX_PATH).segments.map(({ file }) => file)).toEqual([
      '2026-01.jsonl',
      '2026-02.jsonl',
    ]);
  });
});

describe('change points', () => {
  const pointsIn = (files: Files) => readChanges(files.get(CHANGES_PATH) ?? '', CHANGES_PATH).map(({ run }) => run);

  it.each([
    ['missing', undefined],
    ['damaged', () => '{'],
    ['of runs that are not there', (text: string) => text.replaceAll('run-25', 'run-gone')],
  ])('are found again where their file is %s', async (_, damage) => {
    const files = await historyOf(STEPPED);
    const before = files.get(CHANGES_PATH) ?? '';
    expect(pointsIn(files)).toEqual(['run-25']);
    if (damage === undefined) {
      files.delete(CHANGES_PATH);
    } else {
      files.set(CHANGES_PATH, damage(before));
    }

    await repaired(files);

    expect(files.get(CHANGES_PATH)).toBe(before);
  });

  it('that can be read stay, since thinning may have taken what bore them out, unless they are asked for', async () => {
    const files = await historyOf(STEPPED);
    const moved = (files.get(CHANGES_PATH) ?? '').replaceAll('run-25', 'run-24');
    files.set(CHANGES_PATH, moved);

    await repaired(files);
    expect(pointsIn(files)).toEqual(['run-24']);
    await repaired(files, { findsChanges: true });
    expect(pointsIn(files)).toEqual(['run-25']);
  });
});

describe('badges', () => {
  it('are of the newest run of each suite that was measured on the default branch', async () => {
    const files = await historyOf([
      sampleEntry({ run: 'a', at: '2026-01-01T00:00:00.000Z', outcome: 'failed' }),
      sampleEntry({ run: 'b', at: '2026-01-03T00:00:00.000Z', outcome: 'passed' }),
      sampleEntry({ run: 'c', at: '2026-01-04T00:00:00.000Z', outcome: 'failed', branch: 'topic' }),
      sampleEntry({ run: 'd', at: '2026-01-05T00:00:00.000Z', suite: 'Imported', kind: 'import' }),
    ]);

    await repaired(files);

    expect([...files.keys()].filter((path) => path.startsWith('badges/'))).toEqual(['badges/users.svg']);
    expect(files.get('badges/users.svg')).toContain('performance: users: passed');
  });
});

describe('a history that is not repaired', () => {
  it.each([
    [
      'a segment that was cut short',
      'history/2026-01.jsonl',
      (text: string) => text.slice(0, -9),
      /2026-01\.jsonl:.*cut short/,
    ],
    [
      'a segment of a newer schema',
      'history/2026-02.jsonl',
      (text: string) => text.replaceAll('"schema":1', '"schema":2'),
      /2026-02\.jsonl:1: has schema 2/,
    ],
    ['an index of a newer schema', INDEX_PATH, (text: string) => text.replace('"schema":1', '"schema":2'), /schema 2/],
    [
      'an index of a newer schema that was cut short',
      INDEX_PATH,
      (text: string) => text.replace('"schema":1', '"schema":2').slice(0, -9),
      /schema 2/,
    ],
    [
      'distributions of a newer schema',
      'history/2026-02.histograms.jsonl',
      () => distributionsOf('run-47').replace('"schema":1', '"schema":2'),
      /2026-02\.histograms\.jsonl:1: has schema 2/,
    ],
    ['change points of a newer schema', CHANGES_PATH, () => '{"schema":2}', /schema 2/],
  ])('has %s', async (...[, path, damage, words]) => {
    const files = await historyOf(STEPPED);
    files.set(path, damage(files.get(path) ?? ''));

    await expect(repaired(files, { findsChanges: true })).rejects.toThrow(words);
  });

  it('has every segment named that cannot be read', async () => {
    const files = await historyOf(STEPPED);
    for (const month of ['01', '02']) {
      files.set(`history/2026-${month}.jsonl`, '<<<<<<<\n');
    }

    await expect(repaired(files)).rejects.toThrow(/2026-01\.jsonl:1: is not JSON; .*2026-02\.jsonl:1: is not JSON/);
  });

  it('has no segments', async () => {
    await expect(repaired(new Map([[INDEX_PATH, '{}']]))).rejects.toThrow(/no history segment/);
  });
});
