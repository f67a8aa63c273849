import { describe, expect, test } from 'vitest';
import { lostRuns } from '../../../../src/history/repair/lost.ts';
import { formatIndex, readIndex } from '../../../../src/history/store/index-file.ts';
import { INDEX_PATH, lostText, pathOf } from '../../../../src/history/store/segments.ts';
import { sampleEntries } from '../../../support/sample-history.ts';
import { type Files, historyOf, repaired } from '../repairs.ts';

const RUNS = sampleEntries(Array.from({ length: 50 }, () => 100));

const COMMIT = 'c'.repeat(40);

const readerOf = (files: Files) => async (path: string) => files.get(path);

const lostOf = (now: Files, before: Files) =>
  lostRuns({ read: readerOf(now), last: async () => ({ commit: COMMIT, read: readerOf(before) }) });

describe('runs that a history lost', () => {
  test('are none if nothing was written since, and if runs were only added', async () => {
    const [before, after] = [await historyOf(RUNS.slice(0, 40)), await historyOf(RUNS)];

    expect(await lostRuns({ read: readerOf(after) })).toBeUndefined();
    expect(await lostOf(before, before)).toBeUndefined();
    expect(await lostOf(after, before)).toBeUndefined();
  });

  test('are those that an earlier state has not, with the days from the first to the last', async () => {
    const [before, after] = [await historyOf(RUNS), await historyOf(RUNS.slice(0, 20))];

    expect(await lostOf(after, before)).toEqual({
      runs: 30,
      from: '2026-01-21T00:00:00.000Z',
      to: '2026-02-19T00:00:00.000Z',
      commit: COMMIT,
    });
    expect(await lostOf(new Map(), before)).toMatchObject({ runs: 50 });
  });

  test('are counted one by one if others took their place', async () => {
    const others = RUNS.map((entry) => ({ ...entry, run: `other-${entry.run}` }));
    const [before, after] = [await historyOf(RUNS), await historyOf([...RUNS.slice(0, 5), ...others])];

    expect(await lostOf(after, before)).toMatchObject({ runs: 45 });
  });

  test('are none as far as the state before can no longer be read', async () => {
    const before = await historyOf(RUNS);
    before.set(pathOf('2026-01.jsonl'), 'x');

    expect(await lostOf(new Map(), before)).toBeUndefined();
    before.set(INDEX_PATH, '{"schema":2}');
    expect(await lostOf(new Map(), before)).toBeUndefined();
  });
});

describe('the note of lost runs', () => {
  const lost = { runs: 1, from: '2026-01-21T00:00:00.000Z', to: '2026-01-21T00:00:00.000Z', commit: COMMIT };

  test('stays in the index until it is made again', async () => {
    const files = await historyOf(RUNS);
    const index = readIndex(files.get(INDEX_PATH) ?? '', INDEX_PATH);
    const noticed = { ...lost, noticed: '2026-03-01T00:00:00.000Z' };
    files.set(INDEX_PATH, formatIndex({ ...index, lost: noticed }));

    expect(readIndex(files.get(INDEX_PATH) ?? '', INDEX_PATH).lost).toEqual(noticed);
    expect((await repaired(files)).forgotten).toEqual(noticed);
    expect((await repaired(files)).changes).toEqual([]);
  });

  test('is a sentence', () => {
    expect(lostText(lost)).toBe('1 run that was in this history is gone: measured on 2026-01-21');
    expect(lostText({ ...lost, runs: 1200, to: '2026-02-01T00:00:00.000Z', noticed: '2026-03-01T00:00:00.000Z' })).toBe(
      '1,200 runs that were in this history are gone, since before the run of 2026-03-01 was published: measured from 2026-01-21 to 2026-02-01',
    );
  });
});
