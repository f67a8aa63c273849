import { plantResults } from '../judge/calibration/plant.ts';
import { rounded } from '../judge/stored/stored-run.ts';
import { judgeRun } from '../judge/verdict/judge.ts';
import { ALL_OPERATIONS } from '../model/metric.ts';
import { ALL_TIERS } from '../model/policy.ts';
import type { NoisePlace } from '../model/run/calibration.ts';
import type { CpuPlant, StoredPlant } from '../model/run/plant.ts';
import type { RunInRounds } from '../model/run/run.ts';
import { isAt } from './anchored.ts';
import { suiteEntries } from './reader.ts';
import type { ReadHistory } from './store/changes.ts';
import { type HistoryEntry, plantMetric } from './store/entry.ts';
import { type EntryFacts, entryOf } from './store/run-entry.ts';

/** History entry of a planted slowdown: the seconds until it was found, for each service; null if it was not found. */
export function plantEntryOf(run: RunInRounds, { cpu }: CpuPlant, facts: EntryFacts): HistoryEntry {
  const results = plantResults(run, judgeRun(run));
  const { counts: _counts, ...entry } = entryOf(run, facts);
  return {
    ...entry,
    kind: 'plant',
    series: results.map(({ service }) => ({
      ...{ suite: run.suite.name, service, operation: ALL_OPERATIONS, tier: ALL_TIERS },
      ...{ metric: plantMetric(cpu), unit: 's', better: 'lower' as const },
    })),
    values: results.map(({ isFound, seconds }) => (isFound ? rounded(seconds) : null)),
    spreads: results.map(() => null),
    rounds: Math.max(0, ...results.map(({ rounds }) => rounds)),
    outcome: results.every(({ isFound }) => isFound) ? 'passed' : 'failed',
    verdicts: results.flatMap(({ isFound }, series) => (isFound ? [] : [{ series, verdict: 'regressed' as const }])),
    plant: { cpu },
  };
}

/** Plants of a suite on the default branch, the newest first; empty if there is no history. Throws HistoryError if it cannot be read. */
export async function storedPlants(read: ReadHistory, suite: string): Promise<readonly HistoryEntry[]> {
  return (await suiteEntries(read, suite)).filter(({ kind }) => kind === 'plant');
}

/** Newest of these plants on the same kind of machine, with the same runtime and profile. */
export function plantFor(plants: readonly HistoryEntry[], place: NoisePlace): StoredPlant | undefined {
  const found = plants.find((one) => isAt(one, place));
  const cpu = found?.plant?.cpu ?? 0;
  if (found === undefined || cpu <= 0 || cpu > 1) {
    return undefined;
  }
  const { at, values, rounds } = found;
  const isFound = values.length > 0 && values.every((value) => value !== null && value >= 0);
  return { cpu, at, rounds, ...(isFound && { seconds: Math.max(...values.map(Number)) }) };
}
