import { seedOf } from '../../../foundation/random.ts';
import { SATURATION, type Sample } from '../../../model/metric.ts';
import { operationsAt, paceOf, type SteadyPace } from '../../../model/plan.ts';
import { type BlockTier, blockTurns, type RoundProfile, type Side } from '../../../model/rounds.ts';
import { coreLimitOf } from '../../../model/service.ts';
import { overNetwork } from '../../../model/suite/network.ts';
import type { Operation, Suite } from '../../../model/suite/suite.ts';
import { isClosed } from '../../../model/suite/suite.ts';
import type { PlayedBlock } from '../../samples/block.ts';
import { type BlockSeries, blockSamples } from '../../samples/block.ts';
import { firstStartMs, lastEndMs } from '../../samples/machine.ts';
import { type AnswerLengths, answerLengths, grownOperations } from '../answers/growth.ts';
import type { TrialBench } from '../bench.ts';
import { blaming, NothingSent } from '../blame.ts';
import { blamingMembers } from '../early-exit.ts';
import type { ReadySubject } from '../runner.ts';
import type { WallTime } from '../wall-time.ts';
import { type Loading, preparedLoads, readingOf } from './loads.ts';

/** Fewer would not be mirrored. */
const FEWEST_BLOCKS = 2;

/** What blocks are played with. */
export interface BlockBench extends Pick<TrialBench, 'client' | 'clock' | 'secrets'> {
  /** What is loaded. */
  readonly suite: Suite;
  readonly profile: RoundProfile;
  readonly seed: number;
  readonly wallTime: WallTime;
}

/** Suite and profile, which the loads follow from. */
type Loads = Pick<BlockBench, 'suite' | 'profile'>;

/** One kind of load in one round. */
export interface RoundLoad {
  readonly name: string;
  /** Blocks are too short for users who begin one after the other. */
  readonly pace: SteadyPace;
  /** Of those that all subjects have; undefined: all. */
  readonly operations?: readonly string[] | undefined;
  /** Of each subject. */
  readonly blocks: number;
  readonly blockSeconds: number;
  readonly dropSeconds: number;
}

/** The load at saturation, in blocks of a length. */
export function saturationLoad({ suite, profile }: Loads, blockSeconds: number): RoundLoad {
  const pace: SteadyPace = { mode: 'saturate', workers: suite.saturation.workers, ...overNetwork(suite) };
  return { name: SATURATION, pace, ...blocksOf(profile.saturationSeconds, blockSeconds), dropSeconds: 0 };
}

function blocksOf(seconds: number, blockSeconds: number) {
  return { blocks: Math.max(FEWEST_BLOCKS, Math.round(seconds / blockSeconds)), blockSeconds };
}

/**
 * The load of a tier; of users without think time in blocks of the length that `lengthOf` finds, with no more of them than the
 * suite's closed loop has workers: more would only wait for each other.
 */
export async function tierLoad(
  { suite, profile }: Loads,
  name: string,
  lengthOf: (load: (blockSeconds: number) => RoundLoad) => Promise<number>,
): Promise<RoundLoad> {
  const tier = suite.tiers.find((one) => one.name === name) as BlockTier;
  const { tierBlocks, tierBlockSeconds, dropSeconds } = profile;
  const { operations } = tier;
  if (!isClosed(tier)) {
    return { name, pace: paceOf(tier), operations, blocks: tierBlocks, blockSeconds: tierBlockSeconds, dropSeconds };
  }
  const workers = Math.min(tier.users, suite.saturation.workers);
  const pace: SteadyPace = { mode: 'saturate', workers, ...overNetwork(tier) };
  const seconds = tierBlocks * tierBlockSeconds;
  const load = (blockSeconds: number) => ({
    ...{ name, pace, operations, dropSeconds: 0 },
    ...blocksOf(seconds, blockSeconds),
  });
  return load(await lengthOf(load));
}

/** The operations that all subjects have, with the binding of this one. */
export function sharedOperations(own: Suite, loaded: Suite): readonly Operation[] {
  return loaded.operations.flatMap(({ name, share, ignore }) =>
    own.operations.filter((operation) => operation.name === name).map((operation) => ({ ...operation, share, ignore })),
  );
}

/** Round of a service, and the place of a subject in it. */
export interface RoundPlace {
  /** Name in the cells, whatever service has the place of the base. */
  readonly service: string;
  readonly round: number;
  readonly first: Side;
}

/**
 * Plays all blocks of one kind of load and gives the samples of every subject: with two in turns, with
 * one of them one block after the other. Throws SubjectFailure if a load tool or a reading fails.
 */
export async function playAllBlocks(
  bench: BlockBench,
  load: RoundLoad,
  { ready, place }: { readonly ready: readonly ReadySubject[]; readonly place: RoundPlace },
): Promise<Sample[]> {
  const played = new Map<Side, ReadBlock[]>(ready.map(({ side }) => [side, []]));
  const { wallTime } = bench;
  const lengths = () => wallTime.spend('growth', () => lengthsOf(bench, ready, load));
  const before = await lengths();
  await wallTime.spend('load', () => playTurns(bench, load, { ready, place, played }));
  const after = await lengths();
  return await wallTime.spend('records', async () => {
    const samples: Sample[] = [];
    for (const [index, subject] of ready.entries()) {
      const blocks = await blaming(subject.side, () => allRead(played.get(subject.side) ?? []));
      wallTime.add('drain', drainMs(blocks, load));
      wallTime.add('dropped', blocks.length * load.dropSeconds * 1000);
      const growing = grownOperations(before[index] ?? new Map(), after[index] ?? new Map());
      const hasEscaped = (subject.running.escaped?.() ?? []).length > 0;
      samples.push(...blockSamples({ ...seriesOf(bench, load, { subject, place, blocks }), growing, hasEscaped }));
    }
    return samples;
  });
}

interface Turns {
  readonly ready: readonly ReadySubject[];
  readonly place: RoundPlace;
  /** Gets each block that was played. */
  readonly played: ReadonlyMap<Side, ReadBlock[]>;
}

async function playTurns(bench: BlockBench, load: RoundLoad, { ready, place, played }: Turns): Promise<void> {
  for (const side of blockTurns(place.first, load.blocks)) {
    const subject = ready.find((one) => one.side === side);
    const own = played.get(side);
    if (subject !== undefined && own !== undefined) {
      const jitterSeed = jitterOf(bench, load, { ...place, block: own.length });
      const play = () => playBlock(bench, subject, { load, jitterSeed });
      own.push(await blaming(side, () => blamingMembers(subject.running, play)));
    }
  }
}

/** How long answers came after the ends of blocks, in milliseconds. */
function drainMs(blocks: readonly PlayedBlock[], { blockSeconds }: RoundLoad): number {
  return blocks.reduce((sum, { parts }) => {
    const late = lastEndMs(parts) - firstStartMs(parts) - blockSeconds * 1000;
    return sum + (Number.isFinite(late) ? Math.max(0, late) : 0);
  }, 0);
}

/** Of each subject, one after the other. */
async function lengthsOf({ client }: BlockBench, ready: readonly ReadySubject[], load: RoundLoad) {
  const lengths: AnswerLengths[] = [];
  for (const subject of ready) {
    const { service, running } = subject;
    lengths.push(
      await answerLengths(client, { service, address: running.address, operations: operationsAt(subject, load) }),
    );
  }
  return lengths;
}

/** Reads the records of a block that was played; to be called when no load is under way, since that takes CPU time. */
export type ReadBlock = () => Promise<PlayedBlock>;

async function allRead(blocks: readonly ReadBlock[]): Promise<PlayedBlock[]> {
  const read: PlayedBlock[] = [];
  for (const one of blocks) {
    read.push(await one());
  }
  return read;
}

interface BlockName extends Pick<RoundPlace, 'service' | 'round'> {
  /** Counts the blocks of one subject under one load, so that all subjects get the same schedules. */
  readonly block: number;
}

function jitterOf({ seed }: BlockBench, load: RoundLoad, { service, round, block }: BlockName) {
  return (operation: string): number => seedOf(seed, service, round, load.name, block, operation);
}

/** Plays one block of a load against one subject. */
export async function playBlock(
  { secrets, wallTime }: Pick<BlockBench, 'secrets' | 'wallTime'>,
  subject: ReadySubject,
  { load, jitterSeed }: { readonly load: RoundLoad; readonly jitterSeed?: Loading['jitterSeed'] },
): Promise<ReadBlock> {
  const { service, running, signal } = subject;
  const { pace, blockSeconds } = load;
  const loaded = { service, secrets, running, operations: operationsAt(subject, load), pace, seconds: blockSeconds };
  const send = preparedLoads({ ...loaded, jitterSeed, mayBeEmpty: true });
  const counters = () => wallTime.spend('counters', () => readingOf(subject));
  const before = await counters();
  const read = await send(signal);
  const after = await counters();
  return async () => {
    const parts = await read();
    if (parts.every(({ records }) => records.startMs.length === 0)) {
      throw new NothingSent(
        `no request was sent to ${service.name} in a block of ${blockSeconds} s: the load tool got no CPU time`,
        {
          next: 'Stop other programs on this machine, and measure again.',
        },
      );
    }
    return { parts, before, after };
  };
}

interface SeriesPart {
  readonly subject: ReadySubject;
  readonly place: RoundPlace;
  readonly blocks: readonly PlayedBlock[];
}

function seriesOf({ suite }: BlockBench, load: RoundLoad, { subject, place, blocks }: SeriesPart): BlockSeries {
  const { pace } = load;
  return {
    cell: { suite: suite.name, service: place.service, tier: load.name },
    mode: pace.mode,
    operations: operationsAt(subject, load),
    round: place.round,
    side: subject.side,
    position: subject.side === place.first ? 1 : 2,
    workers: pace.workers,
    cpus: coreLimitOf(subject.service),
    hasOwnCores: subject.service.cores === 'each',
    blockSeconds: load.blockSeconds,
    dropSeconds: load.dropSeconds,
    blocks,
  };
}
