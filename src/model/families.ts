import { METRICS, type MetricName } from './metric.ts';
import { ALL_OPERATIONS, type CellKey, SATURATION } from './sample.ts';

/** Stands for all kinds of load together in a cell's key. */
export const ALL_TIERS = 'all';

/** A metric that is compared, and whether it may fail a pull request where the policy says nothing else. */
export interface FamilyRow {
  readonly metric: MetricName;
  readonly gate: boolean;
}

/**
 * What is compared of a cell. The saturated service gives the quietest figures and the tiers give what users feel, so
 * both gate; tails, memory and CPU time at a fixed rate are too noisy on small machines, so they are only watched.
 */
export function rowsOf({ operation, tier }: Pick<CellKey, 'operation' | 'tier'>): readonly FamilyRow[] {
  if (tier === SATURATION) {
    return operation === ALL_OPERATIONS ? AT_SATURATION : [];
  }
  return operation === ALL_OPERATIONS ? AT_TIER : OF_OPERATION;
}

const gate = (metric: MetricName): FamilyRow => ({ metric, gate: true });
const watch = (metric: MetricName): FamilyRow => ({ metric, gate: false });

const AT_SATURATION: readonly FamilyRow[] = [
  gate('cpuMicrosPerRequest'),
  gate('achievedRps'),
  gate('latencyP50Ms'),
  watch('latencyP95Ms'),
];

const AT_TIER: readonly FamilyRow[] = [watch('cpuMicrosPerRequest'), watch('achievedRps')];

const OF_OPERATION: readonly FamilyRow[] = [gate('latencyP50Ms'), gate('latencyP95Ms'), watch('latencyP99Ms')];

/** The relative slowdown above which a change is a regression, where the policy says nothing else. */
export function usualThreshold({ tier }: Pick<CellKey, 'tier'>, metric: string): number {
  if (tier === SATURATION && QUIET_AT_SATURATION.has(metric)) {
    return 0.03;
  }
  return LOUD.has(metric) ? 0.1 : 0.05;
}

const QUIET_AT_SATURATION: ReadonlySet<string> = new Set(['cpuMicrosPerRequest', 'achievedRps', 'latencyP50Ms']);

const LOUD: ReadonlySet<string> = new Set([
  'latencyP90Ms',
  'latencyP95Ms',
  'latencyP99Ms',
  'latencyP999Ms',
  'latencyMaxMs',
  'peakMemoryMiB',
]);

/** Whether a metric that was measured elsewhere may fail a pull request: all but tails, means and memory, and what nobody named here. */
export function gatesUsually(metric: string): boolean {
  return GATING.has(metric) || !Object.hasOwn(METRICS, metric);
}

const GATING: ReadonlySet<string> = new Set([
  'cpuMicrosPerRequest',
  'achievedRps',
  'latencyP50Ms',
  'latencyP90Ms',
  'latencyP95Ms',
  'wireBytesPerRequest',
]);
