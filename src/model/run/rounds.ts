import * as z from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import { isDistinct, nameSchema as name } from '../../foundation/names.ts';
import { listOf } from '../../foundation/schema.ts';
import { count, side, text } from '../fields.ts';
import { policySchema } from '../policy.ts';
import { endedSchema, roundProfileSchema } from '../rounds.ts';
import { runnerSchema } from '../runner.ts';
import { groupsSchema } from '../suite/groups.ts';
import { anchorSchema, storedDriftSchema } from './anchor.ts';
import { calibrationSchema } from './calibration.ts';
import { plantSchema } from './plant.ts';

/** Maximum number of jobs in a GitHub matrix. */
export const MAX_SHARDS = 256;

const MAX_SERVICES = 1000;

const index = z.number().int().min(1).max(MAX_SHARDS);

const split = {
  of: index,
  /** Services of each shard, by its index less 1; so a lost one can be named. */
  services: z.array(z.array(name).min(1).max(MAX_SERVICES).readonly()).max(MAX_SHARDS).readonly(),
};

/** Data of each shard of a merged comparison: its job ran at another time, and maybe on another machine. */
const measured = z.object({
  index,
  startedAt: z.iso.datetime(),
  seed: count,
  runner: runnerSchema,
  spent: z.object({ totalSeconds: z.number(), overheadSeconds: z.number() }),
  ended: endedSchema,
  calibration: calibrationSchema.optional(),
});

const layouts = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('shard'), ...split, index }),
  z.object({ kind: z.literal('merged'), ...split, measured: z.array(measured).min(1).max(MAX_SHARDS).readonly() }),
]);

/** Record in `run.json` of a comparison that several jobs share: the file of one shard, or all of them merged. */
export const shardsSchema = layouts
  .refine(({ of, services }) => services.length === of, { message: 'there must be services of every shard' })
  .refine(({ services }) => isAscending(services.flat().sort()), { message: 'a service is in two shards' })
  .refine((shards) => indexesOf(shards).every((one) => one <= shards.of), { message: 'an index is beyond the last' })
  .refine((shards) => isAscending(indexesOf(shards)), {
    message: 'the shards are out of order, or one appears twice',
  });

export type ShardsRecord = z.infer<typeof layouts>;

export type MeasuredShard = z.infer<typeof measured>;

function isAscending<Item extends string | number>(items: readonly Item[]): boolean {
  return items.every((item, place) => place === 0 || item > (items[place - 1] ?? item));
}

function indexesOf(shards: ShardsRecord): readonly number[] {
  return shards.kind === 'shard' ? [shards.index] : shards.measured.map((one) => one.index);
}

export interface ShardName {
  readonly index: number;
  readonly of: number;
}

export function shardText({ index: which, of }: ShardName): string {
  return `${which}/${of}`;
}

/** Services of each shard, assigned in turns. Throws ConfigError if a shard would have none. */
export function servicesByShard(services: readonly string[], of: number): readonly (readonly string[])[] {
  if (of > services.length) {
    throw new ConfigError(`${of} shards are more than the ${services.length} services: ${services.join(', ')}`, {
      code: 'WG-101',
      next: `Use at most ${services.length} shards; each measures at least one service.`,
    });
  }
  return Array.from({ length: of }, (_, shard) => services.filter((_service, place) => place % of === shard));
}

export function servicesInOrder({ services }: Pick<ShardsRecord, 'services'>): readonly string[] {
  const longest = Math.max(0, ...services.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) => services.flatMap((own) => own[place] ?? [])).flat();
}

export interface LostShard extends ShardName {
  readonly services: readonly string[];
}

/** Shards that a merged comparison lacks; a single shard does not need the others. */
export function lostShards(shards: ShardsRecord | undefined): readonly LostShard[] {
  if (shards?.kind !== 'merged') {
    return [];
  }
  const there = new Set(indexesOf(shards));
  return shards.services.flatMap((services, place) =>
    there.has(place + 1) ? [] : [{ index: place + 1, of: shards.of, services }],
  );
}

const layer = z.object({ command: z.string().max(500), bytes: z.number().nonnegative() });

/** Sizes of services: of the image with its layers, or of the binary. */
export const sizesSchema = z.record(name, z.object({ bytes: z.number().nonnegative(), layers: listOf(layer) }));

const version = z.object({
  /** Requested ref: a branch, a tag, a commit, or "working tree". */
  ref: text,
  commit: text.optional(),
  dirty: z.boolean(),
  subject: text.optional(),
  configHash: text,
  services: listOf(name),
  /** Size of each service's build: its image with layers, or its binary. Earlier versions did not record it. */
  sizes: sizesSchema.optional(),
  operations: listOf(name),
  /** Operations of each service, if they differ. */
  groups: groupsSchema(name),
  /** Only for a base that was measured with the configuration of the head: it has no configuration, or one without these services. */
  adopted: z.enum(['no-configuration', 'other-configuration']).optional(),
});

export const failureSchema = z.object({
  message: text,
  /** Code in docs/errors.md; this version need not know one of a later version. */
  code: z
    .string()
    .regex(/^WG-\d{3}$/)
    .optional(),
  /** Message without the printed output, if it contains that. */
  brief: text.optional(),
  /** Lines that show the cause, at most 20: those with a panic or an exception first, then the last ones. */
  printed: z.string().max(8000).optional(),
  next: text.optional(),
});

export type FailureRecord = z.infer<typeof failureSchema>;

const seconds = z.number().nonnegative();

/** Wall time of an attempt in seconds, and its parts. */
const roundSeconds = z.object({
  total: seconds,
  /** Windows in which requests count, for both versions. */
  measured: seconds,
  /** Starts of blocks at a tier, which count for CPU time only. */
  dropped: seconds,
  /** Waits for the last responses after the ends of blocks, which count for CPU time only. */
  drain: seconds,
  /** Readings of the counters before and after each block. */
  counters: seconds,
  /** Rest of the blocks: control of the load tool. */
  turns: seconds,
  /** Fixed CPU loop. */
  control: seconds,
  /** Until both versions run. */
  start: seconds,
  /** From then until both respond. */
  ready: seconds,
  /** From then until the responses of both are verified. */
  verify: seconds,
  warmUp: seconds,
  /** Requests that check whether responses grow. */
  growth: seconds,
  /** Reading the records of the load tool. */
  records: seconds,
  stop: seconds,
  other: seconds,
});

export type RoundSeconds = z.infer<typeof roundSeconds>;

const round = z.object({
  service: name,
  /** Number of the attempt for a service, from 1, including discarded and failed ones; samples carry it. */
  round: count,
  startedAt: z.iso.datetime(),
  /** Version that was started first and had the first block of each load. */
  first: side,
  /** Versions that started on all cores, since they started slowly, and were pinned to the measured ones when they were ready. */
  onAllCores: listOf(side).optional(),
  /** Compiler of programs on a JVM, if that used C1 alone. */
  compiler: z.literal('C1').optional(),
  /** Versions that were still getting faster at the end of the warm-up before saturation. */
  cold: listOf(side).optional(),
  /** Loads in the order in which they ran: "saturation" and names of tiers. */
  loads: listOf(name),
  /** Wall time of the fixed CPU loop with both versions idle, before the first and after the last block. */
  controlMs: z.object({ before: z.number().positive(), after: z.number().positive() }).optional(),
  /** Difference of the machine between the two versions' shares of the round: |x_first - x_second|. */
  contamination: z.number().nonnegative().optional(),
  outcome: z.enum(['kept', 'discarded', 'failed']),
  /** Absent in files of earlier versions, and for a failed attempt. */
  seconds: roundSeconds.optional(),
  /** Planned time; absent in files of earlier versions. */
  plannedSeconds: seconds.optional(),
  failure: failureSchema.extend({ side: side.optional() }).optional(),
});

export const MAX_CHANGED_ANSWERS = 200;

/** Comparison of the two versions' responses. Only the place of a difference is recorded, since the responses may be secret. */
const answers = z.object({
  /** Requests whose responses were compared, for all services. */
  requests: count,
  changed: z
    .array(
      z.object({
        service: name,
        operation: name,
        /** Arguments of the first request with a changed response, as JSON. */
        arguments: z.string().max(300),
        /** Path of the first difference: `$.users[0].extra`. */
        path: z.string().max(300),
        /** Requests with other arguments, and those with changed responses. */
        requests: count,
        changedRequests: count,
      }),
    )
    .max(MAX_CHANGED_ANSWERS)
    .readonly(),
});

const policyChange = z.object({
  metric: name.optional(),
  /** Name of the rule, or place of a threshold: "at saturation", "inconclusive", "budget of shop". */
  what: text,
  from: text,
  to: text,
});

export const rulesSchema = z.object({
  /** File of `--policy`, which overrides the policy of the base. */
  file: text.optional(),
  /** Looser settings of the head, which apply after the merge. */
  pending: listOf(policyChange),
  /** Stricter settings of the head, which already apply. */
  applied: listOf(policyChange),
  /** Changes by the head to the load (that of the base applies), to responses, and to inputs of the workflow. */
  load: listOf(policyChange).optional(),
  /** Head's own policy, only if it loosens something: it judges if a user with write access accepts that. */
  proposed: policySchema.optional(),
  /** User who accepted that, with the time, the way and the changes. */
  accepted: z.object({ by: text, at: text, how: text, changes: listOf(policyChange) }).optional(),
});

export type PolicyChangeRecord = z.infer<typeof policyChange>;

export const roundsSchema = z.object({
  base: version,
  head: version,
  interleave: z.enum(['blocks', 'slots']),
  profile: roundProfileSchema,
  tiers: listOf(name),
  /** Tiers that rounds left out so that the budget sufficed for the first look, and the seconds that it needs with them; their samples are dropped. */
  leftOut: z.object({ tiers: listOf(name), seconds }).optional(),
  budgetSeconds: z.number(),
  /** Earlier calibration of this machine. */
  calibration: calibrationSchema.optional(),
  policy: policySchema,
  /** Source of the policy, if it is not simply the base's. */
  rules: rulesSchema.optional(),
  /** Only for versions that both responded. */
  answers: answers.optional(),
  rounds: listOf(round).refine((all) => isDistinct(all.map((one) => `${one.service} ${one.round}`)), {
    message: 'a service has a round twice',
  }),
  ended: endedSchema,
  /** Only if a version (by default the head) could not be built, so that there are no rounds; by service, since shards build separately. */
  unbuilt: listOf(failureSchema.extend({ services: listOf(name), side: side.optional() })).optional(),
  /** Services left out of base and head because both versions run the same files; absent in files of earlier versions. */
  identical: listOf(
    z.object({
      service: name,
      /** Files that differ, none of which was opened while the service started and answered each operation; absent if the builds are equal. */
      unopened: listOf(z.string().max(1000)).optional(),
    }),
  ).optional(),
  /** Services that ended at a look because their result was clear; the others continued. Absent in files of earlier versions. */
  decided: listOf(name).optional(),
  /** Only for services that are compared with a reference, which is the base in every sample. */
  versus: z
    .object({
      reference: name,
      /** Reference of each service that has its own, by its name. */
      references: z.record(name, name).optional(),
    })
    .optional(),
  shards: shardsSchema.optional(),
  anchor: anchorSchema.optional(),
  /** Only for a build that is compared with itself and a plant. */
  plant: plantSchema.optional(),
  stored: storedDriftSchema.optional(),
  /** Comparison of the head with stored runs in a folder, as a sentence. */
  baseline: text.optional(),
});

export type RoundsRecord = z.infer<typeof roundsSchema>;

export type AnswersRecord = NonNullable<RoundsRecord['answers']>;

export type RoundRecord = z.infer<typeof round>;

/** History data of the shards, once: the drift of the default branch covers the whole suite, and a job that could not read it lacks it. */
export function storedOnce(records: readonly RoundsRecord[]): Pick<RoundsRecord, 'stored'> {
  const able = records.filter(({ stored }) => stored !== undefined);
  return { stored: (able.find(({ stored }) => stored?.anchor !== undefined) ?? able[0])?.stored };
}
