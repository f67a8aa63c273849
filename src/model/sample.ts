import type { MetricName } from './metric.ts';

/** The operation of a cell that stands for all operations of the suite together. */
export const ALL_OPERATIONS = 'all';

/** The tier of a cell that was measured in a closed loop. */
export const SATURATION = 'saturation';

/** Names one place of the result table; text form `suite/service/operation/tier`. */
export interface CellKey {
  readonly suite: string;
  readonly service: string;
  readonly operation: string;
  readonly tier: string;
}

/** The text form of a cell's key. */
export function cellName(key: CellKey): string {
  return `${key.suite}/${key.service}/${key.operation}/${key.tier}`;
}

/** What a reader must know before believing a sample. */
export type Mark =
  /** The service did not take the offered rate: achieved < 99 % of it. */
  | 'saturated'
  /** The load tool used over 80 % of its core, or sent late while it had free workers. */
  | 'generator-limited'
  /** A closed loop that did not fill the service's core (below 95 %). */
  | 'not-saturated'
  /** Over 1 % of the requests failed. */
  | 'failing'
  /** Planned requests were never sent: the time was over. */
  | 'dropped'
  /** Over 0.5 s with requests due and none answered. */
  | 'stalled'
  /** Connections were refused by a full listen queue, or sockets ran short. */
  | 'socket-limited'
  /** Other programs or the hypervisor took over 10 % of a core. */
  | 'disturbed';

export interface FailureCount {
  readonly kind: string;
  readonly count: number;
}

/** One second of a slot each; all arrays are of equal length. The ramp is shown here and nowhere else. */
export interface TimeSeries {
  /** Seconds since the first request of the slot, negative during ramp and warm-up, 0 where the measurement starts. */
  readonly second: readonly number[];
  readonly offeredRps: readonly number[];
  readonly achievedRps: readonly number[];
  /** undefined is written as null in JSON: a second without answers has no latency. */
  readonly latencyP50Ms: readonly (number | null)[];
  readonly latencyP99Ms: readonly (number | null)[];
}

/** The state of the machine while a sample was taken. Shares are of one core, 0 to the number of cores. */
export interface HostReading {
  readonly stealShare: number;
  /** CPU time used by neither the service, what it needs, nor the load tool; 0 where the service's cannot be seen. */
  readonly foreignCpuShare: number;
  /** CPU time of what the service needs, on the load tool's core; undefined where it needs nothing. */
  readonly needsCpuShare?: number | undefined;
  /** Share of time in which some task waited for a CPU; undefined where the kernel does not tell. */
  readonly cpuPressureShare?: number | undefined;
  readonly listenOverflows: number;
  readonly timeWaitSockets: number;
}

/** One side of one cell in one round. */
export interface Sample {
  readonly cell: CellKey;
  readonly round: number;
  readonly side: 'base' | 'head';
  /** Place in the order in which the slots of a round ran, from 1. */
  readonly position: number;
  /** Blocks that the values were taken over; only where two versions were compared in rounds. */
  readonly blocks?: number | undefined;
  readonly values: Readonly<Partial<Record<MetricName, number>>>;
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
  /** Only in the sample of all operations together. */
  readonly series?: TimeSeries | undefined;
  readonly host: HostReading;
}
