import { nameHint } from '../../foundation/names.ts';
import { METRIC_NAMES, METRICS } from '../../model/metric.ts';

/** Metrics that may be named, each with its better direction; `unknown` of another tool's metric that nothing gives one. */
export type KnownMetrics = ReadonlyMap<string, 'lower' | 'higher' | 'unknown'>;

/** Every metric that Wiregauge measures. */
export const MEASURED_METRICS: KnownMetrics = new Map(METRIC_NAMES.map((name) => [name, METRICS[name].better]));

/** What people call metrics, for files that people write. */
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
};

/** The metric that a name or a short name stands for; undefined if there is none. */
export function metricNamed(text: string, known: KnownMetrics): string | undefined {
  if (known.has(text)) {
    return text;
  }
  const short = Object.hasOwn(SHORT_NAMES, text) ? SHORT_NAMES[text] : undefined;
  return short !== undefined && known.has(short) ? short : undefined;
}

/** What people call several metrics together, or one by another word. */
const MEANT: Readonly<Record<string, readonly (keyof typeof SHORT_NAMES)[]>> = {
  latency: ['p50', 'p95', 'p99'],
  duration: ['p50', 'p95', 'p99'],
  responsetime: ['p50', 'p95', 'p99'],
  throughput: ['rps'],
};

/** What to write instead of an unknown metric: what it is called here, the nearest name, or all of them. */
export function metricHint(text: string, known: KnownMetrics): string {
  const short = Object.entries(SHORT_NAMES).flatMap(([alias, name]) => (known.has(name) ? alias : []));
  const plain = text.replaceAll(/[\s_-]/g, '').toLowerCase();
  const meant = Object.hasOwn(MEANT, plain) ? (MEANT[plain] ?? []).filter((alias) => short.includes(alias)) : [];
  if (meant.length > 0) {
    return `did you mean ${meant.join(', ').replace(/, (?=[^,]*$)/, ' or ')}?`;
  }
  return nameHint(text, [...known.keys(), ...short]);
}
