import { z } from 'zod';
import { listOf } from '../../foundation/list-schema.ts';
import { nameSchema as name } from '../../foundation/name-schema.ts';
import { METRIC_NAMES } from '../metric.ts';
import { MARK_MEANINGS } from '../reading-marks.ts';
import type { Mark } from '../sample.ts';

const count = z.number().int().nonnegative();
const share = z.number().nonnegative();
const metricName = z.enum(METRIC_NAMES as [(typeof METRIC_NAMES)[number], ...(typeof METRIC_NAMES)[number][]]);
const text = z.string().max(2000);

const cell = z.object({ suite: name, service: name, operation: name, tier: name });

const series = z
  .object({
    second: listOf(z.number()),
    offeredRps: listOf(z.number()),
    achievedRps: listOf(z.number()),
    latencyP50Ms: listOf(z.number().nullable()),
    latencyP99Ms: listOf(z.number().nullable()),
  })
  .refine((columns) => new Set(Object.values(columns).map((column) => column.length)).size === 1, {
    message: 'the columns of a time series are of different lengths',
  });

/** One side of one cell in one round, as `run.json` has it. */
export const sampleSchema = z.object({
  cell,
  round: count,
  side: z.enum(['base', 'head']),
  position: count,
  blocks: count.optional(),
  values: z.partialRecord(metricName, z.number()),
  histogram: z.string(),
  requests: count,
  failures: listOf(z.object({ kind: text, count })),
  offeredRps: z.number().optional(),
  droppedRequests: count,
  measuredSeconds: z.number(),
  workers: count,
  marks: listOf(z.enum(Object.keys(MARK_MEANINGS) as [Mark, ...Mark[]])),
  series: series.optional(),
  host: z.object({
    stealShare: share,
    foreignCpuShare: share,
    needsCpuShare: share.optional(),
    cpuPressureShare: share.optional(),
    listenOverflows: count,
    timeWaitSockets: count,
  }),
});
