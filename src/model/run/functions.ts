import * as z from 'zod';
import { nameSchema as name } from '../../foundation/names.ts';
import { listOf } from '../../foundation/schema.ts';
import { count, side, text } from '../fields.ts';

export const executedFunctionSchema = z.object({
  name: z.string().min(1).max(200),
  /** File that it comes from, without its folder. */
  object: z.string().max(100),
  /** Instructions of the function itself, */
  self: count,
  /** and including its callees. */
  inclusive: count,
});

export type ExecutedFunction = z.infer<typeof executedFunctionSchema>;

/** Maximum number of functions in a profile: those that executed most, including callees. */
export const MAX_FUNCTIONS = 100;

export const executedFunctionsSchema = listOf(executedFunctionSchema).refine(
  ({ length }) => length <= MAX_FUNCTIONS,
  `more than ${MAX_FUNCTIONS} functions`,
);

const executedCallSchema = executedFunctionSchema.omit({ self: true }).extend({
  /** Index of its caller in the list, before it; −1 if unknown. */
  parent: z.int().min(-1),
});

export type ExecutedCall = z.infer<typeof executedCallSchema>;

export const MAX_CALLS = 300;

export const executedCallsSchema = listOf(executedCallSchema)
  .refine(({ length }) => length <= MAX_CALLS, { message: `more than ${MAX_CALLS} calls` })
  .refine((calls) => calls.every(({ parent }, place) => parent < place), { message: 'a call before its caller' });

/** Functions of several lists as one, added up. */
export function unitedFunctions(
  lists: readonly { readonly weight: number; readonly functions: readonly ExecutedFunction[] }[],
): readonly ExecutedFunction[] {
  const sums = new Map<string, ExecutedFunction>();
  for (const { weight, functions } of lists) {
    for (const { name: own, object, self, inclusive } of functions) {
      const key = JSON.stringify([own, object]);
      const before = sums.get(key) ?? { self: 0, inclusive: 0 };
      const added = { self: before.self + weight * self, inclusive: before.inclusive + weight * inclusive };
      sums.set(key, { name: own, object, ...added });
    }
  }
  return [...sums.values()];
}

interface WeighedCalls {
  readonly weight: number;
  readonly calls: readonly ExecutedCall[];
  /** Heading of all of them, if any. */
  readonly below?: string;
}

/** Calls of several lists as one, added up. The largest are kept, each after its caller. */
export function unitedCalls(lists: readonly WeighedCalls[]): readonly ExecutedCall[] {
  const united: ExecutedCall[] = [];
  const places = new Map<string, number>();
  const add = (one: ExecutedCall): number => {
    const key = JSON.stringify([one.parent, one.name, one.object]);
    const place = places.get(key) ?? united.length;
    places.set(key, place);
    united[place] = { ...one, inclusive: one.inclusive + (united[place]?.inclusive ?? 0) };
    return place;
  };
  for (const { weight, calls, below } of lists) {
    const whole = calls.reduce((sum, { parent, inclusive }) => sum + (parent < 0 ? inclusive : 0), 0);
    const top = below === undefined ? -1 : add({ name: below, object: '', inclusive: weight * whole, parent: -1 });
    const own: number[] = [];
    for (const call of calls) {
      own.push(add({ ...call, inclusive: weight * call.inclusive, parent: own[call.parent] ?? top }));
    }
  }
  return mostOf(united);
}

/** A call executes no more than its caller, which comes first if they execute the same. */
function mostOf(calls: readonly ExecutedCall[]): readonly ExecutedCall[] {
  const order = [...calls.entries()]
    .filter(([, { inclusive }]) => Math.round(inclusive) > 0)
    .sort(([, left], [, right]) => right.inclusive - left.inclusive)
    .slice(0, MAX_CALLS);
  const places = new Map(order.map(([before], place) => [before, place]));
  return order.map(([, call]) => ({
    ...call,
    inclusive: Math.round(call.inclusive),
    parent: places.get(call.parent) ?? -1,
  }));
}

const PROFILER_NAMES = ['py-spy', 'Node.js', 'perf', 'pprof'] as const;

export type ProfilerName = (typeof PROFILER_NAMES)[number];

/** Address of a program's CPU profile in pprof format, over HTTP. */
export interface ProfilePage {
  /** `host:port` on this machine; undefined: that of the service. */
  readonly address?: string | undefined;
  readonly path: string;
}

const sampled = z.object({
  service: name,
  side,
  profiler: z.enum(PROFILER_NAMES),
  version: z.string().max(100),
  /** Number of sampled stacks. */
  stacks: count,
  /** Share of the service's CPU time in the programs that it sampled. */
  share: z.number().min(0).max(1),
  /** Number of stacks in which a function was innermost (`self`), and in which it occurred; the highest `self` first. */
  functions: executedFunctionsSchema,
  /** The same by caller. */
  calls: executedCallsSchema,
});

/** Record in `run.json` of the functions that used the CPU time of services, from profilers in rounds that are not judged. */
export const profilerSchema = z.object({
  /** Services that took more CPU time, in both versions. */
  sampled: listOf(sampled),
  missing: listOf(z.object({ service: name, message: text, next: text.optional() })),
});

export type ProfilerRecord = z.infer<typeof profilerSchema>;

export type SampledProfile = ProfilerRecord['sampled'][number];
