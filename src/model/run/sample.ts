import * as z from 'zod';
import { listOf } from '../../foundation/schema.ts';
import { cell, count, side, text } from '../fields.ts';
import { METRIC_NAMES } from '../metric.ts';
import { MARK_MEANINGS, type Mark } from '../sample/mark.ts';
import { byMember, ownSampleSchema } from '../sample/own-figures.ts';

const share = z.number().nonnegative();

export const metricName = z.enum(METRIC_NAMES as [(typeof METRIC_NAMES)[number], ...(typeof METRIC_NAMES)[number][]]);

const series = z
  .object({
    /** Seconds since the start of the measurement: negative during ramp and warm-up, which only appear here. */
    second: listOf(z.number()),
    offeredRps: listOf(z.number()),
    achievedRps: listOf(z.number()),
    /** Null for a second without responses. Absent in older files. */
    latencyMeanMs: listOf(z.number().nullable()).optional(),
    latencyP50Ms: listOf(z.number().nullable()),
    latencyP99Ms: listOf(z.number().nullable()),
    /** Memory by the reading in that second; absent if it cannot be read. */
    memoryMiB: listOf(z.number().nonnegative().nullable()).optional(),
    /** Only for users who come and go. */
    latencyP95Ms: listOf(z.number().nullable()).optional(),
    /** Planned number of users, averaged over the second; only for users who come and go. */
    users: listOf(z.number().nonnegative()).optional(),
  })
  .refine(
    (columns) => new Set(Object.values(columns).map((column) => column?.length ?? columns.second.length)).size === 1,
    {
      message: 'the columns of a time series are of different lengths',
    },
  );

const sums = listOf(z.number().nonnegative());

/** Values of each block of a sample in order. */
const blockSums = z
  .object({
    /** Requests in the window of the block, including failed ones. */
    requests: sums,
    /** Latencies of successful requests. */
    latencyMs: sums,
    seconds: sums,
    /** CPU time of the service from before the first request to after the last response. */
    cpuSeconds: sums.optional(),
    /** Requests answered in that time, including failed ones. */
    answers: sums.optional(),
    memoryMiB: sums.optional(),
  })
  .refine((lists) => new Set(Object.values(lists).map((list) => list?.length ?? lists.requests.length)).size === 1, {
    message: 'the sums of the blocks are of different lengths',
  });

const memberValues = z.object({
  cpuMicrosPerRequest: z.number().optional(),
  peakMemoryMiB: z.number().optional(),
  /** Bytes from and to other programs; for the entry without those of the load tool. */
  receivedBytesPerRequest: z.number().optional(),
  sentBytesPerRequest: z.number().optional(),
});

const stages = listOf(
  z.object({
    /** Seconds after the first request. */
    fromSeconds: z.number().nonnegative(),
    seconds: z.number().nonnegative(),
    /** Number of users at the start of the stage; `users` is that at its end. */
    fromUsers: count,
    users: count,
    requests: count,
    values: z.partialRecord(metricName, z.number()),
  }),
);

/** Limit of repetitions: more than a chart shows. */
const MAX_REPETITIONS = 1000;

/** Latency of consecutive single requests. */
const repetitions = z
  .object({ number: listOf(count), latencyMs: listOf(z.number().nonnegative()) })
  .refine(({ number, latencyMs }) => number.length === latencyMs.length && number.length <= MAX_REPETITIONS, {
    message: `the number of latencies must match the number of numbers, and be at most ${MAX_REPETITIONS}`,
  });

const host = z.object({
  /** Shares are of one core, 0 to the number of cores. */
  stealShare: share,
  /** CPU time used by neither the service, its needs, nor the load tool; 0 if the service's cannot be read. */
  foreignCpuShare: share,
  /** CPU time of the needs, on the load tool's core; undefined without needs. */
  needsCpuShare: share.optional(),
  /** Share of time in which some task waited for a CPU; undefined if the kernel does not report it. */
  cpuPressureShare: share.optional(),
  listenOverflows: count,
  timeWaitSockets: count,
});

const failureCount = z.object({ kind: text, count });

export const sampleSchema = z.object({
  cell,
  round: count,
  side,
  /** Position in the order of the trials of a round, from 1. */
  position: count,
  /** Number of blocks that the values cover; only if two versions were compared in rounds. */
  blocks: count.optional(),
  /** Data for the variance between blocks and starts; only with `blocks`. CPU time is only in the sample of all operations together. */
  blockSums: blockSums.optional(),
  values: z.partialRecord(metricName, z.number()),
  members: byMember(memberValues).optional(),
  own: ownSampleSchema.optional(),
  /** hdr-histogram V2, compressed, base64; latencies in microseconds, three significant digits. */
  histogram: z.string(),
  /** Requests in the measured window, including failed ones. */
  requests: count,
  failures: listOf(failureCount),
  offeredRps: z.number().optional(),
  droppedRequests: count,
  measuredSeconds: z.number(),
  workers: count,
  marks: listOf(z.enum(Object.keys(MARK_MEANINGS) as [Mark, ...Mark[]])),
  series: series.optional(),
  /** Only for users who come and go. */
  stages: stages.optional(),
  /** Only for one user who sends requests one after another. */
  repetitions: repetitions.optional(),
  host,
});

/** Figures of one side of one cell in one round. */
export type Sample = z.infer<typeof sampleSchema>;

export type FailureCount = z.infer<typeof failureCount>;

/** One second of a trial per row; all columns have equal length. */
export type TimeSeries = z.infer<typeof series>;

export type StageSample = z.infer<typeof stages>[number];

export type BlockSums = z.infer<typeof blockSums>;

export type MemberValues = z.infer<typeof memberValues>;

export type HostReading = z.infer<typeof host>;

export type Repetitions = z.infer<typeof repetitions>;
