import * as z from 'zod';
import { nameSchema as name } from '../../foundation/names.ts';
import { listOf } from '../../foundation/schema.ts';
import { count, side, text } from '../fields.ts';
import { byMember } from '../sample/own-figures.ts';
import { executedCallsSchema, executedFunctionsSchema } from './functions.ts';
import { failureSchema } from './rounds.ts';

/** Windows of one operation in one start, in order of time. */
const counted = z
  .object({
    operation: name,
    /** Requests in each window, the same ones every time. */
    requests: count.positive(),
    /** Instructions executed outside the kernel by all processes of the service, in each window. */
    instructions: listOf(count),
    /** System calls in each window. */
    syscalls: listOf(count),
    /** Calls of functions that allocate memory, in each window. Earlier versions did not count them. */
    allocations: listOf(count).optional(),
    members: byMember(z.object({ instructions: listOf(count), syscalls: listOf(count) })).optional(),
    /** Seconds since the previous window was read. Earlier versions did not record them. */
    seconds: listOf(z.number().nonnegative()).optional(),
  })
  .refine(
    ({ instructions, syscalls, allocations = instructions, members = {} }) =>
      [syscalls, allocations, ...Object.values(members).flatMap((own) => [own.instructions, own.syscalls])].every(
        ({ length }) => length === instructions.length,
      ),
    { message: 'the windows of an operation are of different lengths' },
  );

const start = z.object({
  service: name,
  side,
  /** Number of the start of a service and side, from 1. */
  start: count.positive(),
  /** First window that may count, from 0: those before it warmed the service up. Absent if no windows agreed; then the last ones may count. */
  warmFrom: count.optional(),
  /** Number of long warm-ups with thousands of uncounted requests, because its counts fell. Absent: 0. */
  longWarmUps: count.optional(),
  operations: listOf(counted),
  /** Instructions executed without a request, after the last window. Earlier versions did not count them. */
  idle: z
    .object({
      seconds: z.number().nonnegative(),
      instructions: count,
      syscalls: count,
      allocations: count.optional(),
      members: byMember(z.object({ instructions: count, syscalls: count })).optional(),
    })
    .optional(),
});

const profile = z.object({
  service: name,
  side,
  functions: executedFunctionsSchema,
  /** The same by caller. Earlier versions did not record them. */
  calls: executedCallsSchema.optional(),
});

const short = z.string().max(300);

/** Everything that a count of instructions depends on in addition to the code. Counts are comparable if all of it is equal. */
export const fingerprintSchema = z.object({
  /** Counter with its version, and the processor architecture: "valgrind 3.19.0 x64". */
  counter: short,
  /** Version of Wiregauge, which selects and sends the requests. */
  wiregauge: short,
  runtime: short,
  /** For a plain process: the system with its libraries and interpreters, "debian 12"; a container contains its own. */
  system: short.optional(),
  /** The same for a GitHub runner: the version of its image. */
  runnerImage: short.optional(),
  /** Hash of the environment variables of the service and its needs, before secrets are filled in. */
  environment: short,
  /** Hash of commands, images and limits. */
  command: short,
  /** Hash of the operations, with their shares and everything that they send. */
  requests: short,
});

export const instructionsSchema = z.object({
  /** Counter and processor architecture: only counts with equal ones are comparable. */
  counter: z.object({ name: z.enum(['valgrind']), version: z.string().max(100), architecture: z.string().max(100) }),
  /** Fingerprint of each service of the head. Earlier versions did not record them. */
  fingerprints: z.record(name, fingerprintSchema).optional(),
  /** True if allocations are counted, too. Earlier versions did not. */
  hasAllocations: z.boolean().optional(),
  starts: listOf(start),
  /** Services whose base was not started because its counts were stored; `starts` contains these. */
  stored: listOf(z.object({ service: name, commit: z.string().max(100), source: text })).optional(),
  /** Profiles of services whose instructions regressed. */
  profiles: listOf(profile).optional(),
  failures: listOf(failureSchema.extend({ service: name, side })),
});

export type InstructionsRecord = z.infer<typeof instructionsSchema>;

/** Runtimes that compile a program while it runs. */
const MANAGED_RUNTIMES = ['a JVM', '.NET'] as const;

export type ManagedRuntime = (typeof MANAGED_RUNTIMES)[number];

/** Reason that a service on a managed runtime is counted only without rounds. */
export function tooSlowToCount(runtime: ManagedRuntime): string {
  return `it runs on ${runtime}, which starts too slowly under Valgrind`;
}

/** True for the failure of a service that was not counted because it runs on one of these runtimes. */
export function isTooSlowToCount(
  { brief }: Pick<InstructionsRecord['failures'][number], 'brief'>,
  runtimes: readonly ManagedRuntime[] = MANAGED_RUNTIMES,
): boolean {
  return runtimes.some((runtime) => brief === tooSlowToCount(runtime));
}

export type CountedStart = InstructionsRecord['starts'][number];

export const WINDOWS = 5;

/** All except the window in which an operation executed most: a full garbage collection falls into few windows. */
export const WINDOWS_COUNTED = WINDOWS - 1;

/** Members of a service that were counted in a start; empty for a service of one program. */
export function membersOfStart({ operations }: Pick<CountedStart, 'operations'>): readonly string[] {
  const [first, ...others] = operations.map(({ members = {} }) => Object.keys(members));
  return (first ?? []).filter((member) => others.every((names) => names.includes(member)));
}

export function startOfMember(start: CountedStart, member: string): CountedStart {
  const { idle } = start;
  return {
    ...start,
    operations: start.operations.map(({ allocations: _allocations, ...one }) => ({
      ...one,
      ...(one.members?.[member] ?? NO_WINDOWS),
    })),
    ...(idle !== undefined && { idle: { ...idle, ...(idle.members?.[member] ?? NOTHING) } }),
  };
}

// Allocations of a member are not known.
const NO_WINDOWS = { instructions: [], syscalls: [] };

const NOTHING = { instructions: 0, syscalls: 0 };

type OperationWindows = Omit<CountedStart['operations'][number], 'operation' | 'requests'>;

/** First window of a start that may count, from 0; if no windows agreed, the first of the last ones. */
export function firstCounted(
  { warmFrom }: Pick<CountedStart, 'warmFrom'>,
  { instructions }: Pick<OperationWindows, 'instructions'>,
): number {
  return warmFrom ?? Math.max(0, instructions.length - WINDOWS);
}

/** Windows of an operation from `from` on, minus what the service would have executed in that time without a request. */
export function warmWindows(
  { idle }: Pick<CountedStart, 'idle'>,
  { instructions, syscalls, allocations = [], seconds = [] }: OperationWindows,
  from: number,
) {
  const perSecond = (counted = 0) => (idle === undefined || idle.seconds === 0 ? 0 : counted / idle.seconds);
  const busy = (counts: readonly number[], idlePerSecond: number) =>
    counts.map((one, window) => one - idlePerSecond * (seconds[window] ?? 0)).slice(from, from + WINDOWS);
  return {
    instructions: busy(instructions, perSecond(idle?.instructions)),
    syscalls: busy(syscalls, perSecond(idle?.syscalls)),
    allocations: busy(allocations, perSecond(idle?.allocations)),
  };
}

/** Windows of an operation that count: of those that may, all but the highest. Earlier versions had fewer windows: all count. */
export function countedWindows(start: Pick<CountedStart, 'warmFrom' | 'idle'>, operation: OperationWindows) {
  const { instructions, syscalls, allocations } = warmWindows(start, operation, firstCounted(start, operation));
  return {
    instructions: withoutHighest(instructions),
    syscalls: withoutHighest(syscalls),
    allocations: withoutHighest(allocations),
  };
}

function withoutHighest(windows: readonly number[]): readonly number[] {
  const highest = highestWindow(windows);
  return windows.filter((_, window) => window !== highest);
}

/** Window with the highest count, from 0; undefined if there are so few that all count. */
export function highestWindow(windows: readonly number[]): number | undefined {
  return windows.length < WINDOWS ? undefined : windows.indexOf(Math.max(...windows));
}

/** Counts of several jobs or runs; services with a counter other than the first are recorded as failed. Undefined if nothing was counted. */
export function unitedCounts(records: readonly (InstructionsRecord | undefined)[]): InstructionsRecord | undefined {
  const [first, ...others] = records.filter((record) => record !== undefined);
  if (first === undefined) {
    return undefined;
  }
  const isSame = ({ counter }: InstructionsRecord) => counterText(counter) === counterText(first.counter);
  const same = others.filter(isSame);
  const all = [first, ...same] as const;
  const stored = all.flatMap((record) => record.stored ?? []);
  const profiles = all.flatMap((record) => record.profiles ?? []);
  return {
    counter: first.counter,
    ...(all.some(({ fingerprints }) => fingerprints !== undefined) && {
      fingerprints: Object.assign({}, ...all.map(({ fingerprints }) => fingerprints)),
    }),
    ...(all.some(({ hasAllocations }) => hasAllocations) && { hasAllocations: true }),
    starts: all.flatMap(({ starts }) => starts),
    ...(stored.length > 0 && { stored }),
    ...(profiles.length > 0 && { profiles }),
    failures: [
      ...all.flatMap(({ failures }) => failures),
      ...others.filter((record) => !isSame(record)).flatMap((record) => failuresOfOther(record, all)),
    ],
  };
}

function counterText({ name, version, architecture }: InstructionsRecord['counter']): string {
  return `${name} ${version} ${architecture}`;
}

/** Failures of services that no other job counted. */
function failuresOfOther(
  { counter, starts }: InstructionsRecord,
  all: readonly [InstructionsRecord, ...InstructionsRecord[]],
): InstructionsRecord['failures'] {
  const known = new Set(all.flatMap((record) => record.starts.map(({ service }) => service)));
  const services = new Set(starts.map(({ service }) => service).filter((service) => !known.has(service)));
  const message = `its counts come from a different counter (${counterText(counter)}) than those of other jobs (${counterText(all[0].counter)})`;
  return [...services].map((service) => ({ service, side: 'head', message }));
}

export type Fingerprint = z.infer<typeof fingerprintSchema>;

/** Names of the parts in messages; hashes are not shown. */
const PARTS: readonly { readonly part: keyof Fingerprint; readonly name: string; readonly isHash?: true }[] = [
  { part: 'counter', name: 'the counter' },
  { part: 'wiregauge', name: 'the version of Wiregauge' },
  { part: 'runtime', name: 'the runtime' },
  { part: 'system', name: 'the operating system' },
  { part: 'runnerImage', name: 'the image of the runner' },
  { part: 'environment', name: 'the environment of the service', isHash: true },
  { part: 'command', name: 'how the service is started', isHash: true },
  { part: 'requests', name: 'the requests', isHash: true },
];

/** Difference of two fingerprints: "the counter (valgrind 3.22.0 x64, here 3.19.0 x64)". Empty if counts of both can be compared. */
export function fingerprintDifferences(stored: Fingerprint, here: Fingerprint): readonly string[] {
  return PARTS.filter(({ part }) => stored[part] !== here[part]).map(({ part, name, isHash }) =>
    isHash ? name : `${name} (${stored[part] ?? 'none'}, here ${here[part] ?? 'none'})`,
  );
}

/** Conditions outside the repository that shift counts: counts of one level share them. */
export function counterLevel({ counter, wiregauge, runtime, system }: Fingerprint): string {
  return JSON.stringify([counter, wiregauge, runtime, system ?? null]);
}
