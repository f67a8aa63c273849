import * as z from 'zod';
import { nameSchema as name } from '../foundation/names.ts';
import { seededRandom, seedOf, shuffled } from '../foundation/random.ts';
import { listOf } from '../foundation/schema.ts';
import { count, type SIDES } from './fields.ts';
import { SATURATION } from './metric.ts';
import { type Plan, plannedSeconds } from './plan.ts';
import { type Place, programsFor } from './service.ts';
import { comparableServices, isLoadedAt, tiersByGroup } from './suite/groups.ts';
import {
  type ArrivalTier,
  arrivalTiers,
  type ClosedTier,
  isClosed,
  leastClosedTiers,
  type Suite,
  type Tier,
  warmupSecondsOf,
} from './suite/suite.ts';

export type Side = (typeof SIDES)[number];

/** A fair coin for the version that begins, and saturation before the tiers in random order; the same name always gives the same. */
export function roundOrder(
  { seed, service, round }: { readonly seed: number; readonly service: string; readonly round: number },
  tiers: readonly string[],
) {
  const random = seededRandom(seedOf(seed, service, round));
  const first: Side = random() < 0.5 ? 'base' : 'head';
  return { first, loads: [SATURATION, ...shuffled(tiers, random)] };
}

/**
 * Version of each of `2 * blocks` blocks: first, second, second, first, second, first, first, second, ... (the sequence of
 * Thue and Morse), so that neither a steady nor an accelerating drift of the machine favors a side.
 */
export function blockTurns(first: Side, blocks: number): readonly Side[] {
  const second = first === 'base' ? 'head' : 'base';
  return Array.from({ length: 2 * blocks }, (_, index) => (onesOf(index) % 2 === 0 ? first : second));
}

function onesOf(number: number): number {
  return number === 0 ? 0 : (number & 1) + onesOf(number >>> 1);
}

interface Surroundings {
  /** The fixed CPU loop, verification, warm-up, and reading what the load tool recorded. */
  readonly besides: number;
  /** Until both versions of a program are started and ready, and until they are stopped. */
  readonly program: number;
  /** Wall time at saturation, as a multiple of the time in which its short blocks send: the rest is the wait for the last answers. */
  readonly wallOfSaturation: number;
  /** Time of a block in addition to its load: start, readings, last responses. */
  readonly block: number;
}

/**
 * From recorded rounds on quiet machines of 2 cores, which tests/unit/model/planned-time.test.ts has. Programs take 0.1 to 1.4 s to be ready and
 * to stop: this is between them.
 */
const SURROUNDINGS: Readonly<Record<Place['runtime'], Surroundings>> = {
  docker: { besides: 1.12, program: 0.98, wallOfSaturation: 1.28, block: 0.05 },
  process: { besides: 1, program: 0.8, wallOfSaturation: 1.42, block: 0.05 },
  // From rounds on two nodes of 2 cores: `npm run bench:rounds`.
  kubernetes: { besides: 5.8, program: 3.7, wallOfSaturation: 1.42, block: 0.1 },
  // For each the longer, since a round waits for whichever takes longer.
  both: { besides: 1.12, program: 0.98, wallOfSaturation: 1.42, block: 0.05 },
};

export function roundSeconds(profile: RoundProfile, suite: Suite, place: Place): number {
  const { besides, program, wallOfSaturation } = SURROUNDINGS[place.runtime];
  return suite.services.reduce((sum, name) => {
    const tiers = tiersFor(profile, suite, name).reduce((all, tier) => all + tierSeconds(profile, tier, place), 0);
    const warmup = warmupSecondsOf(suite, profile.name);
    const load = 2 * (warmup + profile.saturationSeconds * wallOfSaturation + tiers);
    return sum + load + besides + program * programsFor(place, name);
  }, 0);
}

/** For one version; a tier without think time is warmed up first, and its short blocks are those of saturation. */
function tierSeconds({ tierBlocks, tierBlockSeconds }: RoundProfile, tier: BlockTier, { runtime }: Place): number {
  const { block, wallOfSaturation } = SURROUNDINGS[runtime];
  return isClosed(tier)
    ? LONGEST_BLOCK_SECONDS + tierBlocks * tierBlockSeconds * wallOfSaturation
    : tierBlocks * (tierBlockSeconds + block);
}

/** Services that rounds compare with another one: the first that fits, or the same one as plain processes. */
export function comparedServices(
  suite: Pick<Suite, 'services' | 'operations' | 'groups'>,
  place: Place,
): readonly string[] {
  return place.runtime === 'both'
    ? suite.services.filter((name) => place.services.get(name)?.runtime === 'docker')
    : comparableServices(suite).slice(1);
}

/** Wall time of all rounds in which services are compared with others, in seconds. */
export function pairedSeconds(profile: RoundProfile, suite: Suite, place: Place): number {
  return mostRounds(profile) * roundSeconds(profile, { ...suite, services: comparedServices(suite, place) }, place);
}

/** Wall time of a main job: its trials, and the rounds that compare its services, if any. */
export function mainJobSeconds(plan: Plan, rounds: RoundProfile | undefined, place: Place): number {
  return plannedSeconds(plan, place) + (rounds === undefined ? 0 : pairedSeconds(rounds, plan.suite, place));
}

export function fewestRounds({ looks }: Pick<RoundProfile, 'looks'>): number {
  return looks[0]?.rounds ?? 0;
}

interface Measured {
  readonly services: readonly string[];
  readonly rounds: readonly {
    readonly service: string;
    readonly outcome: string;
    readonly seconds?: { readonly total: number } | undefined;
  }[];
  readonly spentSeconds: number;
}

/** Seconds up to the first look, by the rounds so far. Undefined until each service has a round, and after the look. */
export function secondsToFirstLook(
  profile: Pick<RoundProfile, 'looks'>,
  { services, rounds, spentSeconds }: Measured,
): number | undefined {
  const left = services.map((name) => {
    const own = rounds.filter(({ service }) => service === name);
    const timed = own.flatMap(({ seconds }) => seconds?.total ?? []);
    const required = Math.max(0, fewestRounds(profile) - own.filter(({ outcome }) => outcome === 'kept').length);
    return timed.length === 0 ? undefined : (required * timed.reduce((sum, one) => sum + one, 0)) / timed.length;
  });
  const more = left.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0);
  return more === undefined || more === 0 ? undefined : spentSeconds + more;
}

/** The given seconds plus 10%, in whole minutes, as `--budget` takes it: "17m". */
export function budgetFor(seconds: number): string {
  return `${Math.ceil((1.1 * seconds) / 60)}m`;
}

export function mostRounds({ looks }: RoundProfile): number {
  return looks.at(-1)?.rounds ?? 0;
}

const look = z.object({
  rounds: count.positive(),
  /** The share of alpha (0 to 1) that may be spent up to and with this look. */
  spent: z.number().min(0).max(1),
});

export type Look = Readonly<z.infer<typeof look>>;

export const roundProfileSchema = z.object({
  name,
  /** For each version in each round, over all blocks. */
  saturationSeconds: z.number(),
  tierBlocks: count,
  tierBlockSeconds: z.number(),
  /** Dropped at the start of every block. */
  dropSeconds: z.number(),
  /** Loaded tiers: all, or the middle one only. */
  tiers: z.enum(['all', 'middle']),
  /** When the rule looks at the results; the last one bounds the rounds. */
  looks: listOf(look).refine(areLooksAscending, { message: 'looks must go on to more rounds and spend no less' }),
});

/** How long and how often base and head are compared; all lengths and counts of blocks are those of one side in one round. */
export type RoundProfile = Readonly<z.infer<typeof roundProfileSchema>>;

function areLooksAscending(looks: readonly Look[]): boolean {
  return looks.every(({ rounds, spent }, index) => {
    const before = looks[index - 1];
    return before === undefined || (rounds > before.rounds && spent >= before.spent);
  });
}

/** A load for blocks of fractions of a second. */
export type BlockTier = ArrivalTier | ClosedTier;

/**
 * Tiers that a profile loads: all with a rate, or the middle one of them; and of those without think time one for each set of operations, with the
 * fewest users, since in rounds they are all the same closed loop. Users who come and go have no blocks. Of services with operations of their own
 * each has its own middle: all of those are loaded.
 */
export function tiersOf({ tiers }: RoundProfile, suite: Suite): readonly BlockTier[] {
  const names = tiersByGroup(suite).flatMap((own) => chosenTiers(tiers, own).map(({ name }) => name));
  return [...arrivalTiers(suite.tiers), ...suite.tiers.filter(isClosed)].filter(({ name }) => names.includes(name));
}

export function tiersFor(profile: RoundProfile, suite: Suite, service: string): readonly BlockTier[] {
  return tiersOf(profile, suite).filter((tier) => isLoadedAt(suite, service, tier));
}

function chosenTiers(choice: RoundProfile['tiers'], tiers: readonly Tier[]): readonly BlockTier[] {
  const open = arrivalTiers(tiers);
  const measured = choice === 'all' ? open : open.slice(Math.floor((open.length - 1) / 2)).slice(0, 1);
  return [...measured, ...leastClosedTiers(tiers)];
}

/** Why no further round was begun; "running" in a file that was written in mid-run. */
export const endedSchema = z.enum(['decided', 'rounds', 'budget', 'interrupted', 'running']);

/**
 * How long a block at saturation may be, in seconds. The shorter the blocks, the more of the machine's drift falls out of the
 * comparison, since both versions meet the same machine: on a noisy one the CPU time per request differed by 6 to 10% a round with
 * blocks of 0.5 s, by 4% with 0.1 s and by 2% with 0.025 s, under the same load for as long in all.
 */
export const SATURATION_BLOCK_SECONDS = [0.05, 0.1, 0.25, 0.5] as const;

/** Length of the warm-up, and of blocks if short ones have no advantage. */
export const LONGEST_BLOCK_SECONDS = 0.5;

/** A block is longer than this many answers after one another, or it would be all beginning and end. */
const ANSWERS_IN_A_BLOCK = 2;

/** The length of a block at saturation for a service that then answers in this time; the longest if it does not answer. */
export function saturationBlockSeconds(answerMs: number | undefined): number {
  const required = answerMs === undefined ? Number.POSITIVE_INFINITY : (ANSWERS_IN_A_BLOCK * answerMs) / 1000;
  return SATURATION_BLOCK_SECONDS.find((seconds) => seconds >= required) ?? LONGEST_BLOCK_SECONDS;
}
