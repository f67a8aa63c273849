import { describe, expect, test } from 'vitest';
import { isReportedAlert, statusOf } from '../../../../src/history/alerts/alert-status.ts';
import { anchoredRuns } from '../../../../src/history/anchored.ts';
import { planned } from '../../../../src/history/publish.ts';
import { historyBaseline, historyIndex, presentEntries } from '../../../../src/history/reader.ts';
import { readChanges } from '../../../../src/history/store/changes.ts';
import { anchorUnit, type HistoryEntry, seriesKey } from '../../../../src/history/store/entry.ts';
import { presentCells, presentKey } from '../../../../src/history/store/names.ts';
import { readSegment } from '../../../../src/history/store/segment.ts';
import { CHANGES_PATH, INDEX_PATH, pathOf } from '../../../../src/history/store/segments.ts';
import { sampleEntry, sampleSeries } from '../../../support/sample-history.ts';
import { ABOUT, type Files, historyOf, repaired } from '../repairs.ts';

const WAS = { services: { gateway: ['rest'] }, operations: { List: ['Index'] } };

/** A run of a day, with CPU time of all operations and of one, and a p95; from some day on under other names. */
function run(day: number, change: Partial<HistoryEntry> = {}, cpu = 100 + ((day * 7) % 11) / 5): HistoryEntry {
  const { wasNamed } = change;
  const [service, operation] = wasNamed === undefined ? ['rest', 'Index'] : ['gateway', 'List'];
  const series = [
    sampleSeries({ service }),
    sampleSeries({ service, operation }),
    sampleSeries({ service, tier: 'low', metric: 'latencyP95Ms', unit: 'ms' }),
  ];
  const at = new Date(Date.UTC(2026, 0, 1 + day)).toISOString();
  return sampleEntry({ run: `run-${day}`, at, series, values: [cpu, cpu, 9], spreads: [null, null, null], ...change });
}

const renamedRun = (day: number, cpu?: number) => run(day, { wasNamed: WAS }, cpu);

async function publish(files: Files, entry: HistoryEntry): Promise<readonly string[]> {
  const read = async (path: string) => files.get(path);
  const { changes } = await planned(read, { addition: { entry }, about: ABOUT, page: [] });
  for (const { path, text } of changes) {
    if (text === undefined) {
      files.delete(path);
    } else {
      files.set(path, text);
    }
  }
  return changes.map(({ path }) => path);
}

/** Twenty days, ten after a step, and then so many under the new names, the step on at its end. */
async function renamedHistory(days = 10): Promise<Files> {
  const files = await historyOf(
    Array.from({ length: 20 }, (_, day) => run(day, {}, (day < 10 ? 100 : 130) + (day % 3))),
  );
  for (let day = 20; day < 20 + days; day += 1) {
    await publish(files, renamedRun(day, 130 + (day % 3)));
  }
  return files;
}

const readerOf = (files: Files) => async (path: string) => files.get(path);

const indexOf = async (files: Files) => (await historyIndex(readerOf(files))) ?? expect.unreachable('no index');

const keysIn = async (files: Files) => {
  const entries = await presentEntries(readerOf(files), await indexOf(files));
  return new Set(entries.flatMap(({ series }) => series.map(seriesKey)));
};

const changesIn = (files: Files) => readChanges(files.get(CHANGES_PATH) ?? '', CHANGES_PATH);

describe('a history over a renaming', () => {
  test('has one series under the new name, and keeps its segments as they were', async () => {
    const files = await historyOf(Array.from({ length: 20 }, (_, day) => run(day)));
    const before = files.get(pathOf('2026-01.jsonl')) ?? '';

    await publish(files, renamedRun(20));

    expect(files.get(pathOf('2026-01.jsonl'))?.startsWith(before)).toBe(true);
    expect(readSegment(before, 'a')[0]?.series[0]?.service).toBe('rest');
    expect([...(await keysIn(files))]).toEqual([
      'users/gateway/all/saturation/cpuMicrosPerRequest/µs',
      'users/gateway/List/saturation/cpuMicrosPerRequest/µs',
      'users/gateway/all/low/latencyP95Ms/ms',
    ]);
  });

  test('keeps its change points, with as many runs after them as there are', async () => {
    const changes = changesIn(await renamedHistory());

    expect(changes).toMatchObject([
      { run: 'run-10', runsAfter: 20, series: { service: 'gateway', operation: 'List' } },
      { run: 'run-10', runsAfter: 20, series: { service: 'gateway', operation: 'all' } },
    ]);
  });

  test('sees a step right at the renaming', async () => {
    const files = await historyOf(Array.from({ length: 20 }, (_, day) => run(day)));
    for (let day = 20; day < 26; day += 1) {
      await publish(files, renamedRun(day, 150 + (day % 3)));
    }

    expect(changesIn(files)).toMatchObject([
      { run: 'run-20', runsAfter: 6, pending: false },
      { run: 'run-20', runsAfter: 6, pending: false },
    ]);
  });

  test('gives later runs all stored ones since the last change', async () => {
    const runs = await historyBaseline(readerOf(await renamedHistory(3)), 'users');
    const having = runs.filter(({ cells }) => cells['gateway/all/saturation']?.cpuMicrosPerRequest !== undefined);

    expect(having.map(({ startedAt }) => startedAt.slice(0, 10))).toEqual(
      Array.from({ length: 13 }, (_, place) => `2026-01-${11 + place}`),
    );
  });

  test('goes on with the badge of the former name, which a README may show', async () => {
    const files = await renamedHistory(40);
    const [own, former] = ['gateway', 'rest'].map((name) => files.get(`badges/users-${name}-low-p95.svg`));

    expect(own).toContain('p95 gateway low: 9 ms');
    expect(former).toBe(own);
  });

  test('keeps the identity of an alert that was reported before', async () => {
    const [before, after] = await Promise.all([renamedHistory(0), renamedHistory(5)]);
    const [was, is] = await Promise.all([before, after].map((files) => statusOf(readerOf(files), 'users')));
    const reported = (was?.alerts ?? []).map(({ id }) => id);

    expect(reported).toHaveLength(2);
    expect(is?.alerts.map((alert) => isReportedAlert(alert, reported, is))).toEqual([true, true]);
    expect(is?.alerts.map(({ id }) => id.series)).not.toEqual(reported.map(({ series }) => series));
  });

  test('is made again as it was from its segments', async () => {
    const files = await renamedHistory();
    const index = files.get(INDEX_PATH) ?? '';

    expect((await repaired(new Map(files))).changes).toEqual([]);
    expect(index.split('\n')[0]).toContain(
      '"names":[{"suite":"users","at":"2026-01-30T00:00:00.000Z","services":{"gateway":["rest"]},"operations":{"List":["Index"]}}]',
    );
    files.delete(INDEX_PATH);
    await repaired(files, { about: ABOUT });
    expect(files.get(INDEX_PATH)).toBe(index);
  });

  test('falls apart again once the newest run says no former name', async () => {
    const files = await renamedHistory();
    const { wasNamed: _wasNamed, ...entry } = renamedRun(30, 131);

    await publish(files, entry);

    expect(await keysIn(files)).toContain('users/rest/all/saturation/cpuMicrosPerRequest/µs');
    expect(changesIn(files).map(({ series }) => series.service)).toEqual(['rest', 'rest']);
    expect(files.get(INDEX_PATH)).not.toContain('names');
  });

  test.each([
    ['another branch', { branch: 'topic' }],
    ['a pull request', { pullRequest: 12 }],
    ['an import', { kind: 'import' as const }],
    ['an earlier day', { at: '2025-06-01T00:00:00.000Z' }],
  ])('is not renamed by a run of %s', async (_, change) => {
    const files = await renamedHistory();
    const other = { services: { soap: ['gateway'] }, operations: {} };

    await publish(files, { ...renamedRun(31), wasNamed: other, ...change });

    expect((await indexOf(files)).names).toMatchObject([{ services: { gateway: ['rest'] } }]);
  });

  test('keeps names apart in a run that had both', async () => {
    const both = run(0, {
      series: [sampleSeries(), sampleSeries({ service: 'gateway' })],
      values: [1, 2],
      spreads: [null, null],
    });
    const files = await historyOf([both, run(1), renamedRun(2)]);
    const entries = await presentEntries(readerOf(files), await indexOf(files));

    expect(entries.map(({ series }) => series.map(({ service }) => service))).toEqual([
      ['rest', 'gateway'],
      ['gateway', 'gateway', 'gateway'],
      ['gateway', 'gateway', 'gateway'],
    ]);
  });
});

describe('ratios to an anchor', () => {
  const anchor = { name: 'v1', commit: 'b'.repeat(40) };
  const anchored = (day: number): HistoryEntry =>
    run(day, {
      kind: 'anchored',
      anchor,
      series: [sampleSeries({ unit: anchorUnit('v1') })],
      values: [1.02],
      spreads: [0.01],
    });

  test('go by the names of the pull request that renames, before the history knows of it', async () => {
    const files = await historyOf([anchored(0), anchored(1)]);
    const servicesWith = async (names?: typeof WAS) =>
      (await anchoredRuns(readerOf(files), 'users', names)).map(({ ratios }) => ratios.map(({ service }) => service));

    expect(await servicesWith()).toEqual([['rest'], ['rest']]);
    expect(await servicesWith(WAS)).toEqual([['gateway'], ['gateway']]);
  });
});

describe('what a page reads', () => {
  const index = { names: [{ suite: 'users', at: '2026-01-01T00:00:00.000Z', ...WAS }] };

  test.each([
    ['users/rest/Index/low/latencyP95Ms/ms', 'users/gateway/List/low/latencyP95Ms/ms'],
    ['users/gateway/List/low/latencyP95Ms/ms', 'users/gateway/List/low/latencyP95Ms/ms'],
    ['other/rest/Index/low/latencyP95Ms/ms', 'other/rest/Index/low/latencyP95Ms/ms'],
    ['users/rest/GET %2Fusers/low/p95/ms', 'users/gateway/GET %2Fusers/low/p95/ms'],
    ['100%25', '100%25'],
    ['', ''],
  ])('finds the series of a link from before: %s', (key, now) => {
    expect(presentKey(key, index)).toBe(now);
  });

  test('has distributions under the names of today', () => {
    expect(presentCells({ 'rest/all/low': 'AAAA', 'grpc/all/low': 'BBBB' }, index, 'users')).toEqual({
      'gateway/all/low': 'AAAA',
      'grpc/all/low': 'BBBB',
    });
  });
});
