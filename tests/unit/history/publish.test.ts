import { describe, expect, it } from 'vitest';
import { type Publication, planned, runsAdded } from '../../../src/history/publish.ts';
import type { HistoryEntry } from '../../../src/history/store/entry.ts';
import { sampleEntry, sampleSeries } from '../../support/sample-history.ts';

const ABOUT = { wiregauge: '0.1.0', branch: 'main' };

/** A run with the p95 of these services. */
function runOf(place: number, services: readonly string[]): HistoryEntry {
  const series = services.map((service) => sampleSeries({ service, tier: 'high', metric: 'latencyP95Ms', unit: 'ms' }));
  const at = new Date(Date.UTC(2026, 0, 1 + place)).toISOString();
  return sampleEntry({ run: `run-${place}`, at, series, values: series.map(() => 9), spreads: series.map(() => null) });
}

/** The changes of badges when a run without the old service follows so many runs, the first ten of them with it. */
async function badgesAfter(count: number): Promise<readonly string[]> {
  const entries = Array.from({ length: count }, (_, place) => runOf(place, place < 10 ? ['rest', 'soap'] : ['rest']));
  const files = new Map(
    (
      await runsAdded(
        async () => undefined,
        entries.map((entry) => ({ entry })),
        ABOUT,
      )
    ).map(({ path, text }) => [path, text]),
  );
  const old = 'badges/users-soap-high-p95.svg';
  const read = async (path: string) => (path === old ? '<svg/>' : files.get(path));
  const publication: Publication = { addition: { entry: runOf(count, ['rest']) }, about: ABOUT, page: [] };
  const { changes } = await planned(read, publication);
  return changes.filter(({ path, text }) => path.startsWith('badges/') && text === undefined).map(({ path }) => path);
}

describe('the badge of a service that is gone', () => {
  it('goes once none of the 30 newest runs has the service', async () => {
    expect(await badgesAfter(38)).toEqual([]);
    expect(await badgesAfter(39)).toEqual(['badges/users-soap-high-p95.svg']);
  });
});
