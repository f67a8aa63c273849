import { describe, expect, it } from 'vitest';
import { chartContent, levelsOf, placesIn, stretchOf, timesOf } from '../../../site/model/chart.ts';
import { comparedRuns } from '../../../site/model/comparison.ts';
import { type LatestFigures, latestFigures, recentPath } from '../../../site/model/latest.ts';
import { firstSegments, newestFirst } from '../../../site/model/segments.ts';
import { EMPTY_STORE, figureAt, lineOf, withSegment } from '../../../site/model/store.ts';
import { differenceText } from '../../../site/model/words.ts';
import { seriesKey } from '../../../src/history/store/entry.ts';
import { aChange, anEntry, anErrorRate, aSeries } from './runs.ts';

const KEY = seriesKey(aSeries());
const CPU = aSeries({ metric: 'cpuMicrosPerRequest', unit: 'µs' });
const day = (number: number) => `2026-11-${String(number).padStart(2, '0')}T00:00:00.000Z`;

function days(...values: readonly (number | null)[]) {
  return withSegment(
    EMPTY_STORE,
    '2026-11.jsonl',
    values.map((value, place) => anEntry(`r${place}`, day(place + 1), { values: [value] })),
  );
}

describe('the store', () => {
  it('has runs of all segments in the order of their time, whichever came first', () => {
    const store = withSegment(days(1, 2), '2026-10.jsonl', [
      anEntry('old', '2026-10-03T00:00:00.000Z', { values: [7] }),
    ]);

    expect(store.runs.map(({ run }) => run)).toEqual(['old', 'r0', 'r1']);
    expect([...lineOf(store, KEY).values]).toEqual([7, 1, 2]);
    expect([...lineOf(store, KEY, [1, 2]).values]).toEqual([1]);
  });

  it('keeps one of a run that is in two segments', () => {
    const store = withSegment(days(1), '2026-12.jsonl', [anEntry('r0', day(1), { values: [9] })]);

    expect([...lineOf(store, KEY).values]).toEqual([1]);
  });

  it('has a gap where a run has no figure, or not that series', () => {
    const store = withSegment(days(1, null), '2026-10.jsonl', [anEntry('x', day(9), { series: [CPU], values: [200] })]);

    expect([...lineOf(store, KEY).values]).toEqual([1, Number.NaN, Number.NaN]);
    expect(figureAt(store, KEY, 1)).toBeUndefined();
    expect(figureAt(store, seriesKey(CPU), 2)?.value).toBe(200);
  });
});

describe('what is read first', () => {
  const row = (file: string, runs: number, from: string) => ({ file, runs, bytes: 1, from, to: from });
  const index = {
    wiregauge: '1',
    segments: [row('2026-09.jsonl', 100, day(1)), row('2026-11.jsonl', 30, day(20)), row('2026-10.jsonl', 60, day(10))],
  };

  it('is the newest segments, until there are enough runs', () => {
    const rows = newestFirst(index);

    expect(rows.map(({ file }) => file)).toEqual(['2026-11.jsonl', '2026-10.jsonl', '2026-09.jsonl']);
    expect(firstSegments(rows, 80)).toHaveLength(2);
    expect(firstSegments(rows, 1000)).toHaveLength(3);
    expect(firstSegments([], 10)).toEqual([]);
  });
});

describe('a chart', () => {
  const store = days(10, 10, 12, 12, 12);
  const changes = [aChange({ run: 'r2', before: 10, after: 12 })];
  const content = chartContent({ store, changes, lost: [] }, { key: KEY, hidden: [], axis: 'auto' });

  it('marks a change, and the levels before and after it', () => {
    expect(content?.events.map(({ kind, place }) => [kind, place])).toEqual([['worse', 2]]);
    expect(content && levelsOf(content)).toEqual([
      { from: 0, to: 1.5, value: 10 },
      { from: 1.5, to: 4, value: 12 },
    ]);
  });

  it.each([
    ['after the last run', [aChange({ run: 'lost', at: day(9), before: 10, after: 14 })], [[0, 4, 10]]],
    ['before the first run', [aChange({ run: 'lost', at: '2026-10-30T00:00:00.000Z', after: 10 })], [[0, 4, 10]]],
    [
      'between two runs',
      [
        aChange({ run: 'lost', at: '2026-11-02T12:00:00.000Z', before: 10, after: 12 }),
        aChange({ run: 'r3', at: day(4), before: 12, after: 15 }),
      ],
      [
        [0, 1.5, 10],
        [1.5, 2.5, 12],
        [2.5, 4, 15],
      ],
    ],
    [
      'between the same two runs as another one',
      [
        aChange({ run: 'lost', at: '2026-11-02T08:00:00.000Z', before: 10, after: 11 }),
        aChange({ run: 'gone', at: '2026-11-02T12:00:00.000Z', before: 11, after: 12 }),
      ],
      [
        [0, 1.5, 10],
        [1.5, 4, 12],
      ],
    ],
  ])('ends a level where the next one began, though its run cannot be read: %s', (_, moved, levels) => {
    const drawn = chartContent({ store, changes: moved, lost: [] }, { key: KEY, hidden: [], axis: 'auto' });

    expect(drawn && levelsOf(drawn).map(({ from, to, value }) => [from, to, value])).toEqual(levels);
  });

  it('of error rates is linear, as 0 has no place on another axis', () => {
    const runs = [0, 0.001, 0.5].map((rate, place) =>
      anEntry(`r${place}`, day(place + 1), { series: [anErrorRate()], values: [rate] }),
    );
    const failing = { store: withSegment(EMPTY_STORE, 'a', runs), changes: [], lost: [] };
    const chart = (axis: 'auto' | 'logarithmic') =>
      chartContent(failing, { key: seriesKey(anErrorRate()), hidden: [], axis });

    expect(chart('auto')?.isLogarithmic).toBe(false);
    expect(chart('logarithmic')?.isLogarithmic).toBe(true);
  });

  it('has only runs with a figure of its lines', () => {
    const gaps = days(1, null, 3);

    expect(
      chartContent({ store: gaps, changes: [], lost: [] }, { key: KEY, hidden: [], axis: 'auto' })?.runs.map(
        ({ run }) => run,
      ),
    ).toEqual(['r0', 'r2']);
    expect(
      chartContent({ store: gaps, changes: [], lost: [] }, { key: 'unknown', hidden: [], axis: 'auto' }),
    ).toBeUndefined();
  });

  it('opens on the last hundred runs, and on the stretch that the address names', () => {
    const runs = content?.runs ?? [];
    const many = Array.from({ length: 250 }, (_, place) => ({
      ...runs[0],
      at: place,
      run: place === 60 ? 'kept' : `r${place}`,
    })) as typeof runs;

    expect(stretchOf(many, { from: undefined, to: undefined, run: undefined })).toEqual([150, 249]);
    expect(stretchOf(runs, { from: Date.parse(day(2)), to: Date.parse(day(3)), run: undefined })).toEqual([1, 2]);
    expect(stretchOf(runs, { ...timesOf(runs, [1, 3]), run: undefined })).toEqual([1, 3]);
    expect(stretchOf(runs, { from: 0, to: 1, run: undefined })).toEqual([0, 4]);
    expect(stretchOf(many, { from: undefined, to: undefined, run: 'kept' })).toEqual([10, 109]);
  });

  it('comes back from the address where it was, also between two runs', () => {
    const runs = content?.runs ?? [];
    const again = stretchOf(runs, { ...timesOf(runs, [0.25, 3.5]), run: undefined });

    expect(again[0]).toBeCloseTo(0.25, 6);
    expect(again[1]).toBeCloseTo(3.5, 6);
    expect(stretchOf(runs, { from: 0, to: Date.parse(day(40)), run: undefined })).toEqual([0, 4]);
    expect(placesIn(again, runs.length)).toEqual([0, 4]);
    expect(placesIn([1, 3], runs.length)).toEqual([1, 3]);
  });
});

describe('two runs', () => {
  it('are compared series by series, what differs most first', () => {
    const entry = (run: string, at: string, values: readonly number[]) =>
      anEntry(run, at, { series: [aSeries(), CPU], values, spreads: [null, null] });
    const store = withSegment(EMPTY_STORE, 'a', [entry('a', day(1), [10, 100]), entry('b', day(2), [10.1, 80])]);

    expect(comparedRuns(store, 0, 1).map(({ series, ratio, status }) => [series.metric, ratio, status])).toEqual([
      ['cpuMicrosPerRequest', 0.8, 'unknown'],
      ['latencyP95Ms', expect.closeTo(1.01), 'same'],
    ]);
  });

  it.each([
    [[0, 0.5], { difference: 0.5, status: 'worse' }],
    [[0.5, 0], { difference: -0.5, status: 'better' }],
    [[0, 0.01], { difference: expect.closeTo(0.01), status: 'worse' }],
    [[0, 0.009], { difference: expect.closeTo(0.009), status: 'same' }],
    [[0, 0], { difference: 0, status: 'same' }],
  ])('differ by error rates in shares, %j, and that first', (rates, expected) => {
    const entries = rates.map((rate, place) =>
      anEntry(`${place}`, day(place + 1), {
        series: [CPU, anErrorRate()],
        values: [100 + 80 * place, rate],
        spreads: [null, null],
      }),
    );

    const rows = comparedRuns(withSegment(EMPTY_STORE, 'a', entries), 0, 1);

    expect(rows[expected.status === 'same' ? 1 : 0]).toMatchObject({ series: anErrorRate(), ...expected });
  });

  it.each([
    [[0.01, 0.01], 'worse'],
    [[0.01, 0.03], 'same'],
    [[null, 0.01], 'worse'],
    [[null, null], 'unknown'],
  ])('differ by what is more than the spreads of their rounds, %j', (spreads, status) => {
    const entries = spreads.map((spread, place) =>
      anEntry(`${place}`, day(place + 1), { series: [aSeries()], values: [10 + place * 0.6], spreads: [spread] }),
    );

    expect(comparedRuns(withSegment(EMPTY_STORE, 'a', entries), 0, 1)[0]).toMatchObject({ status });
  });
});

describe('two runs of single rounds', () => {
  const compared = (values: readonly (number | null)[], base = values.length - 2) =>
    comparedRuns(
      withSegment(
        EMPTY_STORE,
        'a',
        values.map((value, place) =>
          anEntry(`${place}`, new Date(Date.UTC(2026, 0, 1 + place)).toISOString(), {
            series: [aSeries()],
            values: [value],
            spreads: [null],
          }),
        ),
      ),
      base,
      values.length - 1,
    )[0]?.status;
  const quiet = Array.from({ length: 30 }, (_, place) => 10 + 0.02 * (place % 2));
  const noisy = Array.from({ length: 30 }, (_, place) => 10 + 1.2 * (place % 2));

  it('are compared with the scatter of the runs before, without steps', () => {
    expect(compared([...quiet, 10, 10.8])).toBe('worse');
    expect(compared([...noisy, 10, 10.8])).toBe('same');
    expect(compared([...quiet, ...quiet.map((value) => 1.3 * value), 13], 10)).toBe('worse');
  });

  it('have no known noise with fewer than 8 runs before', () => {
    expect(compared([...quiet.slice(0, 6), 10, 10.8])).toBe('unknown');
    expect(compared([...quiet.slice(0, 8), 10, 10.8])).toBe('worse');
  });

  it('differ from 0, and a series that one of them has not hardly differs from nothing', () => {
    expect(compared([0, 3])).toBe('worse');
    expect(compared([3, 0])).toBe('better');
    expect(compared([0, 0])).toBe('same');
    expect(compared([3, null])).toBe('gone');
  });
});

describe('the latest figures', () => {
  it('are compared with the median of the runs before', () => {
    expect(latestFigures(days(10, 10.1, 9.9, 10, 13), aSeries())).toMatchObject({
      latest: 13,
      change: expect.closeTo(0.3, 5),
      status: 'worse',
    });
    expect(latestFigures(days(10, 10.1, 9.9, 10, 10.1), aSeries()).status).toBe('same');
    expect(latestFigures(days(10), aSeries())).toMatchObject({ latest: 10, change: undefined });
  });

  it.each<[readonly number[], Partial<LatestFigures> & { readonly text: string }]>([
    [[0, 0, 0, 0.5], { change: 0.5, status: 'worse', text: '+50 points' }],
    [[0, 0.5], { change: 0.5, status: 'worse', text: '+50 points' }],
    [[0, 0, 0, 0.01], { change: 0.01, status: 'worse', text: '+1.0 points' }],
    [[0, 0, 0, 0.009], { change: 0.009, status: 'same', text: '+0.9 points' }],
    [[0.5, 0.5, 0.5, 0], { change: -0.5, status: 'better', text: '\u221250 points' }],
    [[0, 0.3, 0, 0.4, 0.1, 0.3], { change: 0.2, status: 'same', text: '+20 points' }],
    [[0, 0, 0], { change: 0, status: 'same', text: '0 points' }],
    [[0.5], { change: undefined, status: 'same', text: '\u2013' }],
  ])('are in percentage points for error rates, %j', (rates, expected) => {
    const store = withSegment(
      EMPTY_STORE,
      '2026-11.jsonl',
      rates.map((rate, place) => anEntry(`r${place}`, day(place + 1), { series: [anErrorRate()], values: [rate] })),
    );
    const { change, status } = latestFigures(store, anErrorRate());
    const digits = change === undefined ? change : Number(change.toFixed(5));

    expect({ change: digits, status, text: differenceText(anErrorRate(), change) }).toEqual(expected);
  });

  it('are drawn with low figures below', () => {
    expect(recentPath([1, 3], 10, 4)).toBe('M0.0 4.0L10.0 0.0');
    expect(recentPath([2, 2], 10, 4)).toBe('M0.0 2.0L10.0 2.0');
  });
});
