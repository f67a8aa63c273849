import { METRIC_NAMES, METRICS } from '../core/metric.ts';

/** Metrics that may be named, each with its better direction. */
export type KnownMetrics = ReadonlyMap<string, 'lower' | 'higher'>;

/** Every metric that Wiregauge measures. */
export const MEASURED_METRICS: KnownMetrics = new Map(METRIC_NAMES.map((name) => [name, METRICS[name].better]));

/** What people call metrics, for files that people write. */
const SHORT_NAMES: Readonly<Record<string, keyof typeof METRICS>> = {
  mean: 'latencyMeanMs',
  p50: 'latencyP50Ms',
  p90: 'latencyP90Ms',
  p95: 'latencyP95Ms',
  p99: 'latencyP99Ms',
  rps: 'achievedRps',
  cpu: 'cpuMicrosPerRequest',
  memory: 'peakMemoryMiB',
  errors: 'errorRate',
};

/** The metric that a name or a short name stands for; undefined where there is none. */
export function metricNamed(text: string, known: KnownMetrics): string | undefined {
  if (known.has(text)) {
    return text;
  }
  const short = Object.hasOwn(SHORT_NAMES, text) ? SHORT_NAMES[text] : undefined;
  return short !== undefined && known.has(short) ? short : undefined;
}

/** What to write instead of an unknown metric: the nearest name, or all of them. */
export function metricHint(text: string, known: KnownMetrics): string {
  const short = Object.entries(SHORT_NAMES).flatMap(([alias, name]) => (known.has(name) ? alias : []));
  const names = [...known.keys(), ...short];
  const nearest = names
    .map((name) => ({ name, edits: editsBetween(text.toLowerCase().slice(0, LONGEST), name.toLowerCase()) }))
    .sort((left, right) => left.edits - right.edits)[0];
  return nearest !== undefined && nearest.edits <= Math.max(1, nearest.name.length / 3)
    ? `did you mean ${nearest.name}?`
    : `known are ${names.join(', ')}`;
}

/** Longer names than this are no slips of the finger. */
const LONGEST = 60;

/** Letters to insert, delete or replace (Levenshtein, "Binary codes capable of correcting deletions", 1966). */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  [...from].forEach((letter, above) => {
    const next = [above + 1];
    for (let index = 1; index <= to.length; index += 1) {
      const replaced = (row[index - 1] ?? 0) + (letter === to[index - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1));
    }
    row = next;
  });
  return row[to.length] ?? 0;
}
