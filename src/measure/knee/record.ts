import * as z from 'zod';
import { nameSchema as name } from '../../foundation/names.ts';
import { listOf, recordIn } from '../../foundation/schema.ts';
import { count, text } from '../../model/fields.ts';
import { runnerSchema } from '../../model/runner.ts';
import { PROTOCOL_NAMES, RUNTIMES } from '../../model/service.ts';
import { groupsSchema } from '../../model/suite/groups.ts';
import { networkSchema } from '../../model/suite/network.ts';
import { criteriaSchema, type Step, stepSchema } from './criteria.ts';
import { AGREEING, betweenRate, isToolsOnly, type RateLevel, rateLevels, type Search } from './next-step.ts';

const endSchema = z.object({
  offeredRps: z.number(),
  achievedRps: z.number(),
  errorRate: z.number(),
  /** Highest p99 of a sustained rate, lowest of another. */
  latencyP99Ms: z.number().optional(),
  reasons: stepSchema.shape.reasons,
  ended: text.optional(),
  steps: count,
});

export type GapEnd = Readonly<z.infer<typeof endSchema>>;

/**
 * Result of a search. `found`: the knee is between two rates. `at-least`: every rate was sustained up to the end or up to the limit of the load tool.
 * `none`: no rate was sustained. `inconclusive`: steps at one rate contradict each other, or the search ended before they could. `unmeasured`: no
 * rate was tried.
 */
const conclusionSchema = z.object({
  kind: z.enum(['found', 'at-least', 'none', 'inconclusive', 'unmeasured']),
  /** Highest rate that all of its steps sustained, */
  held: endSchema.optional(),
  /** and the lowest above it that none of them did. */
  notHeld: endSchema.optional(),
  /** Rates between them whose steps contradict each other. */
  contested: listOf(z.object({ offeredRps: z.number(), held: count, steps: count })),
});

export type Conclusion = Readonly<z.infer<typeof conclusionSchema>>;

export function concluded(search: Pick<Search, 'criteria' | 'playable'>, steps: readonly Step[]): Conclusion {
  const levels = rateLevels(steps);
  const held = levels.findLast(({ failed }) => failed === 0);
  const above = levels.filter(({ rate }) => held === undefined || rate > held.rate);
  const failed = above.find((level) => level.held === 0);
  const torn = above.filter(({ rate, held: some }) => some > 0 && (failed === undefined || rate < failed.rate));
  const ends = {
    ...(held !== undefined && { held: endOf(held) }),
    ...(failed !== undefined && { notHeld: endOf(failed) }),
    contested: torn.map(({ steps: own, held: some }) => ({ offeredRps: offered(own), held: some, steps: own.length })),
  };
  return { kind: levels.length === 0 ? 'unmeasured' : kindOf(search, held, failed, torn.length > 0), ...ends };
}

function kindOf(
  search: Pick<Search, 'criteria' | 'playable'>,
  held: RateLevel | undefined,
  failed: RateLevel | undefined,
  isTorn: boolean,
): Conclusion['kind'] {
  if (isTorn) {
    return 'inconclusive';
  }
  if (held === undefined) {
    return failed !== undefined && failed.failed >= AGREEING && !isToolsOnly(failed) ? 'none' : 'inconclusive';
  }
  if (failed === undefined || isToolsOnly(failed)) {
    return 'at-least';
  }
  const isNear = betweenRate(search, { held, failed }) === undefined;
  return isNear && held.held >= AGREEING && failed.failed >= AGREEING ? 'found' : 'inconclusive';
}

function endOf({ steps, failed }: RateLevel): GapEnd {
  const p99 = steps.flatMap(({ latencyP99Ms }) => latencyP99Ms ?? []);
  const rates = steps.map(({ achievedRps }) => achievedRps);
  const ended = steps.find((step) => step.ended !== undefined)?.ended;
  // If no step shows anything about the service, the load tool's limit is all that is known.
  const own = steps.filter(({ verdict }) => verdict === 'not-held');
  return {
    offeredRps: offered(steps),
    achievedRps: failed > 0 ? Math.max(...rates) : Math.min(...rates),
    errorRate: Math.max(...steps.map(({ errorRate }) => errorRate)),
    ...(p99.length > 0 && { latencyP99Ms: failed > 0 ? Math.min(...p99) : Math.max(...p99) }),
    reasons: [...new Set((own.length > 0 ? own : steps).flatMap(({ reasons }) => reasons))],
    ...(ended !== undefined && { ended }),
    steps: steps.length,
  };
}

function offered(steps: readonly Step[]): number {
  return steps[0]?.offeredRps ?? 0;
}

/** File that a search writes to its output folder, again after every step. */
export const KNEE_FILE = 'saturate.json';

/** Version of the layout of `saturate.json`; a file of another version is refused. */
export const SATURATE_SCHEMA = 1;

const operation = z.object({ name, share: z.number() });

const serviceSchema = z.object({
  name,
  title: text,
  protocol: z.enum(PROTOCOL_NAMES),
  environment: z.record(z.string(), text),
  /** Loads in order of time. */
  steps: listOf(stepSchema),
  /** Highest p99 at which a rate counted as sustained. */
  p99LimitMs: z.number().positive().optional(),
  /** Reason that the search ended: `done` if it was complete. */
  ended: z.enum(['done', 'steps', 'budget', 'interrupted', 'failed']),
  failure: z.object({ message: text, next: text.optional() }).optional(),
  conclusion: conclusionSchema,
});

export type ServiceKnee = Readonly<z.infer<typeof serviceSchema>>;

const recordSchema = z.object({
  /** Distinguishes it from a run.json; the first key of the file. */
  kind: z.literal('saturate'),
  schema: z.literal(SATURATE_SCHEMA),
  wiregauge: text,
  startedAt: z.iso.datetime(),
  commit: z.object({ head: text.optional(), dirty: z.boolean() }),
  configHash: text,
  runner: runnerSchema,
  runtime: z.object({ name: z.enum(RUNTIMES), reason: text }),
  limits: z.object({ cpus: z.number(), memoryMiB: z.number() }),
  tools: z.record(name, text),
  suite: z.object({
    name,
    title: text,
    operations: listOf(operation),
    groups: groupsSchema(operation),
    /** Emulated network between the load and the services. */
    network: networkSchema.optional(),
  }),
  criteria: criteriaSchema,
  step: z.object({ warmupSeconds: z.number(), measureSeconds: z.number() }),
  budgetSeconds: z.number(),
  /** False if it ended before every service was searched. */
  complete: z.boolean(),
  services: listOf(serviceSchema),
});

/** Result of a search for the knees of services, and its machine: `saturate.json`. */
export type KneeRecord = Readonly<z.infer<typeof recordSchema>>;

export function formatKnees({ kind, ...record }: KneeRecord): string {
  return `${JSON.stringify({ kind, ...record }, undefined, 1)}\n`;
}

export function isKneeRecord(content: string): boolean {
  return /^\s*\{\s*"kind":\s*"saturate"/.test(content);
}

/** Record in the text of a `saturate.json`; throws ConfigError with the file and the place in it for any other text. */
export function parseKnees(content: string, file: string): KneeRecord {
  return recordIn(content, file, {
    schema: recordSchema,
    version: SATURATE_SCHEMA,
    next: {
      notJson: 'Pass the saturate.json that `wiregauge saturate` wrote to its output folder.',
      otherVersion: 'Measure again with this version, or read the file with the version that wrote it.',
      malformed: 'The file was changed or damaged after it was written; measure again.',
    },
  });
}

/** 0 as requested, 1 a service sustains less than requested, 2 inconclusive. */
type KneeExit = 0 | 1 | 2;

/** 0 if every knee was found or every service sustains the rate, 1 if one does not, 2 if inconclusive. */
export function exitCodeOfKnees({ services, complete }: KneeRecord, leastRps: number | undefined): KneeExit {
  const codes = services.map(({ conclusion: { kind, held } }): KneeExit => {
    if (leastRps === undefined) {
      return kind === 'found' ? 0 : 2;
    }
    const isLess = kind === 'found' || kind === 'none' ? 1 : 2;
    return held !== undefined && held.offeredRps >= leastRps ? 0 : isLess;
  });
  if (codes.includes(1)) {
    return 1;
  }
  return codes.includes(2) || codes.length === 0 || (!complete && leastRps === undefined) ? 2 : 0;
}
