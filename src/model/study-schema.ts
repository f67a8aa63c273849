import { z } from 'zod';
import { listOf } from '../foundation/list-schema.ts';
import { METRIC_NAMES, type MetricName } from './metric.ts';

const ratioTest = z.object({
  service: z.string().max(80),
  against: z.string().max(80),
  tier: z.string().max(80),
  /** Of the other figure, where it is another tier. */
  againstTier: z.string().max(80).optional(),
  operation: z.string().max(80).optional(),
  metric: z.enum(METRIC_NAMES as [MetricName, ...MetricName[]]),
  atLeast: z.number().optional(),
  atMost: z.number().optional(),
});

/** A finding of a study, as a file has it. */
export const studyFindingSchema = z.object({ says: z.string().max(2000), holdsIf: listOf(ratioTest) });

/** What a study found, and the tests that have to be passed, each of them, for it to hold here. */
export type StudyFinding = z.infer<typeof studyFindingSchema>;

/**
 * One service's figure as a multiple of another's, or of its own at another tier, and where that has to lie; of all operations together
 * where it names none.
 */
export type RatioTest = z.infer<typeof ratioTest>;
