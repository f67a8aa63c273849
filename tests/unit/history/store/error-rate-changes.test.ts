import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../src/foundation/random.ts';
import { changePoints } from '../../../../src/history/change-points/change-points.ts';
import { storedRunsOf } from '../../../../src/history/reader.ts';
import {
  changesOf,
  formatChanges,
  type HistoryChange,
  readChanges,
  updatedChanges,
} from '../../../../src/history/store/changes.ts';
import type { HistoryEntry } from '../../../../src/history/store/entry.ts';
import { sampleEntries, sampleSeries } from '../../../support/sample-history.ts';

const SERIES = sampleSeries({ metric: 'errorRate', unit: 'share' });

/** Runs with these error rates. */
function failing(rates: readonly number[]): readonly HistoryEntry[] {
  return sampleEntries(rates).map((entry) => ({ ...entry, series: [SERIES] }));
}

const level = (count: number, rate: number) => Array.from({ length: count }, () => rate);

/** As a branch has them: a run at a time, each time written and read. */
function oneByOne(entries: readonly HistoryEntry[]): readonly HistoryChange[] {
  return entries.reduce<readonly HistoryChange[]>(
    (changes, entry, index) =>
      readChanges(formatChanges(updatedChanges(changes, entries.slice(0, index + 1), entry)), 'changes.json'),
    [],
  );
}

const shown = ({ run, before, after, shift, pending }: HistoryChange) => ({ run, before, after, shift, pending });

describe('the change points of error rates', () => {
  const BROKEN = failing([...level(30, 0), ...level(8, 0.5)]);

  it('have the run from which on half of the requests fail, as shares', () => {
    const [change, ...others] = changesOf(BROKEN);

    expect(change && shown(change)).toEqual({ run: 'run-30', before: 0, after: 0.5, shift: 0.5, pending: false });
    expect(others).toEqual([]);
    expect(readChanges(formatChanges(changesOf(BROKEN)), 'changes.json')).toEqual(changesOf(BROKEN));
  });

  it('have the run from which on none fails any more, as a change of the other sign', () => {
    const [change] = changesOf(failing([...level(30, 0.5), ...level(8, 0)]));

    expect(change && shown(change)).toEqual({ run: 'run-30', before: 0.5, after: 0, shift: -0.5, pending: false });
  });

  it('are pending while few runs follow', () => {
    expect(changesOf(failing([...level(30, 0), ...level(4, 0.5)])).map(shown)).toEqual([
      { run: 'run-30', before: 0, after: 0.5, shift: 0.5, pending: true },
    ]);
  });

  it('are the same when the runs come one by one, also long after the change', () => {
    const random = seededRandom(7);
    const rates = [...level(40, 0), ...level(70, 0.5), ...level(60, 0.02), ...level(40, 0)];
    const entries = failing(rates.map((rate) => rate * (1 + 0.1 * random())));

    const found = oneByOne(entries);

    expect(found.map(({ run }) => run)).toEqual(['run-40', 'run-110', 'run-170']);
    expect(found).toEqual(changesOf(entries));
  });

  it('are on the level of all kinds of machines', () => {
    const entries = BROKEN.map((entry, place) =>
      place % 2 === 0 ? entry : { ...entry, runner: { cpuModel: 'other', cores: 2, kernel: '6', platform: 'x' } },
    );

    expect(changesOf(entries).map(shown)).toEqual([
      { run: 'run-30', before: 0, after: 0.5, shift: 0.5, pending: false },
    ]);
  });

  it.each<[string, (place: number, random: () => number) => number]>([
    ['that never fails', () => 0],
    ['with an odd run in ten', (place) => (place % 10 === 9 ? 0.3 : 0)],
    ['with a few failures now and then', (_, random) => 0.002 * random() ** 4],
    ['with up to 10% of failures at random', (_, random) => 0.1 * random() ** 2],
  ])('are none in a history %s', (_what, rateAt) => {
    const random = seededRandom(11);

    expect(changesOf(failing(Array.from({ length: 400 }, (_, place) => rateAt(place, random))))).toEqual([]);
  });

  it('are none where less than a tenth of a percentage point changes', () => {
    expect(changesOf(failing([...level(30, 0), ...level(30, 0.0009)]))).toEqual([]);
    expect(changesOf(failing([...level(30, 0), ...level(30, 0.0011)]))).toHaveLength(1);
  });

  it('stay as an earlier version found them', () => {
    const earlier: HistoryChange = {
      series: SERIES,
      run: 'run-20',
      at: failing(level(21, 0.1))[20]?.at ?? '',
      before: 0.05,
      after: 0.1,
      shift: 1,
      p: 0.00001,
      runsAfter: 130,
      pending: false,
    };
    const entries = failing([...level(20, 0.05), ...level(131, 0.1)]);
    const added = entries.at(-1);

    expect(added && updatedChanges([earlier], entries, added)).toMatchObject([{ ...earlier, runsAfter: 131 }]);
  });

  it('begin a new past, so that later runs are judged by the new level', () => {
    const changes = changesOf(BROKEN);

    const stored = storedRunsOf(BROKEN, { suite: 'users', branch: 'main', changes });

    const rates = stored.flatMap(({ cells }) => Object.values(cells).flatMap(({ errorRate }) => errorRate ?? []));
    expect(rates).toEqual(level(8, 0.5));
  });
});

describe('the change points of other figures', () => {
  it('are those of the figures themselves', () => {
    const random = seededRandom(5);
    const values = Array.from({ length: 80 }, (_, place) => (place < 40 ? 100 : 120) + random());
    const [point] = changePoints(values);

    expect(changesOf(sampleEntries(values)).map(({ run, shift }) => [run, shift])).toEqual([
      ['run-40', Number(point?.shift.toPrecision(5))],
    ]);
  });
});
