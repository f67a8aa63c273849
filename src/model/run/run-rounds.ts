import { z } from 'zod';
import { listOf } from '../../foundation/list-schema.ts';
import { nameSchema as name } from '../../foundation/name-schema.ts';
import { endedSchema } from '../ended.ts';
import { policySchema } from '../policy.ts';
import { calibrationSchema } from './record.ts';
import { shardsSchema } from './shards.ts';

const count = z.number().int().nonnegative();
const text = z.string().max(2000);
const side = z.enum(['base', 'head']);

const version = z.object({
  /** What was asked for: a branch, a tag, a commit, or "working tree". */
  ref: text,
  commit: text.optional(),
  dirty: z.boolean(),
  subject: text.optional(),
  configHash: text,
  services: listOf(name),
  operations: listOf(name),
});

const round = z.object({
  service: name,
  /** Counts the attempts of a service, from 1, discarded and failed ones included; samples carry it. */
  round: count,
  startedAt: z.iso.datetime(),
  /** The version that was started first and had the first block of each load. */
  first: side,
  /** Every kind of load in the order in which it ran: "saturation" and names of tiers. */
  loads: listOf(name),
  /** Wall time of the fixed CPU loop with both versions idle, before the first and after the last block. */
  controlMs: z.object({ before: z.number().positive(), after: z.number().positive() }).optional(),
  /** How far the machine differed between the two versions' shares of the round: |x_first - x_second|. */
  contamination: z.number().nonnegative().optional(),
  outcome: z.enum(['kept', 'discarded', 'failed']),
  failure: z.object({ side: side.optional(), message: text, next: text.optional() }).optional(),
});

/** What `run.json` says of a comparison of two versions, besides the samples. */
export const roundsSchema = z.object({
  base: version,
  head: version,
  interleave: z.enum(['blocks', 'slots']),
  profile: z.object({
    name,
    saturationSeconds: z.number(),
    tierBlocks: count,
    tierBlockSeconds: z.number(),
    dropSeconds: z.number(),
    tiers: z.enum(['all', 'middle']),
    looks: listOf(z.object({ rounds: count.positive(), spent: z.number().min(0).max(1) })).refine(areLooksAscending, {
      message: 'looks must go on to more rounds and spend no less',
    }),
  }),
  /** Names of the tiers that were loaded. */
  tiers: listOf(name),
  budgetSeconds: z.number(),
  /** What this machine was found to see, where it was calibrated before. */
  calibration: calibrationSchema.optional(),
  policy: policySchema,
  rounds: listOf(round).refine(isDistinct, { message: 'a service has a round twice' }),
  ended: endedSchema,
  /** Only of services that are held against another one, which has the place of the base in every sample. */
  versus: z.object({ reference: name }).optional(),
  /** Only of a comparison that several jobs share. */
  shards: shardsSchema.optional(),
});

function areLooksAscending(looks: readonly { readonly rounds: number; readonly spent: number }[]): boolean {
  return looks.every(({ rounds, spent }, index) => {
    const before = looks[index - 1];
    return before === undefined || (rounds > before.rounds && spent >= before.spent);
  });
}

function isDistinct(rounds: readonly { readonly service: string; readonly round: number }[]): boolean {
  return new Set(rounds.map(({ service, round: number }) => `${service} ${number}`)).size === rounds.length;
}

/** Two versions compared in rounds. */
export type RoundsRecord = z.infer<typeof roundsSchema>;

/** One attempt at a round of one service. */
export type RoundRecord = z.infer<typeof round>;
