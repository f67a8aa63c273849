import { z } from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import { nameSchema as name } from '../../foundation/name-schema.ts';
import { endedSchema } from '../ended.ts';
import { runnerSchema } from '../runner.ts';
import { calibrationSchema } from './record.ts';

/** A matrix of GitHub has no more jobs. */
export const MOST_SHARDS = 256;

/** More services than any suite has. */
const MOST_SERVICES = 1000;

const index = z.number().int().min(1).max(MOST_SHARDS);

/** How a comparison was split: equal in the files of all its shards. */
const split = {
  of: index,
  /** Of each shard, by its index less 1; so a lost one can be named. */
  services: z.array(z.array(name).min(1).max(MOST_SERVICES).readonly()).max(MOST_SHARDS).readonly(),
};

/** What each shard of a merged comparison has of its own: its job ran at another time, and maybe on another machine. */
const measured = z.object({
  index,
  startedAt: z.iso.datetime(),
  seed: z.number().int().nonnegative(),
  runner: runnerSchema,
  spent: z.object({ totalSeconds: z.number(), overheadSeconds: z.number() }),
  ended: endedSchema,
  calibration: calibrationSchema.optional(),
});

const layouts = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('shard'), ...split, index }),
  z.object({ kind: z.literal('merged'), ...split, measured: z.array(measured).min(1).max(MOST_SHARDS).readonly() }),
]);

/** What `run.json` says of a comparison that several jobs share: the file of one shard, or all of them merged. */
export const shardsSchema = layouts
  .refine(({ of, services }) => services.length === of, { message: 'there must be services of every shard' })
  .refine(({ services }) => isAscending(services.flat().sort()), { message: 'a service is in two shards' })
  .refine((shards) => indexesOf(shards).every((one) => one <= shards.of), { message: 'an index is beyond the last' })
  .refine((shards) => isAscending(indexesOf(shards)), {
    message: 'the shards are out of order, or one is there twice',
  });

export type ShardsRecord = z.infer<typeof layouts>;

/** One shard of a merged comparison. */
export type MeasuredShard = z.infer<typeof measured>;

function isAscending<Item extends string | number>(items: readonly Item[]): boolean {
  return items.every((item, place) => place === 0 || item > (items[place - 1] ?? item));
}

/** The shards that a record speaks for. */
function indexesOf(shards: ShardsRecord): readonly number[] {
  return shards.kind === 'shard' ? [shards.index] : shards.measured.map((one) => one.index);
}

/** A shard by its index, from 1, and how many there are. */
export interface ShardName {
  readonly index: number;
  readonly of: number;
}

/** "2/3" */
export function shardText({ index: which, of }: ShardName): string {
  return `${which}/${of}`;
}

/**
 * The services of each shard: the i-th service, from 0, goes to shard 1 + i mod n. Throws ConfigError where a shard would have none.
 */
export function servicesByShard(services: readonly string[], of: number): readonly (readonly string[])[] {
  if (of > services.length) {
    throw new ConfigError(
      `${of} shards are more than the ${services.length} services that there are: ${services.join(', ')}`,
      { next: `Use at most ${services.length} shards; each measures one service or more.` },
    );
  }
  return Array.from({ length: of }, (_, shard) => services.filter((_service, place) => place % of === shard));
}

/** The services in the order that they were shared out from. */
export function servicesInOrder({ services }: Pick<ShardsRecord, 'services'>): readonly string[] {
  const longest = Math.max(0, ...services.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) => services.flatMap((own) => own[place] ?? [])).flat();
}

/** A shard of which no file came. */
export interface LostShard extends ShardName {
  readonly services: readonly string[];
}

/** The shards that a merged comparison lacks; a single shard does not ask for the others. */
export function lostShards(shards: ShardsRecord | undefined): readonly LostShard[] {
  if (shards?.kind !== 'merged') {
    return [];
  }
  const there = new Set(indexesOf(shards));
  return shards.services.flatMap((services, place) =>
    there.has(place + 1) ? [] : [{ index: place + 1, of: shards.of, services }],
  );
}
