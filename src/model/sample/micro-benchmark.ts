import { z } from 'zod';
import { listOf } from '../../foundation/index.ts';

const name = z.string().min(1).max(300);

/** The most figures that a run takes from micro-benchmarks. */
export const MOST_MICRO_FIGURES = 1000;

/** What a benchmark tool printed of functions alone, taken along by a run and judged by nothing. */
export const microBenchmarksSchema = listOf(
  z.object({
    /** The name of the file that it came from. */
    file: name,
    tool: name,
    figures: listOf(
      z.object({
        name,
        /** What of it: `time`, `memory` and so on. */
        metric: name,
        unit: name,
        better: z.enum(['lower', 'higher']),
        /** A value for each time that it was measured. */
        values: listOf(z.number()),
      }),
    ),
  }),
);

/** The micro-benchmarks of one file. */
export type MicroBenchmarks = z.infer<typeof microBenchmarksSchema>[number];

/** One figure of a micro-benchmark. */
export type MicroFigure = MicroBenchmarks['figures'][number];
