import { describe, expect, it } from 'vitest';
import { endedSeries } from '../../../site/model/ended.ts';
import { seriesGroups } from '../../../site/model/grouping.ts';
import { suiteHeadlines } from '../../../site/model/headline.ts';
import { lastFigures } from '../../../site/model/latest.ts';
import { EMPTY_STORE, withSegment } from '../../../site/model/store.ts';
import { figureText, seriesLabel } from '../../../site/model/words.ts';
import type { HistoryEntry } from '../../../src/history/store/entry.ts';
import { seriesKey } from '../../../src/history/store/entry.ts';
import { aChange, anEntry, aRun, aSeries } from './runs.ts';

const OLD = aSeries({ service: 'legacy' });

/** So many runs of a suite, the first ones with the old service, too. */
function runs(count: number, withOld: number, change: Partial<HistoryEntry> = {}): readonly HistoryEntry[] {
  return Array.from({ length: count }, (_, place) => {
    const has = place < withOld;
    return anEntry(`${change.suite ?? 'users'}-${place}`, new Date(Date.UTC(2026, 0, 1 + place)).toISOString(), {
      series: has ? [aSeries(), OLD] : [aSeries()],
      values: has ? [10, 20 + place] : [10],
      spreads: has ? [null, null] : [null],
      ...change,
    });
  });
}

const storeOf = (entries: readonly HistoryEntry[]) => withSegment(EMPTY_STORE, 'a', entries);

describe('a series has ended', () => {
  it('if none of the 30 newest runs of its suite has it', () => {
    expect([...endedSeries(storeOf(runs(40, 10)))]).toEqual([seriesKey(OLD)]);
    expect([...endedSeries(storeOf(runs(40, 11)))]).toEqual([]);
    expect([...endedSeries(storeOf(runs(20, 1)))]).toEqual([]);
  });

  it('by no run of another suite', () => {
    const other = aSeries({ suite: 'orders' });
    const orders = runs(40, 0, { suite: 'orders', series: [other] });

    expect([...endedSeries(storeOf([...runs(5, 5), ...orders]))]).toEqual([]);
  });

  it('with its anchor', () => {
    const ratio = (tag: string) => aSeries({ unit: `× ${tag}` });
    const anchored = (place: number, tag: string) =>
      anEntry(`r${place}`, new Date(Date.UTC(2026, 0, place)).toISOString(), {
        kind: 'anchored',
        anchor: { name: tag, commit: 'c' },
        series: [ratio(tag)],
        values: [1],
      });

    expect([...endedSeries(storeOf([anchored(1, 'v1'), anchored(2, 'v2')]))]).toEqual([seriesKey(ratio('v1'))]);
  });

  it('and has its last figure, and a table of its own behind the others', () => {
    const store = storeOf(runs(40, 10));
    const groups = seriesGroups([...store.series.values()], endedSeries(store));

    expect(lastFigures(store, seriesKey(OLD))).toMatchObject({ value: 29, at: Date.UTC(2026, 0, 10) });
    expect(groups.map(({ kind, series }) => [kind, series.map(({ service }) => service)])).toEqual([
      ['own', ['rest']],
      ['ended', ['legacy']],
    ]);
  });
});

describe('imported benchmarks', () => {
  const benchmark = aSeries({ service: 'cargo', operation: 'fib_10', tier: 'all', metric: 'value', unit: 'ns/iter' });

  it('have one table, for all suites', () => {
    const groups = seriesGroups([benchmark, { ...benchmark, suite: 'Go', operation: 'fib_20' }, aSeries()]);

    expect(groups.map(({ kind, series }) => [kind, series.length])).toEqual([
      ['own', 1],
      ['imported', 2],
    ]);
    expect(seriesLabel(benchmark)).toBe('fib_10');
    expect(seriesLabel({ ...benchmark, metric: 'memory', tier: 'all (2)' })).toBe('fib_10, all (2): memory');
  });

  it('keep their names, also those that a member of a service could have', () => {
    expect(seriesLabel({ ...benchmark, operation: '.github/bench.py::test_all' })).toBe('.github/bench.py::test_all');
    expect(seriesLabel(aSeries({ operation: '.orders' }))).toContain('member orders');
  });

  it('have one unit on an axis', () => {
    expect([9000, 10_500].map((value) => figureText(benchmark, value, 10_500))).toEqual(['9 µs/iter', '10.5 µs/iter']);
  });

  it.each([
    [999, 'ns/iter', '999 ns/iter'],
    [9705, 'ns/iter', '9.705 µs/iter'],
    [7.6, 'us', '7.6 µs'],
    [20_130, 'ns/iter', '20.13 µs/iter'],
    [123_456_789, 'ns', '123.5 ms'],
    [5e12, 'us', '5,000,000 s'],
    [20_130, 'ops/s', '20,130 ops/s'],
  ])('have times in a unit that is short, %d %s', (value, unit, text) => {
    expect(figureText({ metric: 'value', unit }, value)).toBe(text);
  });
});

describe('the headline', () => {
  const passed = aRun({ run: 'b', suite: 'orders', at: 2 });
  const regressed = aRun({ run: 'a', suite: 'users', at: 1, outcome: 'regressed' });

  it('is one for the latest run of each suite, the worst first', () => {
    const found = suiteHeadlines([aRun({ run: 'old', suite: 'users', at: 0 }), regressed, passed], new Map(), []);

    expect(found.map(({ run, word, status }) => [run.run, word, status])).toEqual([
      ['a', 'Regression', 'worse'],
      ['b', 'Passed', 'good'],
    ]);
  });

  it('names what is pending for the worse, and is not green then', () => {
    const pending = aChange({ series: aSeries({ suite: 'orders' }), pending: true, shift: 0.07 });
    const [found] = suiteHeadlines([passed], new Map(), [pending]);

    expect(found?.status).toBe('unsure');
    expect(found?.text).toMatch(/; pending: REST, all operations, high: p95 latency \+7\.0%$/);
    expect(suiteHeadlines([passed], new Map(), [{ ...pending, shift: -0.07 }])[0]?.status).toBe('good');
    expect(suiteHeadlines([passed], new Map(), [{ ...pending, pending: false }])[0]?.status).toBe('good');
  });

  it('of ratios to an anchor reports only what is worse, if there is another run', () => {
    const anchored = { suite: 'orders', anchor: { name: 'v1', commit: 'c', limits: 1 }, at: 3 };
    const words = (...runs: readonly ReturnType<typeof aRun>[]) =>
      suiteHeadlines(runs, new Map(), []).map(({ word }) => word);

    expect(words(passed, aRun({ run: 'c', ...anchored }))).toEqual(['Passed']);
    expect(words(aRun({ run: 'c', ...anchored }))).toEqual(['Passed']);
    expect(words(passed, aRun({ run: 'c', ...anchored, outcome: 'regressed' }))).toEqual(['Regression', 'Passed']);
  });

  it('names a planted slowdown that was not found, next to the latest run', () => {
    const plant = { run: 'p', suite: 'orders', kind: 'plant', at: 3 } as const;
    const lines = (...runs: readonly ReturnType<typeof aRun>[]) =>
      suiteHeadlines(runs, new Map(), []).map(({ word, text }) => `${word}: ${text}`);

    expect(lines(aRun({ ...plant, outcome: 'passed' }))).toEqual(['Planted slowdown: found']);
    expect(lines(passed, aRun({ ...plant, outcome: 'passed' }))).toHaveLength(1);
    expect(lines(passed, aRun({ ...plant, outcome: 'failed' }))[0]).toBe('Planted slowdown: not found');
  });
});
