import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../src/foundation/random.ts';
import { storedRunsOf } from '../../../../src/history/reader.ts';
import {
  changesOf,
  formatChanges,
  type HistoryChange,
  readChanges,
  updatedChanges,
} from '../../../../src/history/store/changes.ts';
import { sampleEntries, sampleEntry, sampleSeries } from '../../../support/sample-history.ts';

const CHOICE = { suite: 'users', branch: 'main', changes: [] } as const;

function changeAt(run: number, pending = false): HistoryChange {
  const at = sampleEntries(Array.from({ length: run + 1 }, () => 1))[run]?.at ?? '';
  return { series: sampleSeries(), run: `run-${run}`, at, before: 1, after: 2, shift: 1, p: 0, runsAfter: 9, pending };
}

describe('the stored runs of a history', () => {
  it.each([
    ['of a pull request', { pullRequest: 12 }],
    ['of another branch', { branch: 'feature' }],
    ['of another suite', { suite: 'files' }],
    ['that was imported', { kind: 'import' as const }],
    ['that was not completed', { outcome: 'incomplete' as const }],
  ])('have none %s', (_, change) => {
    expect(storedRunsOf([sampleEntry(change)], CHOICE)).toEqual([]);
    expect(storedRunsOf([sampleEntry()], CHOICE)).toHaveLength(1);
  });

  it('begin again at the last change point of a series, but not at one that is pending', () => {
    const entries = sampleEntries(Array.from({ length: 30 }, (_, index) => index + 1));
    const values = (changes: readonly HistoryChange[]) =>
      storedRunsOf(entries, { ...CHOICE, changes }).flatMap(({ cells }) =>
        Object.values(cells).map((cell) => cell.cpuMicrosPerRequest),
      );

    expect(values([changeAt(5), changeAt(20)])).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
    expect(values([changeAt(20, true)])).toHaveLength(30);
  });

  it('keep out what was suspicious, but not for being so against the level before a change', () => {
    const verdicts = [{ series: 0, verdict: 'suspicious' as const }];
    const entries = sampleEntries(Array.from({ length: 40 }, () => 1)).map((entry, index) =>
      index === 12 || index === 39 ? { ...entry, verdicts } : entry,
    );
    const flagged = (changes: readonly HistoryChange[]) =>
      storedRunsOf(entries, { ...CHOICE, changes })
        .filter(({ suspicious }) => suspicious.includes('rest/all/saturation cpuMicrosPerRequest'))
        .map(({ startedAt }) => entries.findIndex(({ at }) => at === startedAt));

    expect(flagged([])).toEqual([12, 39]);
    expect(flagged([changeAt(10)])).toEqual([39]);
  });

  it('keep out a regression of a comparison, unless someone accepted it', () => {
    const verdict = { series: 0, verdict: 'regressed' } as const;
    const flags = (accepted?: string) =>
      storedRunsOf(
        [sampleEntry({ verdicts: [{ ...verdict, ...(accepted !== undefined && { accepted }) }] })],
        CHOICE,
      )[0]?.suspicious;

    expect(flags()).toHaveLength(1);
    expect(flags('needed')).toEqual([]);
  });
});

/** Noise whose neighbors have nothing to do with each other. */
const noise = seededRandom(1);
const STEP = Array.from({ length: 80 }, (_, index) => (index < 50 ? 100 : 120) + 4 * noise());

describe('the change points of a history', () => {
  it('name the first run after a change, for any order of runs', () => {
    const entries = sampleEntries(STEP);

    const changes = changesOf([...entries].reverse());

    expect(changes.map(({ run, at }) => [run, at])).toEqual([['run-50', entries[50]?.at]]);
    expect(changes[0]).toMatchObject({ runsAfter: 30, pending: false, commit: 'a'.repeat(40), subject: 'Cache users' });
    expect(changes[0]?.shift).toBeCloseTo(0.2, 1);
  });

  it('are found as well when the runs come one by one, and are read as they were written', () => {
    const entries = sampleEntries(STEP);

    const found = entries.reduce<readonly HistoryChange[]>((changes, entry, index) => {
      const updated = updatedChanges(changes, entries.slice(0, index + 1), entry);
      return readChanges(formatChanges(updated), 'changes.json');
    }, []);

    expect(found.map(({ run, pending }) => [run, pending])).toEqual([['run-50', false]]);
  });

  it('stay as they are where they lie before the runs that are looked at, or in another suite', () => {
    const other = { ...changeAt(3), series: sampleSeries({ suite: 'files' }) };
    const old = { ...changeAt(1), run: 'long-ago' };
    const entries = sampleEntries(Array.from({ length: 20 }, () => 5));
    const added = entries.at(-1) ?? sampleEntry();

    expect(updatedChanges([old, other], entries, added)).toEqual([other, { ...old, runsAfter: 10 }]);
  });

  it.each([
    ['truncated', formatChanges([changeAt(1)]).slice(0, -4)],
    ['newer-schema', formatChanges([]).replace('1', '2')],
    ['malformed', formatChanges([changeAt(1)]).replace('"pending":false', '"pending":0')],
    ['malformed', formatChanges([changeAt(1)]).replace('"shift":1', '"shift":1e999')],
  ])('are refused when %s', (kind, text) => {
    expect(() => readChanges(text, 'changes.json')).toThrow(expect.objectContaining({ kind }));
  });
});
