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
    /** From the first request of the trial: negative during ramp and warm-up, which are shown here only, 0 at the start of the measurement. */
    second: listOf(z.number()),
    offeredRps: listOf(z.number()),
    achievedRps: listOf(z.number()),
    /** Null for a second without answers. Not in files from before there was one. */
    latencyMeanMs: listOf(z.number().nullable()).optional(),
    latencyP50Ms: listOf(z.number().nullable()),
    latencyP99Ms: listOf(z.number().nullable()),
    /** By the reading in that second; not of a service whose memory cannot be read. */
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
    /** In the window of the block, failed ones included. */
    requests: sums,
    /** Latencies of successful requests. */
    latencyMs: sums,
    seconds: sums,
    /** CPU time of the service from before the first request to after the last answer. */
    cpuSeconds: sums.optional(),
    /** Requests answered in that time, failed ones included. */
    answers: sums.optional(),
    memoryMiB: sums.optional(),
  })
  .refine((lists) => new Set(Object.values(lists).map((list) => list?.length ?? lists.requests.length)).size === 1, {
    message: 'the sums of the blocks are of different lengths',
  });

const memberValues = z.object({
  cpuMicrosPerRequest: z.number().optional(),
  peakMemoryMiB: z.number().optional(),
  /** From other programs, and to them; of the entry without those of the load tool. */
  receivedBytesPerRequest: z.number().optional(),
  sentBytesPerRequest: z.number().optional(),
});

const stages = listOf(
  z.object({
    /** After the first request. */
    fromSeconds: z.number().nonnegative(),
    seconds: z.number().nonnegative(),
    /** Number of users at the start of the stage; `users` is that at its end. */
    fromUsers: count,
    users: count,
    requests: count,
    values: z.partialRecord(metricName, z.number()),
  }),
);

/** Limit of repetitions: more than a picture shows. */
const MAX_REPETITIONS = 1000;

/** Latency of single requests that were sent one after the other. */
const repetitions = z
  .object({ number: listOf(count), latencyMs: listOf(z.number().nonnegative()) })
  .refine(({ number, latencyMs }) => number.length === latencyMs.length && number.length <= MAX_REPETITIONS, {
    message: `the number of latencies must match the number of numbers, and be at most ${MAX_REPETITIONS}`,
  });

const host = z.object({
  /** Shares are of one core, 0 to the number of cores. */
  stealShare: share,
  /** CPU time used by neither the service, what it needs, nor the load tool; 0 if the service's cannot be seen. */
  foreignCpuShare: share,
  /** CPU time of what the service needs, on the load tool's core; undefined if it needs nothing. */
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
  /** Place in the order in which the trials of a round ran, from 1. */
  position: count,
  /** Blocks that the values were taken over; only if two versions were compared in rounds. */
  blocks: count.optional(),
  /** Data for the variance between blocks and starts; only if `blocks` is. CPU time is only in the sample of all operations together. */
  blockSums: blockSums.optional(),
  values: z.partialRecord(metricName, z.number()),
  members: byMember(memberValues).optional(),
  own: ownSampleSchema.optional(),
  /** hdr-histogram V2, compressed, base64; latencies in microseconds, three significant digits. */
  histogram: z.string(),
  /** In the measured window, failed ones included. */
  requests: count,
  failures: listOf(failureCount),
  offeredRps: z.number().optional(),
  droppedRequests: count,
  measuredSeconds: z.number(),
  workers: count,
  marks: listOf(z.enum(Object.keys(MARK_MEANINGS) as [Mark, ...Mark[]])),
  series: series.optional(),
  /** Only of users who come and go. */
  stages: stages.optional(),
  /** Only of one user who sends one request after the other. */
  repetitions: repetitions.optional(),
  host,
});

/** Figures of one side of one cell in one round. */
export type Sample = z.infer<typeof sampleSchema>;

export type FailureCount = z.infer<typeof failureCount>;

/** One second of a trial each; all columns are of equal length. */
export type TimeSeries = z.infer<typeof series>;

export type StageSample = z.infer<typeof stages>[number];

export type BlockSums = z.infer<typeof blockSums>;

export type MemberValues = z.infer<typeof memberValues>;

export type HostReading = z.infer<typeof host>;

export type Repetitions = z.infer<typeof repetitions>;
