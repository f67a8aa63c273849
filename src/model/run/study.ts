import * as z from 'zod';
import { nameSchema as name } from '../../foundation/names.ts';
import { listOf } from '../../foundation/schema.ts';
import { text } from '../fields.ts';
import { OWN_NAME } from '../sample/own-figures.ts';
import { metricName } from './sample.ts';

const ratioTest = z.object({
  service: z.string().max(80),
  /** Undefined: the plain value is tested. */
  against: z.string().max(80).optional(),
  tier: z.string().max(80),
  /** Tier of the other figure, if different. */
  againstTier: z.string().max(80).optional(),
  /** Metric of its own programs that its mean latency is tested against. */
  againstOwn: z.string().regex(OWN_NAME, 'is not the name of a metric').optional(),
  operation: z.string().max(80).optional(),
  metric: metricName,
  atLeast: z.number().optional(),
  atMost: z.number().optional(),
});

const studyFinding = z.object({
  says: text,
  /** Case of a finding that has several: "Python". */
  of: z.string().max(80).optional(),
  /** Published value as printed. */
  published: z.string().max(200).optional(),
  holdsIf: listOf(ratioTest),
});

export type StudyFinding = z.infer<typeof studyFinding>;

/** Range for a service's value, plain or as a multiple of another service's, tier's or program's. */
export type RatioTest = z.infer<typeof ratioTest>;

const studyCost = z.object({
  source: text,
  tier: z.string().max(80),
  requestsPerDay: z.number(),
  replicas: z.number(),
  prices: z.object({ vcpuMonth: z.number(), gibMonth: z.number(), gbMoved: z.number(), month: z.number() }),
  totals: listOf(z.object({ service: z.string().max(80), text })),
});

export type StudyCost = z.infer<typeof studyCost>;

const publishedFigure = z.object({
  service: name,
  tier: name,
  metric: metricName,
  /** Value as printed there, for example "<1 ms". */
  text,
});

export type StudyFigure = Readonly<z.infer<typeof publishedFigure>>;

/** Published results of a study on its machine; shown, never judged. */
export const publishedSchema = z.object({
  source: text,
  note: text,
  figures: listOf(publishedFigure),
  /** Its findings, to be tested here; with `leftOpen`, they concern the questions that it left open. */
  findings: listOf(studyFinding).optional(),
  cost: studyCost.optional(),
  leftOpen: z.boolean().optional(),
});
