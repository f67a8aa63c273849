import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../src/foundation/random.ts';
import { statusIn } from '../../../../src/history/alerts/alert-status.ts';
import { seriesShift } from '../../../../src/history/feed.ts';
import {
  changesOf,
  formatChanges,
  type HistoryChange,
  readChanges,
  updatedChanges,
} from '../../../../src/history/store/changes.ts';
import type { HistoryEntry } from '../../../../src/history/store/entry.ts';
import { sampleEntries, sampleSeries } from '../../../support/sample-history.ts';

const SERIES = sampleSeries({ metric: 'value', unit: 'allocs/op' });

/** Runs of a benchmark with so many allocations. */
function allocating(counts: readonly number[]): readonly HistoryEntry[] {
  return sampleEntries(counts).map((entry) => ({ ...entry, series: [SERIES] }));
}

const level = (count: number, value: number) => Array.from({ length: count }, () => value);

/** As a branch has them: a run at a time, each time written and read. */
function oneByOne(entries: readonly HistoryEntry[]): readonly HistoryChange[] {
  return entries.reduce<readonly HistoryChange[]>(
    (changes, entry, index) =>
      readChanges(formatChanges(updatedChanges(changes, entries.slice(0, index + 1), entry)), 'changes.json'),
    [],
  );
}

const shown = ({ run, before, after, shift, pending }: HistoryChange) => ({ run, before, after, shift, pending });

describe('the change points of a series with zeros', () => {
  it('have the run from which on there is something, from 0', () => {
    const changes = changesOf(allocating([...level(30, 0), ...level(8, 3)]));

    expect(changes.map(shown)).toEqual([{ run: 'run-30', before: 0, after: 3, shift: 1, pending: false }]);
    expect(changes.map(seriesShift)).toEqual(['0 allocs/op → 3 allocs/op']);
  });

  it('have the run from which on there is nothing any more, as a change of the other sign', () => {
    const changes = changesOf(allocating([...level(30, 3), ...level(8, 0)]));

    expect(changes.map(shown)).toEqual([{ run: 'run-30', before: 3, after: 0, shift: -1, pending: false }]);
    expect(changes.map(seriesShift)).toEqual(['3 allocs/op → 0 allocs/op']);
  });

  it('are there also if its metric is named like a property of every object', () => {
    const series = [sampleSeries({ metric: 'constructor', unit: 'allocs/op' })];
    const entries = allocating([...level(30, 0), ...level(8, 3)]).map((entry) => ({ ...entry, series }));

    expect(changesOf(entries).map(({ run }) => run)).toEqual(['run-30']);
    expect(oneByOne(entries).map(({ run }) => run)).toEqual(['run-30']);
  });

  it('are pending while few runs follow', () => {
    expect(changesOf(allocating([...level(30, 0), ...level(4, 3)])).map(shown)).toEqual([
      { run: 'run-30', before: 0, after: 3, shift: 1, pending: true },
    ]);
  });

  it('are the same when the runs come one by one, also long after the change', () => {
    const random = seededRandom(7);
    const counts = [...level(40, 0), ...level(70, 5), ...level(60, 8), ...level(40, 0)];
    const entries = allocating(counts.map((count) => count * (1 + 0.02 * random())));

    const found = oneByOne(entries);

    expect(found.map(({ run }) => run)).toEqual(['run-40', 'run-110', 'run-170']);
    expect(found).toEqual(changesOf(entries));
  });

  it('do not depend on what machine measured', () => {
    const entries = allocating([...level(30, 0), ...level(10, 3)]).map((entry, place) =>
      place % 2 === 0 ? entry : { ...entry, runner: { cpuModel: 'other', cores: 2, kernel: '6', platform: 'x' } },
    );

    expect(changesOf(entries).map(shown)).toEqual([{ run: 'run-30', before: 0, after: 3, shift: 1, pending: false }]);
  });

  it.each<[string, (place: number, random: () => number) => number]>([
    ['that is always 0', () => 0],
    ['with an odd run in ten', (place) => (place % 10 === 9 ? 40 : 0)],
    ['with 0 for an odd run in ten', (place, random) => (place % 10 === 9 ? 0 : 100 + random())],
    ['of 0 and 1 at random', (_, random) => Math.round(random())],
    ['of small counts at random', (_, random) => Math.floor(3 * random() ** 2)],
  ])('are none in a history %s', (_what, countAt) => {
    const random = seededRandom(11);

    expect(changesOf(allocating(Array.from({ length: 400 }, (_, place) => countAt(place, random))))).toEqual([]);
  });

  it('still are those between levels above 0 if some runs have 0', () => {
    const random = seededRandom(3);
    const counts = Array.from({ length: 80 }, (_, place) =>
      place % 9 === 7 ? 0 : (place < 40 ? 100 : 130) * (1 + 0.01 * random()),
    );
    const [change, ...others] = changesOf(allocating(counts));

    expect(change?.run).toBe('run-40');
    expect(change?.shift).toBeCloseTo(0.3, 1);
    expect(others).toEqual([]);
  });

  it('leave out what is below 0, as before', () => {
    expect(changesOf(allocating([...level(30, -5), ...level(30, -9)]))).toEqual([]);
  });

  it('are alerts, and none any more once all of it is taken back', () => {
    const standing = (counts: readonly number[]) => {
      const entries = allocating(counts);
      return statusIn(entries.toReversed(), changesOf(entries)).alerts.map(({ run }) => run);
    };

    expect(standing([...level(30, 0), ...level(10, 3)])).toEqual(['run-30']);
    expect(standing([...level(30, 0), ...level(30, 3), ...level(10, 0)])).toEqual([]);
    expect(standing([...level(30, 3), ...level(30, 0), ...level(10, 6)])).toEqual(['run-60']);
  });
});
