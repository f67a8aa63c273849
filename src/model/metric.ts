import { formatMs, formatRate, formatShare, NO_FIGURE, significant, withoutUnit } from '../foundation/numbers.ts';

const UNIT_TEXT: Record<Metric['unit'], (value: number) => string> = {
  ms: formatMs,
  '1/s': formatRate,
  share: formatShare,
  // A message may take less than a microsecond.
  µs: (value) => `${significant(value, value < 1 ? 3 : 1)} µs`,
  MiB: (value) => `${significant(value, 1)} MiB`,
  B: (value) => `${significant(value, 0)} B`,
  'MB/s': (value) => `${significant(value, 2)} MB/s`,
  count: shortCount,
};

/** Three digits, with k and M for thousands and millions: "888k", "9.41"; a small whole number stays unchanged. */
function shortCount(value: number): string {
  if (Number.isInteger(value) && value < 1000) {
    return String(value);
  }
  const [size, letter] = value >= 999_500 ? [1e6, 'M'] : value >= 9_995 ? [1e3, 'k'] : [1, ''];
  return `${significant(value / size, 2)}${letter}`;
}

/** Value of a metric with its unit, for example "0.36 ms"; at most three significant digits. */
export function formatMetric(metric: MetricName, value: number): string {
  const text = UNIT_TEXT[METRICS[metric].unit](value);
  return metric === 'memoryGrowthPerRequest' && value <= LEAST_GROWTH ? `≤${text}` : text;
}

/** Growth of memory in bytes per request below which it cannot be distinguished from an allocator's. */
export const LEAST_GROWTH = 100;

/** Lowest and highest value without the unit, "0.34–0.38"; empty if both look the same. */
export function formatRange(metric: MetricName, low: number, high: number): string {
  const [from, to] = [low, high].map((value) => withoutUnit(formatMetric(metric, value)));
  return from === to ? '' : `${from}${NO_FIGURE}${to}`;
}

/** Every metric that a sample can carry. A new metric is one more row. */
export const METRICS = {
  latencyMeanMs: { title: 'mean latency', unit: 'ms', better: 'lower' },
  latencyP50Ms: { title: 'p50 latency', unit: 'ms', better: 'lower' },
  latencyP90Ms: { title: 'p90 latency', unit: 'ms', better: 'lower' },
  latencyP95Ms: { title: 'p95 latency', unit: 'ms', better: 'lower' },
  latencyP99Ms: { title: 'p99 latency', unit: 'ms', better: 'lower' },
  latencyP999Ms: { title: 'p99.9 latency', unit: 'ms', better: 'lower' },
  latencyMinMs: { title: 'min latency', unit: 'ms', better: 'lower' },
  latencyMaxMs: { title: 'max latency', unit: 'ms', better: 'lower' },
  latencySdMs: { title: 'standard deviation of latency', unit: 'ms', better: 'lower' },
  withinSdShare: { title: 'latencies within one standard deviation of the mean', unit: 'share', better: 'higher' },
  recordedP50Ms: { title: 'p50 as the load tool recorded it', unit: 'ms', better: 'lower' },
  recordedP99Ms: { title: 'p99 as the load tool recorded it', unit: 'ms', better: 'lower' },
  lagP99Ms: { title: 'p99 of late sending', unit: 'ms', better: 'lower' },
  lagMaxMs: { title: 'longest late sending', unit: 'ms', better: 'lower' },
  achievedRps: { title: 'achieved rate', unit: '1/s', better: 'higher' },
  errorRate: { title: 'error rate', unit: 'share', better: 'lower' },
  cpuMicrosPerRequest: { title: 'service CPU time per request', unit: 'µs', better: 'lower' },
  serviceCpuShare: { title: "share of the service's core in use", unit: 'share', better: 'lower' },
  loadCpuShare: { title: "share of the load tool's core in use", unit: 'share', better: 'lower' },
  peakMemoryMiB: { title: 'peak memory of the service', unit: 'MiB', better: 'lower' },
  startUpMs: { title: 'time from the start to the first answer', unit: 'ms', better: 'lower' },
  firstRequestMs: { title: 'latency of the first request', unit: 'ms', better: 'lower' },
  wireBytesPerRequest: { title: 'bytes on the wire per request, both ways', unit: 'B', better: 'lower' },
  wireMegabytesPerSecond: { title: 'bytes on the wire per second, both ways', unit: 'MB/s', better: 'higher' },
  connectionBytesPerRequest: {
    title: 'bytes on the wire of one request with its connection, both ways',
    unit: 'B',
    better: 'lower',
  },
  firstMessageP50Ms: { title: 'p50 of the time to the first message', unit: 'ms', better: 'lower' },
  firstMessageP99Ms: { title: 'p99 of the time to the first message', unit: 'ms', better: 'lower' },
  messagesPerSecond: { title: 'messages per second', unit: '1/s', better: 'higher' },
  cpuMicrosPerMessage: { title: 'service CPU time per message', unit: 'µs', better: 'lower' },
  instructionsPerRequest: { title: 'instructions per request', unit: 'count', better: 'lower' },
  syscallsPerRequest: { title: 'system calls per request', unit: 'count', better: 'lower' },
  allocationsPerRequest: { title: 'allocations per request', unit: 'count', better: 'lower' },
  allocatedBytesPerRequest: { title: 'allocated bytes per request', unit: 'B', better: 'lower' },
  queriesPerRequest: { title: 'queries per request', unit: 'count', better: 'lower' },
  memoryGrowthPerRequest: { title: 'memory growth per request', unit: 'B', better: 'lower' },
  sizeMiB: { title: 'size of the image or the binary', unit: 'MiB', better: 'lower' },
} as const satisfies Record<string, Metric>;

/** True for a series of error rates: mostly 0, so that a relative change is meaningless. */
export function isErrorRate({ metric, unit }: { readonly metric: string; readonly unit: string }): boolean {
  return metric === 'errorRate' && unit === METRICS.errorRate.unit;
}

export function errorRateText(share: number): string {
  return formatShare(share).replace(/\.0+%/, '%');
}

export function errorRateChange(before: number, after: number): string {
  return `${errorRateText(before)} → ${errorRateText(after)}`;
}

export interface Metric {
  readonly title: string;
  readonly unit: 'ms' | '1/s' | 'share' | 'µs' | 'MiB' | 'B' | 'MB/s' | 'count';
  readonly better: 'lower' | 'higher';
}

export type MetricName = keyof typeof METRICS;

/** Metrics of the instruction counter: no sample has them, and they have a separate rule. */
export const COUNTED = [
  'instructionsPerRequest',
  'syscallsPerRequest',
  'allocationsPerRequest',
] as const satisfies readonly MetricName[];

/** True if a metric has a separate rule: it is counted, or from a load other than that of rounds. */
export function isCounted(metric: string): boolean {
  const others = ['memoryGrowthPerRequest', 'allocatedBytesPerRequest'];
  return isExact(metric) || others.includes(metric) || COUNTED.some((one) => one === metric);
}

/** True for a metric without noise: any difference is real, so it has no interval. */
export function isExact(metric: string): boolean {
  return metric === 'queriesPerRequest' || metric === 'sizeMiB';
}

export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[];

/** Operation of a cell for all operations of the suite together. */
export const ALL_OPERATIONS = 'all';

/** First character of operations in cells of members: no other operation begins with it. */
const OF_MEMBER = '.';

/** Operation of the cell for a member of a service: all operations together, as far as it takes part in them. */
export function memberOperation(member: string): string {
  return `${OF_MEMBER}${member}`;
}

/** Member of a service by the operation of its cell; undefined for all others. */
export function memberOf({ operation }: Pick<CellKey, 'operation'>): string | undefined {
  return operation.startsWith(OF_MEMBER) ? operation.slice(OF_MEMBER.length) : undefined;
}

export const SATURATION = 'saturation';

/** True for a metric of METRICS; figures that were measured elsewhere may have any name. */
export function isMetric(name: string): name is MetricName {
  return Object.hasOwn(METRICS, name);
}

/** Place in the result table; text form `suite/service/operation/tier`. */
export interface CellKey {
  readonly suite: string;
  readonly service: string;
  readonly operation: string;
  readonly tier: string;
}

export function cellName(key: CellKey): string {
  return `${key.suite}/${cellPlace(key)}`;
}

/** Name of a cell within its suite. */
export function cellPlace({ service, operation, tier }: Omit<CellKey, 'suite'>): string {
  return `${service}/${operation}/${tier}`;
}
