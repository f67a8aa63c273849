import { describe, expect, test } from 'vitest';
import { plantEntryOf, plantFor, storedPlants } from '../../../src/history/plants.ts';
import { runsAdded } from '../../../src/history/publish.ts';
import type { HistoryEntry } from '../../../src/history/store/entry.ts';
import type { RunInRounds } from '../../../src/model/run/run.ts';
import { sampleRounds } from '../../support/sample-rounds.ts';

const PLANT = { cpu: 0.2 };
const planted = (by: number, at = '2026-11-20T03:00:00.000Z'): RunInRounds => {
  const worse = [{ service: 'rest' as const, tier: 'saturation', metric: 'cpuMicrosPerRequest' as const, by }];
  const run = sampleRounds({ rounds: 10, noise: 0.3, services: ['rest'], worse });
  const rounds = run.rounds.rounds.map((round) => ({
    ...round,
    startedAt: new Date(Date.parse(at) + 60_000).toISOString(),
  }));
  return { ...run, startedAt: at, rounds: { ...run.rounds, plant: PLANT, rounds } };
};
const entryOf = (run: RunInRounds, change: Partial<HistoryEntry> = {}): HistoryEntry => ({
  ...plantEntryOf(run, PLANT, { run: run.startedAt.replace(/\D/g, ''), branch: 'main' }),
  ...change,
});

describe('the entry of a plant', () => {
  test('has the seconds until each service was found', () => {
    const entry = entryOf(planted(0.2));

    expect(entry).toMatchObject({ kind: 'plant', outcome: 'passed', rounds: 10, plant: PLANT, verdicts: [] });
    expect(entry.series.map(({ service, metric, unit }) => [service, metric, unit])).toEqual([
      ['rest', 'planted 20% slowdown', 's'],
    ]);
    expect(entry.values[0]).toBeGreaterThanOrEqual(60);
  });

  test('has no seconds for a service that was not found', () => {
    expect(entryOf(planted(0))).toMatchObject({
      outcome: 'failed',
      values: [null],
      verdicts: [{ series: 0, verdict: 'regressed' }],
    });
  });
});

describe('the newest plant in a history', () => {
  const run = planted(0.2);
  const place = {
    runner: run.runner,
    runtime: run.runtime.name,
    profile: run.rounds.profile.name,
    interleave: run.rounds.interleave,
  };
  const stored = async (...entries: readonly HistoryEntry[]) => {
    const additions = entries.map((entry) => ({ entry }));
    const files = await runsAdded(async () => undefined, additions, { wiregauge: '0', branch: 'main' });
    const texts = new Map(files.map(({ path, text }) => [path, text]));
    return await storedPlants(async (path) => texts.get(path), 'users');
  };

  test('is that of the same kind of machine and profile', async () => {
    const found = planted(0.2, '2026-11-13T03:00:00.000Z');
    const missed = planted(0, '2026-11-20T03:00:00.000Z');
    const plants = await stored(entryOf(found), entryOf(missed));

    expect(plants.map(({ at }) => at)).toEqual(['2026-11-20T03:00:00.000Z', '2026-11-13T03:00:00.000Z']);
    expect(plantFor(plants, place)).toEqual({ cpu: 0.2, at: missed.startedAt, rounds: 10 });
    expect(plantFor(plants.slice(1), place)).toMatchObject({ at: found.startedAt, seconds: expect.any(Number) });
    expect(plantFor(plants, { ...place, profile: 'thorough' })).toBeUndefined();
    expect(plantFor(plants, { ...place, runner: { ...run.runner, cpuModel: 'another' } })).toBeUndefined();
  });

  test('is none of another branch, and none with an impossible share', async () => {
    expect(await stored(entryOf(run, { branch: 'feature' }))).toEqual([]);
    expect(plantFor(await stored(entryOf(run, { plant: { cpu: -1 } })), place)).toBeUndefined();
  });
});
