import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptRuns, thinnedHistory } from '../../../../src/history/repair/thin.ts';
import { allAddedTo } from '../../../../src/history/store/addition.ts';
import { formatChanges, type HistoryChange } from '../../../../src/history/store/changes.ts';
import { readIndex } from '../../../../src/history/store/index-file.ts';
import { readSegment } from '../../../../src/history/store/segment.ts';
import { CHANGES_PATH, INDEX_PATH, pathOf } from '../../../../src/history/store/segments.ts';
import { sampleEntry, sampleSeries } from '../../../support/sample-history.ts';

const TODAY = '2026-11-21T12:00:00.000Z';

function hoursAgo(hours: number, change = {}) {
  const at = new Date(Date.parse(TODAY) - hours * 3_600_000).toISOString();
  return sampleEntry({ run: `h${hours}`, at, ...change });
}

const CHANGE: HistoryChange = {
  series: sampleSeries(),
  run: 'h3000',
  at: TODAY,
  before: 1,
  after: 2,
  shift: 1,
  p: 0.001,
  runsAfter: 9,
  pending: false,
};

describe('thinning a history', () => {
  it('keeps all young runs, one a day up to twice the age, and one a week before', () => {
    const entries = Array.from({ length: 24 * 100 }, (_, hours) => hoursAgo(hours));

    const runs = keptRuns(entries, { days: 10, today: TODAY, changes: [] });
    const kept = entries.filter(({ run }) => runs.has(run));

    const counts = { young: 0, middle: 0, old: 0 };
    for (const { at } of kept) {
      const days = (Date.parse(TODAY) - Date.parse(at)) / 86_400_000;
      counts[days < 10 ? 'young' : days < 20 ? 'middle' : 'old'] += 1;
    }
    expect(counts.young).toBe(240);
    expect(counts.middle).toBeGreaterThanOrEqual(10);
    expect(counts.middle).toBeLessThanOrEqual(11);
    expect(counts.old).toBeGreaterThanOrEqual(11);
    expect(counts.old).toBeLessThanOrEqual(13);
  });

  it('keeps the newest run of each suite, releases, and the first run after a change point, at any age', () => {
    const entries = [
      hoursAgo(3000),
      hoursAgo(2999, { tags: ['v1'] }),
      hoursAgo(2998),
      hoursAgo(2997),
      hoursAgo(9000, { suite: 'other' }),
    ];

    expect([...keptRuns(entries, { days: 1, today: TODAY, changes: [CHANGE] })].sort()).toEqual([
      'h2997',
      'h2999',
      'h3000',
      'h9000',
    ]);
  });

  it('thins nothing more the second time', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(5000)), fc.integer({ min: 1, max: 60 }), (hours, days) => {
        const rule = { days, today: TODAY, changes: [] };
        const entries = hours.map((hour) => hoursAgo(hour));
        const kept = keptRuns(entries, rule);

        const rest = entries.filter(({ run }) => kept.has(run));

        expect(keptRuns(rest, rule)).toEqual(kept);
      }),
    );
  });
});

/** A history in memory: 50 hourly runs in two months, with distributions. */
async function history(): Promise<Map<string, string>> {
  const additions = Array.from({ length: 24 * 40 }, (_, hours) => ({
    entry: hoursAgo(hours, { series: [sampleSeries({ tier: hours % 2 === 0 ? 'low' : 'high' })] }),
    histograms: { 'rest/all/low': 'AAAA' },
  }));
  const files = new Map<string, string>();
  for (const { path, text } of await allAddedTo({ wiregauge: '0', segments: [] }, async () => undefined, additions)) {
    files.set(path, text ?? '');
  }
  return files;
}

describe('the files of a thinned history', () => {
  it('have the runs that stay, their columns and distributions, as they were', async () => {
    const files = await history();
    const before = readIndex(files.get(INDEX_PATH) ?? '', INDEX_PATH);
    const entries = before.segments.flatMap(({ file }) => readSegment(files.get(pathOf(file)) ?? '', file));
    const kept = keptRuns(entries, { days: 2, today: TODAY, changes: [] });

    const { changes, segments } = await thinnedHistory(async (path) => files.get(path), { days: 2, today: TODAY });
    for (const { path, text } of changes) {
      files.delete(path);
      if (text !== undefined) {
        files.set(path, text);
      }
    }

    const index = readIndex(files.get(INDEX_PATH) ?? '', INDEX_PATH);
    const after = index.segments.flatMap(({ file }) => readSegment(files.get(pathOf(file)) ?? '', file));
    expect(after).toEqual(entries.filter(({ run }) => kept.has(run)));
    expect(index.segments.reduce((sum, { runs }) => sum + runs, 0)).toBe(kept.size);
    expect(segments.reduce((sum, { gone }) => sum + gone, 0)).toBe(entries.length - kept.size);
    expect([...files.keys()].filter((path) => path.endsWith('.jsonl')).length).toBe(2 * index.segments.length);
  });

  it('are none where any file cannot be read', async () => {
    const files = await history();
    const [segment] = readIndex(files.get(INDEX_PATH) ?? '', INDEX_PATH).segments;
    const path = pathOf(segment?.file ?? '');
    files.set(path, (files.get(path) ?? '').slice(0, -5));

    await expect(thinnedHistory(async (name) => files.get(name), { days: 2, today: TODAY })).rejects.toThrow(
      'cut short',
    );
  });

  it('keep the first run after a change point', async () => {
    const files = (await history()).set(CHANGES_PATH, formatChanges([{ ...CHANGE, run: 'h500' }]));

    const { changes } = await thinnedHistory(async (name) => files.get(name), { days: 2, today: TODAY });

    expect(changes.some(({ text }) => text?.includes('"run":"h500"'))).toBe(true);
    expect(changes.some(({ text }) => text?.includes('"run":"h501"'))).toBe(false);
  });
});
