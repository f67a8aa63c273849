import { describe, expect, it } from 'vitest';
import {
  type AnchoredRun,
  anchoredEntryOf,
  anchoredRuns,
  chainLinks,
  storedDrift,
} from '../../../src/history/anchored.ts';
import { runsAdded } from '../../../src/history/publish.ts';
import { historyBaseline } from '../../../src/history/reader.ts';
import type { ReadHistory } from '../../../src/history/store/changes.ts';
import { changesOf } from '../../../src/history/store/changes.ts';
import { anchorOf, type HistoryEntry } from '../../../src/history/store/entry.ts';
import { appendedAll, readSegment } from '../../../src/history/store/segment.ts';
import { anchoredPolicy } from '../../../src/judge/drift/drift.ts';
import { DEFAULT_POLICY } from '../../../src/model/policy.ts';
import { sampleEntry, sampleSeries } from '../../support/sample-history.ts';
import { sampleRounds } from '../../support/sample-rounds.ts';

const ANCHOR = { name: 'v1.4.0', commit: 'a'.repeat(40) };
const SERIES = sampleSeries({ unit: '× v1.4.0' });
const sha = (place: number) => place.toString(16).padStart(40, '0');

function entry(place: number, change: Partial<HistoryEntry> = {}): HistoryEntry {
  return sampleEntry({
    run: `anchored-${place}`,
    at: new Date(Date.UTC(2026, 0, 1 + place)).toISOString(),
    kind: 'anchored',
    series: [SERIES],
    values: [1.02],
    spreads: [0.006],
    commit: { sha: sha(place) },
    anchor: ANCHOR,
    ...change,
  });
}

async function stored(entries: readonly HistoryEntry[]): Promise<ReadHistory> {
  const files = new Map<string, string>();
  const additions = entries.map((one) => ({ entry: one }));
  for (const { path, text } of await runsAdded(async (path) => files.get(path), additions, {
    wiregauge: '0',
    branch: 'main',
  })) {
    files.set(path, text ?? '');
  }
  return async (path) => files.get(path);
}

const runsOf = async (entries: readonly HistoryEntry[]): Promise<readonly AnchoredRun[]> =>
  await anchoredRuns(await stored(entries), 'users');

describe('the entry of an anchored run', () => {
  const run = sampleRounds({ noise: 0.3, worse: [{ service: 'rest', tier: 'saturation', by: 0.08 }] });
  const policy = anchoredPolicy({
    ...DEFAULT_POLICY,
    drift: [{ metric: 'cpuMicrosPerRequest', service: 'rest', limit: 0.05 }],
  });
  const made = anchoredEntryOf({ ...run, rounds: { ...run.rounds, anchor: ANCHOR, policy } }, ANCHOR, { run: 'a' });

  it('has ratios with half of their intervals, and what is over its limit', () => {
    const place = made.series.findIndex(
      ({ service, metric, tier }) => service === 'rest' && metric === 'cpuMicrosPerRequest' && tier === 'saturation',
    );

    expect(made).toMatchObject({ kind: 'anchored', outcome: 'regressed', anchor: ANCHOR });
    expect(made.values[place]).toBeCloseTo(1.08, 1);
    expect(made.spreads[place]).toBeGreaterThan(0);
    expect(made.series.map(anchorOf)).toEqual(made.series.map(() => 'v1.4.0'));
    expect(made.series.find(({ tier }) => tier === 'medium')?.load).toBe('500 users');
    expect(made.verdicts.map(({ series }) => series)).toContain(place);
    const limited = made.series.filter(({ service, metric }) => service === 'rest' && metric === 'cpuMicrosPerRequest');
    expect(made.anchor?.limits).toBe(limited.length);
  });

  it('is read from a segment as it was added', () => {
    expect(readSegment(appendedAll('', [made], 'x'), 'x')).toEqual([made]);
  });
});

describe('anchored runs of a history', () => {
  it('do not count as the past of plain runs', async () => {
    const read = await stored([entry(0), entry(1)]);

    expect(await historyBaseline(read, 'users')).toEqual([]);
  });

  it('show a change of level across different machines', () => {
    const machines = ['EPYC', 'Xeon'].map((cpuModel) => ({
      cpuModel,
      cores: 2,
      kernel: '6.1.0',
      platform: 'linux-x64',
    }));
    const runs = Array.from({ length: 40 }, (_, place) => {
      const runner = machines[place % 2] ?? { cpuModel: '', cores: 2, kernel: '', platform: '' };
      return entry(place, { runner, values: [(place < 20 ? 1 : 1.03) + 0.002 * Math.sin(7.3 * place * place)] });
    });

    expect(changesOf(runs).map(({ run }) => run)).toEqual(['anchored-20']);
  });

  it('are left out if they are of a branch, of changed files, or have an invalid commit, name or ratio', async () => {
    const odd = [
      entry(1, { branch: 'topic' }),
      entry(2, { commit: { sha: sha(2), dirty: true } }),
      entry(3, { commit: { sha: '--upload-pack=evil' } }),
      entry(4, { anchor: { ...ANCHOR, commit: '../../etc' } }),
      entry(5, { anchor: { ...ANCHOR, name: 'x'.repeat(101) } }),
      entry(6, { anchor: { ...ANCHOR, through: 'HEAD' } }),
    ];
    const hostile = entry(7, { series: [sampleSeries({ service: '`<b>`', unit: '× v1.4.0' })] });
    const wrong = entry(8, { values: [-1] });
    const runs = await runsOf([entry(0), ...odd, hostile, wrong]);

    expect(runs.map(({ commit }) => commit)).toEqual([sha(0), sha(7), sha(8)]);
    expect(runs.map(({ ratios }) => ratios.length)).toEqual([1, 0, 0]);
  });

  it('give the newest that was compared with the anchor itself as the first link of a chain', async () => {
    const through = { ...ANCHOR, through: sha(1) };
    const runs = await runsOf([entry(0), entry(1), entry(2, { anchor: through }), entry(3, { anchor: through })]);

    expect(chainLinks(runs, { commit: ANCHOR.commit, head: undefined }).map(({ commit }) => commit)).toEqual([
      sha(1),
      sha(3),
    ]);
    expect(chainLinks(runs, { commit: ANCHOR.commit, head: sha(1) }).map(({ commit }) => commit)).toEqual([
      sha(0),
      sha(3),
    ]);
    expect(chainLinks(runs, { commit: 'f'.repeat(40), head: undefined })).toEqual([]);
  });
});

describe('the drift of the default branch', () => {
  it('is that of the base if it was measured, else of the newest run', async () => {
    const runs = await runsOf([entry(0, { values: [1.01] }), entry(1, { values: [1.03] })]);

    expect(storedDrift(runs, sha(0))).toMatchObject({ commit: sha(0), ratios: [{ ratio: 1.01 }] });
    expect(storedDrift(runs, 'c'.repeat(40))).toMatchObject({ commit: sha(1), ratios: [{ ratio: 1.03 }] });
  });

  it('has the median of the newest runs with the same anchor', async () => {
    const other = entry(9, { anchor: { name: 'v1.3.0', commit: 'b'.repeat(40) }, values: [3] });
    const runs = await runsOf([
      { ...other, at: '2025-01-01T00:00:00.000Z' },
      ...[1, 1.02, 1.04].map((value, place) => entry(place, { values: [value] })),
    ]);

    expect(storedDrift(runs, undefined).recent).toMatchObject({ runs: 3, ratios: [{ ratio: 1.02 }] });
  });

  it('has no anchor before a first run', async () => {
    expect(storedDrift(await runsOf([]), undefined)).toEqual({ ratios: [], recent: { runs: 0, ratios: [] } });
  });
});
