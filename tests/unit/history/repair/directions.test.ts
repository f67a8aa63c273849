import { describe, expect, it } from 'vitest';
import { IMPORTED_METRIC, IMPORTED_PLACE } from '../../../../src/history/exchange/export.ts';
import { readChanges } from '../../../../src/history/store/changes.ts';
import type { HistoryEntry, Series } from '../../../../src/history/store/entry.ts';
import { readSegment } from '../../../../src/history/store/segment.ts';
import { CHANGES_PATH } from '../../../../src/history/store/segments.ts';
import { sampleEntry } from '../../../support/sample-history.ts';
import { historyOf, repaired } from '../repairs.ts';

const series = (tool: string, unit: string, more: Partial<Series> = {}): Series => ({
  ...{
    suite: 'S',
    service: tool,
    operation: 'fib',
    tier: IMPORTED_PLACE,
    metric: IMPORTED_METRIC,
    unit,
    better: 'lower',
  },
  ...more,
});

/** Runs that were imported with guessed directions, with half the throughput from the middle on. */
const runs = (tool: string, one: Series, more: Partial<HistoryEntry> = {}): readonly HistoryEntry[] =>
  Array.from({ length: 40 }, (_, place) => {
    const {
      runner: _runner,
      settings: _settings,
      ...entry
    } = sampleEntry({
      ...{ run: `${tool}-${place}`, at: new Date(Date.UTC(2026, 0, 1 + (place % 28), place)).toISOString() },
      ...{
        suite: 'S',
        kind: 'import',
        series: [one],
        values: [place % 28 < 14 ? 100 + (place % 3) : 50],
        spreads: [null],
      },
      ...{ imported: { tool, notes: [] } },
      ...more,
    });
    return entry;
  });

describe('directions that an import guessed', () => {
  it('are corrected in the segments, with a line for each series, and nothing else changes', async () => {
    const jmh = runs('jmh', series('jmh', 'ops/ms'));
    const files = await historyOf([
      ...jmh,
      ...runs('cargo', series('cargo', 'ns/iter')),
      ...runs('customSmallerIsBetter', series('customSmallerIsBetter', 'ops/s')),
    ]);
    const path = [...files.keys()].find((name) => name.endsWith('2026-01.jsonl')) ?? expect.fail('no segment');
    const before = files.get(path) ?? '';

    const { corrected } = await repaired(files);

    expect(corrected.map(({ series: { service, better }, before: was }) => [service, was, better])).toEqual([
      ['jmh', 'lower', 'higher'],
    ]);
    const after = files.get(path) ?? '';
    expect(after).toBe(before.replace('"unit":"ops/ms","better":"lower"', '"unit":"ops/ms","better":"higher"'));
    expect(readSegment(after, path)).toHaveLength(readSegment(before, path).length);
    const changes = readChanges(files.get(CHANGES_PATH) ?? '', CHANGES_PATH).filter(
      (one) => one.series.service === 'jmh',
    );
    expect(changes.length).toBeGreaterThan(0);
    expect(new Set(changes.map((one) => one.series.better))).toEqual(new Set(['higher']));
    expect((await repaired(files)).changes).toEqual([]);
  });

  it.each([
    ['go-test', 'qps', 'higher'],
    ['go-test', 'points', 'lower'],
    ['jmh', 'MB/sec', 'lower'],
  ])(
    'are corrected of outputs of tools as far as the unit says it: %s in %s is better when %s',
    async (tool, unit, better) => {
      const of = runs(tool, series(tool, unit, { metric: unit })).map(({ imported: _imported, ...entry }) => entry);
      const files = await historyOf(of);

      await repaired(files);

      const path = [...files.keys()].find((name) => name.endsWith('2026-01.jsonl')) ?? '';
      expect(readSegment(files.get(path) ?? '', path)[0]?.series[0]?.better).toBe(better);
    },
  );

  it('stay in what was measured here, for any unit', async () => {
    const files = await historyOf(runs('jmh', series('jmh', 'ops/ms'), { kind: 'run' }));

    expect((await repaired(files)).corrected).toEqual([]);
  });
});
