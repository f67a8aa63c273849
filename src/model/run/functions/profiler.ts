import * as z from 'zod';
import { nameSchema as name } from '../../../foundation/names.ts';
import { listOf } from '../../../foundation/schema.ts';
import { executedCallsSchema, executedFunctionSchema, MOST_FUNCTIONS } from './executed.ts';

const PROFILER_NAMES = ['py-spy', 'Node.js', 'perf', 'pprof'] as const;

export type ProfilerName = (typeof PROFILER_NAMES)[number];

/** Where a program gives a profile of its own CPU time, in the format of pprof, over HTTP. */
export interface ProfilePage {
  /** `host:port` on this machine; undefined: that of the service. */
  readonly address?: string | undefined;
  readonly path: string;
}

const text = z.string().max(2000);

const sampled = z.object({
  service: name,
  side: z.enum(['base', 'head']),
  profiler: z.enum(PROFILER_NAMES),
  version: z.string().max(100),
  /** How many stacks of calls it saw. */
  stacks: z.number().int().nonnegative(),
  /** For the CPU time of the service, what the programs took that it saw. */
  share: z.number().min(0).max(1),
  /** In how many of the stacks a function was the innermost one (`self`), and in how many it was at all; the highest `self` first. */
  functions: listOf(executedFunctionSchema).refine(({ length }) => length <= MOST_FUNCTIONS, {
    message: `more than ${MOST_FUNCTIONS} functions`,
  }),
  /** The same by who called whom. */
  calls: executedCallsSchema,
});

/** Record in `run.json` of the functions that took the CPU time of services, as profilers saw it in rounds that judge nothing. */
export const profilerSchema = z.object({
  /** For services that took more CPU time, of both versions. */
  sampled: listOf(sampled),
  /** Services without a profile, and why. */
  missing: listOf(z.object({ service: name, message: text, next: text.optional() })),
});

export type ProfilerRecord = z.infer<typeof profilerSchema>;

export type SampledProfile = ProfilerRecord['sampled'][number];

export function unitedProfilers(records: readonly (ProfilerRecord | undefined)[]): ProfilerRecord | undefined {
  const all = records.filter((record) => record !== undefined);
  return all.length === 0
    ? undefined
    : { sampled: all.flatMap(({ sampled: own }) => own), missing: all.flatMap(({ missing }) => missing) };
}
