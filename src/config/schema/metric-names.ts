import { nameHint } from '../../foundation/names.ts';
import { METRIC_NAMES, METRICS } from '../../model/metric.ts';

/** Known metrics with their better direction; `unknown` for another tool's metric without one. */
export type KnownMetrics = ReadonlyMap<string, 'lower' | 'higher' | 'unknown'>;

export const MEASURED_METRICS: KnownMetrics = new Map(METRIC_NAMES.map((name) => [name, METRICS[name].better]));

/** Short names of metrics, for files that users write. */
export const SHORT_NAMES: Readonly<Record<string, keyof typeof METRICS>> = {
  mean: 'latencyMeanMs',
  p50: 'latencyP50Ms',
  p90: 'latencyP90Ms',
  p95: 'latencyP95Ms',
  p99: 'latencyP99Ms',
  rps: 'achievedRps',
  cpu: 'cpuMicrosPerRequest',
  memory: 'peakMemoryMiB',
  errors: 'errorRate',
  instructions: 'instructionsPerRequest',
  syscalls: 'syscallsPerRequest',
  allocations: 'allocationsPerRequest',
  allocated: 'allocatedBytesPerRequest',
  queries: 'queriesPerRequest',
  growth: 'memoryGrowthPerRequest',
  size: 'sizeMiB',
};

/** Metric with a name or a short name; undefined without one. */
export function metricNamed(text: string, known: KnownMetrics): string | undefined {
  if (known.has(text)) {
    return text;
  }
  const short = Object.hasOwn(SHORT_NAMES, text) ? SHORT_NAMES[text] : undefined;
  return short !== undefined && known.has(short) ? short : undefined;
}

/** Common words for one or several metrics. */
const MEANT: Readonly<Record<string, readonly (keyof typeof SHORT_NAMES)[]>> = {
  latency: ['p50', 'p95', 'p99'],
  duration: ['p50', 'p95', 'p99'],
  responsetime: ['p50', 'p95', 'p99'],
  throughput: ['rps'],
};

/** Suggestion for an unknown metric: the common words for it, the nearest name, or all names. */
export function metricHint(text: string, known: KnownMetrics): string {
  const short = Object.entries(SHORT_NAMES).flatMap(([alias, name]) => (known.has(name) ? alias : []));
  const plain = text.replaceAll(/[\s_-]/g, '').toLowerCase();
  const meant = Object.hasOwn(MEANT, plain) ? (MEANT[plain] ?? []).filter((alias) => short.includes(alias)) : [];
  if (meant.length > 0) {
    return `did you mean ${meant.join(', ').replace(/, (?=[^,]*$)/, ' or ')}?`;
  }
  return nameHint(text, [...known.keys(), ...short]);
}
