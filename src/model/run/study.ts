import * as z from 'zod';
import { listOf } from '../../foundation/schema.ts';
import { text } from '../fields.ts';
import { METRIC_NAMES, type MetricName } from '../metric.ts';
import { OWN_NAME } from '../sample/own-figures.ts';

const ratioTest = z.object({
  service: z.string().max(80),
  /** undefined: the plain value is tested. */
  against: z.string().max(80).optional(),
  tier: z.string().max(80),
  /** For the other figure, if it is another tier. */
  againstTier: z.string().max(80).optional(),
  /** A metric of its own programs that its mean latency is tested against. */
  againstOwn: z.string().regex(OWN_NAME, 'is not the name of a metric').optional(),
  operation: z.string().max(80).optional(),
  metric: z.enum(METRIC_NAMES as [MetricName, ...MetricName[]]),
  atLeast: z.number().optional(),
  atMost: z.number().optional(),
});

export const studyFindingSchema = z.object({
  says: text,
  /** Case of a finding that has several: "Python". */
  of: z.string().max(80).optional(),
  /** Published value as printed. */
  published: z.string().max(200).optional(),
  holdsIf: listOf(ratioTest),
});

export type StudyFinding = z.infer<typeof studyFindingSchema>;

/** Range for a service's value, plain or as a multiple of another service's, tier's or program's. */
export type RatioTest = z.infer<typeof ratioTest>;

export const studyCostSchema = z.object({
  source: text,
  tier: z.string().max(80),
  requestsPerDay: z.number(),
  replicas: z.number(),
  prices: z.object({ vcpuMonth: z.number(), gibMonth: z.number(), gbMoved: z.number(), month: z.number() }),
  totals: listOf(z.object({ service: z.string().max(80), text })),
});

export type StudyCost = z.infer<typeof studyCostSchema>;
