import type { MetricName } from './metric.ts';
import type { Records } from './records.ts';
import type { FailureCount } from './sample.ts';

/** Raw records of one operation in one stage, and the schedule that they were to follow. */
export interface ScheduledRecords {
  readonly operation: string;
  readonly records: Records;
  /** undefined in a closed loop, which has no schedule. */
  readonly ratePerSecond: number | undefined;
  /** Requests of the schedule; undefined in a closed loop. */
  readonly planned: number | undefined;
  /** Of a schedule whose requests were moved within their intervals; see OpenLoad. */
  readonly jitterSeed?: number | undefined;
}

/** The part of a slot that counts, in Unix milliseconds: from (inclusive) to (exclusive). */
export interface MeasuredWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What the records of a window say; the readings of the machine are added by the caller. */
export interface RecordSummary {
  /** latency*, recorded*, lag*, achievedRps and errorRate. */
  readonly values: Readonly<Partial<Record<MetricName, number>>>;
  readonly histogram: string;
  readonly requests: number;
  readonly failures: readonly FailureCount[];
  readonly offeredRps: number | undefined;
  readonly droppedRequests: number;
  /** The longest time in the window with requests waiting and none answered, in milliseconds. */
  readonly longestStallMs: number;
}
