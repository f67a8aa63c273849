import * as z from 'zod';
import { nameSchema as name } from '../../foundation/names.ts';
import { listOf } from '../../foundation/schema.ts';
import { METRIC_NAMES } from '../metric.ts';
import { MARK_MEANINGS, type Mark } from '../sample/mark.ts';
import { byMember, ownSampleSchema } from '../sample/own-figures.ts';

const count = z.number().int().nonnegative();

const share = z.number().nonnegative();

export const metricName = z.enum(METRIC_NAMES as [(typeof METRIC_NAMES)[number], ...(typeof METRIC_NAMES)[number][]]);

const text = z.string().max(2000);

const cell = z.object({ suite: name, service: name, operation: name, tier: name });

const series = z
  .object({
    second: listOf(z.number()),
    offeredRps: listOf(z.number()),
    achievedRps: listOf(z.number()),
    /** Not in files from before there was one. */
    latencyMeanMs: listOf(z.number().nullable()).optional(),
    latencyP50Ms: listOf(z.number().nullable()),
    latencyP99Ms: listOf(z.number().nullable()),
    memoryMiB: listOf(z.number().nonnegative().nullable()).optional(),
    /** For users who come and go, with how many there were to be. */
    latencyP95Ms: listOf(z.number().nullable()).optional(),
    users: listOf(z.number().nonnegative()).optional(),
  })
  .refine(
    (columns) => new Set(Object.values(columns).map((column) => column?.length ?? columns.second.length)).size === 1,
    {
      message: 'the columns of a time series are of different lengths',
    },
  );

const sums = listOf(z.number().nonnegative());

const blockSums = z
  .object({
    ...{ requests: sums, latencyMs: sums, seconds: sums },
    ...{ cpuSeconds: sums.optional(), answers: sums.optional(), memoryMiB: sums.optional() },
  })
  .refine((lists) => new Set(Object.values(lists).map((list) => list?.length ?? lists.requests.length)).size === 1, {
    message: 'the sums of the blocks are of different lengths',
  });

const memberValues = z.object({
  cpuMicrosPerRequest: z.number().optional(),
  peakMemoryMiB: z.number().optional(),
  receivedBytesPerRequest: z.number().optional(),
  sentBytesPerRequest: z.number().optional(),
});

const stages = listOf(
  z.object({
    /** After the first request. */
    fromSeconds: z.number().nonnegative(),
    seconds: z.number().nonnegative(),
    fromUsers: count,
    users: count,
    requests: count,
    values: z.partialRecord(metricName, z.number()),
  }),
);

/** More than a picture shows. */
const MOST_REPETITIONS = 1000;

const repetitions = z
  .object({ number: listOf(count), latencyMs: listOf(z.number().nonnegative()) })
  .refine(({ number, latencyMs }) => number.length === latencyMs.length && number.length <= MOST_REPETITIONS, {
    message: `the number of latencies must match the number of numbers, and be at most ${MOST_REPETITIONS}`,
  });

export const sampleSchema = z.object({
  cell,
  round: count,
  side: z.enum(['base', 'head']),
  position: count,
  blocks: count.optional(),
  blockSums: blockSums.optional(),
  values: z.partialRecord(metricName, z.number()),
  members: byMember(memberValues).optional(),
  own: ownSampleSchema.optional(),
  histogram: z.string(),
  requests: count,
  failures: listOf(z.object({ kind: text, count })),
  offeredRps: z.number().optional(),
  droppedRequests: count,
  measuredSeconds: z.number(),
  workers: count,
  marks: listOf(z.enum(Object.keys(MARK_MEANINGS) as [Mark, ...Mark[]])),
  series: series.optional(),
  stages: stages.optional(),
  repetitions: repetitions.optional(),
  host: z.object({
    stealShare: share,
    foreignCpuShare: share,
    needsCpuShare: share.optional(),
    cpuPressureShare: share.optional(),
    listenOverflows: count,
    timeWaitSockets: count,
  }),
});
