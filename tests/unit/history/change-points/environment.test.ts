import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { doubtTexts } from '../../../../src/history/change-points/doubts.ts';
import { reasonsAt } from '../../../../src/history/change-points/environment.ts';
import {
  changesOf,
  formatChanges,
  type HistoryChange,
  readChanges,
  TAIL_RUNS,
  updatedChanges,
} from '../../../../src/history/store/changes.ts';
import type { HistoryEntry, Series } from '../../../../src/history/store/entry.ts';
import { sampleEntries, sampleEntry, sampleSeries } from '../../../support/sample-history.ts';
import { noise, stepped } from './sample-series.ts';

const STEP = stepped(noise(3, 60, { share: 0.01 }), 40, 1.3);

const DAY_MS = 86_400_000;

/** The runs from one place on some days later. */
function delayed(entries: readonly HistoryEntry[], from: number, days: number): readonly HistoryEntry[] {
  return entries.map((entry, place) =>
    place < from ? entry : { ...entry, at: new Date(Date.parse(entry.at) + days * DAY_MS).toISOString() },
  );
}

const RUNNER = { cpuModel: 'EPYC', cores: 2, kernel: '6.1.0', platform: 'linux-x64', image: 'ubuntu22-20260101.1' };

/** The image of the runner at each place. */
function withImages(entries: readonly HistoryEntry[], imageAt: (place: number) => string): readonly HistoryEntry[] {
  return entries.map((entry, place) => ({ ...entry, runner: { ...RUNNER, image: imageAt(place) } }));
}

/** Runs of several series: those that a test moves have the step, the others only the noise. */
function measured(series: readonly Series[], isMoved: (series: Series) => boolean): readonly HistoryEntry[] {
  return sampleEntries(STEP).map((entry, place) => ({
    ...entry,
    series,
    values: series.map(
      (one, column) => (isMoved(one) ? STEP[place] : noise(column + 9, 60, { share: 0.01 })[place]) ?? 0,
    ),
    spreads: series.map(() => null),
  }));
}

const services = (...names: readonly string[]) => names.map((service) => sampleSeries({ service }));

const reasons = (changes: readonly HistoryChange[]) => changes.map(({ environment }) => environment);

/** As a branch has them: a run at a time, each time written and read. */
function oneByOne(entries: readonly HistoryEntry[]): readonly HistoryChange[] {
  return entries.reduce<readonly HistoryChange[]>((changes, entry, index) => {
    const looked = entries.slice(Math.max(0, index + 1 - TAIL_RUNS), index + 1);
    return readChanges(formatChanges(updatedChanges(changes, looked, entry)), 'changes.json');
  }, []);
}

describe('a change of level', () => {
  it('has no reason to be one of the environment if nothing says so', () => {
    const [change, ...others] = changesOf(sampleEntries(STEP));

    expect(change).not.toHaveProperty('environment');
    expect(others).toEqual([]);
  });

  it('right after a gap may come from the environment', () => {
    const changes = changesOf(delayed(sampleEntries(STEP), 40, 20));

    expect(reasons(changes)).toEqual([[{ reason: 'gap', days: 21 }]]);
    expect(changes.flatMap(doubtTexts)).toEqual(['may be the machine: first run after a 21-day gap']);
    expect(readChanges(formatChanges(changes), 'changes.json')).toEqual(changes);
  });

  it.each([
    ['a break of ten days', delayed(sampleEntries(STEP), 40, 9)],
    ['a gap one run later', delayed(sampleEntries(STEP), 41, 20)],
    [
      'intervals that are always as long',
      sampleEntries(STEP).map((entry, place) => ({
        ...entry,
        at: new Date(Date.UTC(2020, 0, 1) + 21 * place * DAY_MS).toISOString(),
      })),
    ],
  ])('is not doubted for %s', (_, entries) => {
    expect(reasons(changesOf(entries))).toEqual([undefined]);
  });

  it('with which other machines come may come from them, and they are named', () => {
    const changes = changesOf(
      withImages(sampleEntries(STEP), (place) => (place < 40 ? 'ubuntu22-20260101.1' : 'ubuntu24-20260201.1')),
    );

    expect(changes.flatMap(doubtTexts)).toEqual([
      'may be the machine: other machines since then: EPYC, 2 cores, kernel 6.1, ubuntu22 → EPYC, 2 cores, kernel 6.1, ubuntu24',
    ]);
    expect(readChanges(formatChanges(changes), 'changes.json')).toEqual(changes);
  });

  it.each([
    ['a new image of the same system', (place: number) => `ubuntu22-202601${String(place).padStart(2, '0')}.1`],
    ['machines that come in turns', (place: number) => (place % 2 === 0 ? 'ubuntu22-1' : 'ubuntu24-1')],
    ['other machines some runs before', (place: number) => (place < 36 ? 'ubuntu22-1' : 'ubuntu24-1')],
  ])('is not doubted for %s', (_, imageAt) => {
    expect(reasons(changesOf(withImages(sampleEntries(STEP), imageAt)))).toEqual([undefined]);
  });

  it('of counts and of ratios to an anchor comes from no machine and no gap', () => {
    const late = delayed(
      withImages(sampleEntries(STEP), (place) => (place < 40 ? 'a-1' : 'b-1')),
      40,
      30,
    );
    const counted = sampleSeries({ metric: 'instructionsPerRequest', unit: '1' });
    const ratio = sampleSeries({ unit: '× v1.4.0' });

    expect(reasons(changesOf(late.map((entry) => ({ ...entry, series: [counted] }))))).toEqual([undefined]);
    expect(reasons(changesOf(late.map((entry) => ({ ...entry, kind: 'anchored', series: [ratio] }))))).toEqual([
      undefined,
    ]);
  });

  it('that most services have at once may come from the environment', () => {
    const changes = changesOf(measured(services('a', 'b', 'c', 'd'), ({ service }) => service !== 'd'));

    expect(changes.map(({ series }) => series.service)).toEqual(['a', 'b', 'c']);
    expect(new Set(changes.flatMap(doubtTexts))).toEqual(
      new Set(['may be the machine: 3 of 4 services moved with it']),
    );
  });

  it.each([
    ['half of the services', services('a', 'b', 'c', 'd'), ({ service }: Series) => service < 'c'],
    ['two services', services('a', 'b'), () => true],
    [
      'all operations of one service',
      [...['x', 'y', 'z'].map((operation) => sampleSeries({ operation })), ...services('grpc')],
      ({ service }: Series) => service === 'rest',
    ],
    [
      'all figures of one operation',
      ['low', 'medium', 'high', 'saturation'].map((tier) => sampleSeries({ tier, operation: 'x' })),
      () => true,
    ],
  ])('is not doubted if %s moved', (_, series, isMoved) => {
    expect(new Set(reasons(changesOf(measured(series, isMoved))))).toEqual(new Set([undefined]));
  });

  it('is not doubted if others moved the other way', () => {
    const rate = { metric: 'achievedRps', unit: '1/s', better: 'higher' } as const;
    const mixed = [
      ...services('a', 'b'),
      sampleSeries({ service: 'c', ...rate }),
      sampleSeries({ service: 'd', ...rate }),
    ];

    expect(new Set(reasons(changesOf(measured(mixed, () => true))))).toEqual(new Set([undefined]));
  });

  it('names operations of few services, and benchmarks that were imported', () => {
    const series = ['x', 'y', 'z'].map((operation) => sampleSeries({ operation }));
    const moved = measured(series, () => true);

    expect(changesOf(moved).flatMap(doubtTexts)[0]).toBe('may be the machine: 3 of 3 operations moved with it');
    expect(changesOf(moved.map((entry) => ({ ...entry, kind: 'import' }))).flatMap(doubtTexts)[0]).toBe(
      'may be the machine: 3 of 3 benchmarks moved with it',
    );
  });

  it('has all reasons, and is reported once each in the feed and in words', () => {
    const late = delayed(
      measured(services('a', 'b', 'c'), () => true),
      40,
      20,
    );

    expect(changesOf(late).flatMap(doubtTexts)[0]).toBe(
      'may be the machine: first run after a 21-day gap; 3 of 3 services moved with it',
    );
  });

  it('has the same doubts if runs come one by one, also when its runs are not looked at any more', () => {
    const values = stepped(noise(5, 440, { share: 0.01 }), 60, 1.3).map((value, place) =>
      // A value between both levels.
      place === 59 ? value * 1.16 : value,
    );
    const entries = delayed(sampleEntries(values), 60, 20);
    const whole = changesOf(entries);

    expect(oneByOne(entries)).toEqual(whole);
    expect(whole).toHaveLength(1);
    expect(whole[0]?.environment).toEqual([{ reason: 'gap', days: 21 }]);
    expect(whole[0]?.neighbor?.run).toBe('run-59');
  });

  it('leaves out a reason that a later version gives, and refuses one that is none', () => {
    const written = formatChanges(changesOf(delayed(sampleEntries(STEP), 40, 20)));

    expect(reasons(readChanges(written.replace('"gap"', '"weather"'), 'changes.json'))).toEqual([undefined]);
    expect(() => readChanges(written.replace('"days":21', '"days":"x"'), 'changes.json')).toThrow('days');
  });

  it('comes after a gap in two real histories far more often than other runs do', () => {
    const entries = ['github-action-benchmark', 'microsoft-identity-web'].flatMap(recorded);
    const changes = changesOf(entries);
    const [gaps, together] = (['gap', 'many'] as const).map((kind) =>
      changes.filter(({ environment = [] }) => environment.some(({ reason }) => reason === kind)),
    );

    expect([entries.length, changes.length, gaps?.length, together?.length]).toEqual([2035, 41, 32, 4]);
    expect(together?.flatMap(({ series }) => series.operation).sort()).toEqual([
      'Fibonacci/Iterative/20',
      'Fibonacci/Iterative/21',
      'Fibonacci/Recursive/20',
      'Fibonacci/Recursive/21',
    ]);
    // 78% of the changes, and 15% of all runs.
    expect(runsAfterGaps(entries)).toBe(299);
  });
});

/** Runs of a suite that would have a gap as their reason. */
function runsAfterGaps(entries: readonly HistoryEntry[]): number {
  const suites = [...new Set(entries.map(({ suite }) => suite))];
  return suites.flatMap((suite) => {
    const runs = entries.filter((entry) => entry.suite === suite);
    return runs.flatMap((_, place) => reasonsAt({ series: sampleSeries(), runs }, place, undefined));
  }).length;
}

interface Recorded {
  readonly suite: string;
  readonly name: string;
  readonly unit: string;
  readonly bigger_is_better: boolean;
  readonly points: readonly (readonly [at: number, commit: string, value: number])[];
}

/** The runs of a real history, by suite and commit. */
function recorded(name: string): readonly HistoryEntry[] {
  const file: { readonly series: readonly Recorded[] } = JSON.parse(
    readFileSync(`tests/fixtures/histories/${name}.json`, 'utf8'),
  );
  const runs = new Map<string, { series: Series; value: number; at: number }[]>();
  for (const { suite, name: operation, unit, bigger_is_better: isBigger, points } of file.series) {
    const series = sampleSeries({
      suite,
      operation,
      tier: 'all',
      metric: 'value',
      unit,
      better: isBigger ? 'higher' : 'lower',
    });
    for (const [at, commit, value] of points) {
      const key = `${suite} ${commit} ${at}`;
      runs.set(key, [...(runs.get(key) ?? []), { series, value, at }]);
    }
  }
  return [...runs].map(([key, figures], place) =>
    sampleEntry({
      run: `run-${place}`,
      at: new Date(figures[0]?.at ?? 0).toISOString(),
      kind: 'import',
      suite: figures[0]?.series.suite ?? '',
      commit: { sha: key },
      series: figures.map(({ series }) => series),
      values: figures.map(({ value }) => value),
      spreads: figures.map(() => null),
    }),
  );
}
