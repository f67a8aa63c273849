import { generateHistory, type HistoryPlan } from '../../scripts/history-generator.ts';
import type { HistoryEntry } from '../../src/history/store/entry.ts';
import { remembered } from './remembered.ts';

/** A service of a shop over some months: a regression, an improvement, a pending change, a release, another machine. */
export const SHOP: HistoryPlan = {
  seed: 20,
  runs: 150,
  operations: ['all', 'GetUser', 'ListUsers'],
  metrics: ['latencyP50Ms', 'latencyP95Ms', 'latencyP99Ms', 'achievedRps', 'cpuMicrosPerRequest'],
  end: new Date('2026-11-21T08:40:00Z'),
  hoursBetween: 9,
  steps: [
    {
      place: 86,
      factor: 0.91,
      subject: 'Reuse the channel between calls',
      of: ({ service, metric }) => service === 'grpc' && metric === 'cpuMicrosPerRequest',
    },
    {
      place: 128,
      factor: 1.146,
      subject: 'Render answers with the new serializer',
      of: ({ service, metric, tier }) =>
        service === 'rest' && (metric === 'cpuMicrosPerRequest' || (metric === 'latencyP95Ms' && tier !== 'low')),
    },
    {
      place: 147,
      factor: 1.07,
      subject: 'Log every request with its user',
      of: ({ service, metric, tier }) => service === 'grpc' && metric === 'latencyP50Ms' && tier === 'high',
    },
  ],
  releases: { 64: 'v1.3.0', 112: 'v1.4.0' },
  otherMachineFrom: 98,
  edit: accepted,
};

/** The regression was accepted some runs later, and the last run says so. */
function accepted(entry: HistoryEntry, place: number): HistoryEntry {
  const series = entry.series.findIndex(
    (one) =>
      one.service === 'rest' &&
      one.operation === 'all' &&
      one.tier === 'saturation' &&
      one.metric === 'cpuMicrosPerRequest',
  );
  if (place !== 131) {
    return entry;
  }
  const verdict = { series, verdict: 'regressed' as const, change: 0.146, low: 0.131, high: 0.158 };
  return { ...entry, outcome: 'passed', verdicts: [{ ...verdict, accepted: 'answers carry links now' }] };
}

/** What its tiers ask for, as runs of this version say it. */
export const LOADS = { low: '100 users', medium: '500 users', high: '1,000 users' };

/** That history, or one that differs: its files by their paths. */
export const shopHistory = remembered(
  (change: Partial<HistoryPlan> = {}): ReadonlyMap<string, string> => generateHistory({ ...SHOP, ...change }),
);
