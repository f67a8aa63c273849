import * as z from 'zod';
import { nameSchema as name } from '../../foundation/names.ts';
import { listOf } from '../../foundation/schema.ts';
import { count, side, text } from '../fields.ts';

export const executedFunctionSchema = z.object({
  name: z.string().min(1).max(200),
  /** The file that it comes from, without its folder. */
  object: z.string().max(100),
  /** Instructions of its own, */
  self: count,
  /** and with those of what it called. */
  inclusive: count,
});

export type ExecutedFunction = z.infer<typeof executedFunctionSchema>;

/** Functions of a profile that are kept at most: those that executed most, with what they called. */
export const MAX_FUNCTIONS = 100;

const executedCallSchema = executedFunctionSchema.omit({ self: true }).extend({
  /** Place of its caller in the list, before it; −1 if unknown. */
  parent: z.int().min(-1),
});

export type ExecutedCall = z.infer<typeof executedCallSchema>;

export const MAX_CALLS = 300;

export const executedCallsSchema = listOf(executedCallSchema)
  .refine(({ length }) => length <= MAX_CALLS, { message: `more than ${MAX_CALLS} calls` })
  .refine((calls) => calls.every(({ parent }, place) => parent < place), { message: 'a call before its caller' });

/** Functions of several places as one list, added up. */
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

/** Calls of several places as one list, added up. Those that executed most are kept, each after its caller. */
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

/** Where a program gives a profile of its own CPU time, in the format of pprof, over HTTP. */
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
  /** How many stacks of calls it saw. */
  stacks: count,
  /** For the CPU time of the service, what the programs took that it saw. */
  share: z.number().min(0).max(1),
  /** In how many of the stacks a function was the innermost one (`self`), and in how many it was at all; the highest `self` first. */
  functions: listOf(executedFunctionSchema).refine(({ length }) => length <= MAX_FUNCTIONS, {
    message: `more than ${MAX_FUNCTIONS} functions`,
  }),
  /** The same by who called whom. */
  calls: executedCallsSchema,
});

/** Record in `run.json` of the functions that took the CPU time of services, as profilers saw it in rounds that judge nothing. */
export const profilerSchema = z.object({
  /** For services that took more CPU time, of both versions. */
  sampled: listOf(sampled),
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
