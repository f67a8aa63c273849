import { formatMs, formatRate, formatShare, NO_FIGURE, significant, withoutUnit } from '../foundation/numbers.ts';
import type { Mark } from './sample/mark.ts';
import type { OwnSample } from './sample/own-figures.ts';

const UNIT_TEXT: Record<Metric['unit'], (value: number) => string> = {
  ms: formatMs,
  '1/s': formatRate,
  share: formatShare,
  // A message may take parts of one.
  µs: (value) => `${significant(value, value < 1 ? 3 : 1)} µs`,
  MiB: (value) => `${significant(value, 1)} MiB`,
  B: (value) => `${significant(value, 0)} B`,
  'MB/s': (value) => `${significant(value, 2)} MB/s`,
  count: shortCount,
};

/** Three digits, with k and M for thousands and millions: "888k", "9.41"; a small whole number unchanged. */
function shortCount(value: number): string {
  if (Number.isInteger(value) && value < 1000) {
    return String(value);
  }
  const [size, letter] = value >= 999_500 ? [1e6, 'M'] : value >= 9_995 ? [1e3, 'k'] : [1, ''];
  return `${significant(value / size, 2)}${letter}`;
}

/** A metric's value with its unit, for example "0.36 ms"; never more than three digits that mean anything. */
export function formatMetric(metric: MetricName, value: number): string {
  const text = UNIT_TEXT[METRICS[metric].unit](value);
  return metric === 'memoryGrowthPerRequest' && value <= LEAST_GROWTH ? `≤${text}` : text;
}

/** Growth of memory in bytes per request below which it cannot be distinguished from that of an allocator. */
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

/** True if a series is of error rates: mostly 0, so that a relative change says nothing of them. */
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

/** Metrics of the instruction counter: no sample has them, and they are judged by a rule of their own. */
export const COUNTED = [
  'instructionsPerRequest',
  'syscallsPerRequest',
  'allocationsPerRequest',
] as const satisfies readonly MetricName[];

/** True if a metric has a rule of its own: it is counted, or of another load than that of rounds. */
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

/** First character of operations in cells of members: no real operation begins with it. */
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

/** True for a metric of METRICS; figures that were measured elsewhere may have any other name. */
export function isMetric(name: string): name is MetricName {
  return Object.hasOwn(METRICS, name);
}

/** Names one place of the result table; text form `suite/service/operation/tier`. */
export interface CellKey {
  readonly suite: string;
  readonly service: string;
  readonly operation: string;
  readonly tier: string;
}

export function cellName(key: CellKey): string {
  return `${key.suite}/${key.service}/${key.operation}/${key.tier}`;
}

export interface FailureCount {
  readonly kind: string;
  readonly count: number;
}

/** One second of a slot each; all arrays are of equal length. The ramp is shown here and nowhere else. */
export interface TimeSeries {
  /** Seconds since the first request of the slot, negative during ramp and warm-up, 0 at the start of the measurement. */
  readonly second: readonly number[];
  readonly offeredRps: readonly number[];
  readonly achievedRps: readonly number[];
  /** undefined is written as null in JSON: a second without answers has no latency. */
  readonly latencyMeanMs?: readonly (number | null)[] | undefined;
  readonly latencyP50Ms: readonly (number | null)[];
  readonly latencyP99Ms: readonly (number | null)[];
  /** By the reading in that second; not of a service whose memory cannot be read. */
  readonly memoryMiB?: readonly (number | null)[] | undefined;
  /** Only of users who come and go. */
  readonly latencyP95Ms?: readonly (number | null)[] | undefined;
  /** How many users there were to be, in the mean of the second; only of users who come and go. */
  readonly users?: readonly number[] | undefined;
}

/** Sample of one stage of users who come and go; `fromSeconds` is after the first request. */
export interface StageSample {
  readonly fromSeconds: number;
  readonly seconds: number;
  /** Where their number was, and where it went. */
  readonly fromUsers: number;
  readonly users: number;
  readonly requests: number;
  readonly values: Readonly<Partial<Record<MetricName, number>>>;
}

/** The state of the machine while a sample was taken. Shares are of one core, 0 to the number of cores. */
export interface HostReading {
  readonly stealShare: number;
  /** CPU time used by neither the service, what it needs, nor the load tool; 0 if the service's cannot be seen. */
  readonly foreignCpuShare: number;
  /** CPU time of what the service needs, on the load tool's core; undefined if it needs nothing. */
  readonly needsCpuShare?: number | undefined;
  /** Share of time in which some task waited for a CPU; undefined if the kernel does not report it. */
  readonly cpuPressureShare?: number | undefined;
  readonly listenOverflows: number;
  readonly timeWaitSockets: number;
}

/** Values of each block of a sample in order; all lists have the same length. */
export interface BlockSums {
  /** Requests in the window of the block, failed ones included. */
  readonly requests: readonly number[];
  /** The sum of the latencies of those that were answered with success. */
  readonly latencyMs: readonly number[];
  readonly seconds: readonly number[];
  /** CPU time of the service from before the first request to after the last answer. */
  readonly cpuSeconds?: readonly number[] | undefined;
  /** Requests answered in that time, failed ones included. */
  readonly answers?: readonly number[] | undefined;
  readonly memoryMiB?: readonly number[] | undefined;
}

export interface MemberValues {
  readonly cpuMicrosPerRequest?: number | undefined;
  readonly peakMemoryMiB?: number | undefined;
  /** From other programs, and to them; of the entry without those of the load tool. */
  readonly receivedBytesPerRequest?: number | undefined;
  readonly sentBytesPerRequest?: number | undefined;
}

/** The latency of single requests that were sent one after the other; both lists are of one length. */
export interface Repetitions {
  readonly number: readonly number[];
  readonly latencyMs: readonly number[];
}

export interface Sample {
  readonly cell: CellKey;
  readonly round: number;
  readonly side: 'base' | 'head';
  /** Place in the order in which the slots of a round ran, from 1. */
  readonly position: number;
  /** Blocks that the values were taken over; only if two versions were compared in rounds. */
  readonly blocks?: number | undefined;
  /** Data for the variance between blocks and starts; only if `blocks` is. CPU time is only in the sample of all operations together. */
  readonly blockSums?: BlockSums | undefined;
  readonly values: Readonly<Partial<Record<MetricName, number>>>;
  readonly members?: Readonly<Record<string, MemberValues>> | undefined;
  readonly own?: OwnSample | undefined;
  /** hdr-histogram V2, compressed, base64; latencies in microseconds, three significant digits. */
  readonly histogram: string;
  /** Requests in the measured window, failed ones included. */
  readonly requests: number;
  readonly failures: readonly FailureCount[];
  readonly offeredRps?: number | undefined;
  readonly droppedRequests: number;
  readonly measuredSeconds: number;
  readonly workers: number;
  readonly marks: readonly Mark[];
  readonly series?: TimeSeries | undefined;
  /** The same, of users who come and go. */
  readonly stages?: readonly StageSample[] | undefined;
  /** The same, of one user who sends one request after the other. */
  readonly repetitions?: Repetitions | undefined;
  readonly host: HostReading;
}
