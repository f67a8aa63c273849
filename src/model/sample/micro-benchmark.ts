import * as z from 'zod';
import { listOf } from '../../foundation/schema.ts';

const name = z.string().min(1).max(400);

/** Figures of some tools, such as a share, have no unit. */
const unit = z.string().max(400);

/** Limit of figures in one file, and of their different kinds, each of which is a column of a table. */
const MAX_FIGURES = 1000;
const MAX_METRICS = 20;

const figuresSchema = listOf(
  z.object({
    name,
    /** Measured quantity: `time`, `memory` and so on. */
    metric: name,
    unit,
    better: z.enum(['lower', 'higher', 'unknown']),
    /** One value per measurement. */
    values: listOf(z.number()),
  }),
).superRefine((figures, context) => {
  const message = excessInFigures(figures);
  if (message !== undefined) {
    context.addIssue({ code: 'custom', message });
  }
});

/** Results of benchmark tools. A run includes them without a verdict. */
export const microBenchmarksSchema = listOf(
  z.object({
    /** Name of the source file. */
    file: name,
    tool: name,
    figures: figuresSchema,
    /** Failed and unreadable results, each with the reason. */
    failures: listOf(z.object({ name, why: name })).optional(),
    leftOut: listOf(z.object({ name, why: name })).optional(),
  }),
);

export function excessInFigures(figures: readonly { readonly metric: string }[]): string | undefined {
  const metrics = new Set(figures.map(({ metric }) => metric)).size;
  if (figures.length > MAX_FIGURES) {
    return `has ${figures.length} figures; the limit is ${MAX_FIGURES}`;
  }
  return metrics > MAX_METRICS ? `has ${metrics} different metrics; the limit is ${MAX_METRICS}` : undefined;
}

export type MicroBenchmarks = z.infer<typeof microBenchmarksSchema>[number];
