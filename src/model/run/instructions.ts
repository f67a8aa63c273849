import { z } from 'zod';
import { listOf, nameSchema as name } from '../../foundation/index.ts';
import { failureSchema } from './rounds.ts';

const count = z.number().int().nonnegative();

/** The windows of one operation in one start, in the order in which they were played. */
const counted = z
  .object({
    operation: name,
    /** Of each window, always the same ones. */
    requests: count.positive(),
    /** Executed outside of the kernel by all processes of the service, in each window. */
    instructions: listOf(count),
    /** Made by them in each window. */
    syscalls: listOf(count),
    /** Since the window before was read. Earlier versions did not note it. */
    seconds: listOf(z.number().nonnegative()).optional(),
  })
  .refine(({ instructions, syscalls }) => instructions.length === syscalls.length, {
    message: 'the windows of an operation are of different lengths',
  });

/** A function that a service executed. */
export const executedFunctionSchema = z.object({
  name: z.string().min(1).max(200),
  /** The file that it comes from, without its folder. */
  object: z.string().max(100),
  /** Instructions of its own, */
  self: count,
  /** and with those of what it called, but for calls that led back to it. */
  inclusive: count,
});

/** What a function of a service executed. */
export type ExecutedFunction = z.infer<typeof executedFunctionSchema>;

/** Functions of a start that are kept at most: those that executed most, with what they called. */
export const MOST_FUNCTIONS = 100;

const start = z.object({
  service: name,
  side: z.enum(['base', 'head']),
  /** Counts the starts of a service and side, from 1. */
  start: count.positive(),
  /** The first window that counts, from 0: those before it warmed the service up. Absent where no windows agreed; then the last ones count. */
  warmFrom: count.optional(),
  operations: listOf(counted),
  /** Executed without a request, after the last window. Earlier versions did not count it. */
  idle: z.object({ seconds: z.number().nonnegative(), instructions: count, syscalls: count }).optional(),
  /** What functions executed for a request, the most first. Absent if they were not told. */
  functions: listOf(executedFunctionSchema)
    .refine(({ length }) => length <= MOST_FUNCTIONS, { message: `more than ${MOST_FUNCTIONS} functions` })
    .optional(),
});

/** What `run.json` says of the instructions that services execute for a request. */
export const instructionsSchema = z.object({
  /** What counted, and for which processor: only counts of the same can be compared. */
  counter: z.object({ name: z.enum(['valgrind']), version: z.string().max(100), architecture: z.string().max(100) }),
  starts: listOf(start),
  /** Of versions that could not be counted. */
  failures: listOf(failureSchema.extend({ service: name, side: z.enum(['base', 'head']) })),
});

/** The instructions that services executed for requests, window by window. */
export type InstructionsRecord = z.infer<typeof instructionsSchema>;

/** One start of a service under the counter. */
export type CountedStart = InstructionsRecord['starts'][number];

/** Windows of a start that count, after those that warm the service up. */
export const WINDOWS_COUNTED = 3;

/** The windows of an operation that count, without what the service would have executed in their time without a request. */
export function countedWindows(
  { warmFrom, idle }: Pick<CountedStart, 'warmFrom' | 'idle'>,
  { instructions, syscalls, seconds = [] }: Omit<CountedStart['operations'][number], 'operation' | 'requests'>,
) {
  const from = warmFrom ?? Math.max(0, instructions.length - WINDOWS_COUNTED);
  const perSecond = (counted = 0) => (idle === undefined || idle.seconds === 0 ? 0 : counted / idle.seconds);
  const busy = (counts: readonly number[], idlePerSecond: number) =>
    counts.map((one, window) => one - idlePerSecond * (seconds[window] ?? 0)).slice(from, from + WINDOWS_COUNTED);
  return {
    instructions: busy(instructions, perSecond(idle?.instructions)),
    syscalls: busy(syscalls, perSecond(idle?.syscalls)),
  };
}
