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

/** A fair coin for the version that begins, and saturation before the tiers in random order; the same name always gives the same order. */
export function roundOrder(
  { seed, service, round }: { readonly seed: number; readonly service: string; readonly round: number },
  tiers: readonly string[],
) {
  const random = seededRandom(seedOf(seed, service, round));
  const first: Side = random() < 0.5 ? 'base' : 'head';
  return { first, loads: [SATURATION, ...shuffled(tiers, random)] };
}

/**
 * Version of each of `2 * blocks` blocks: first, second, second, first, second, first, first, second, ... (the Thue-Morse sequence), so that neither
 * a steady nor an accelerating drift of the machine favors a side.
 */
export function blockTurns(first: Side, blocks: number): readonly Side[] {
  const second = first === 'base' ? 'head' : 'base';
  return Array.from({ length: 2 * blocks }, (_, index) => (onesOf(index) % 2 === 0 ? first : second));
}

function onesOf(number: number): number {
  return number === 0 ? 0 : (number & 1) + onesOf(number >>> 1);
}

interface Surroundings {
  /** Seconds of a round for the fixed CPU loop, verification, warm-up, and reading the records of the load tool. */
  readonly besides: number;
  /** Seconds until both versions of a program are started and ready, and until they are stopped. */
  readonly program: number;
  /** Wall time at saturation, as a multiple of the sending time of its short blocks: the rest is the wait for the last responses. */
  readonly wallOfSaturation: number;
  /** Time of a block in addition to its load: start, readings, last responses. */
  readonly block: number;
}

/**
 * From recorded rounds on quiet machines with 2 cores, see tests/unit/model/planned-time.test.ts. Programs take 0.1 to 1.4 s to become ready and to
 * stop: this is in between.
 */
const SURROUNDINGS: Readonly<Record<Place['runtime'], Surroundings>> = {
  docker: { besides: 1.12, program: 0.98, wallOfSaturation: 1.28, block: 0.05 },
  process: { besides: 1, program: 0.8, wallOfSaturation: 1.42, block: 0.05 },
  // From rounds on two nodes with 2 cores: `npm run bench:rounds`.
  kubernetes: { besides: 5.8, program: 3.7, wallOfSaturation: 1.42, block: 0.1 },
  // The longer of each, since a round waits for both.
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

/** Seconds for one version; a tier without think time is warmed up first, and its short blocks are those of saturation. */
function tierSeconds({ tierBlocks, tierBlockSeconds }: RoundProfile, tier: BlockTier, { runtime }: Place): number {
  const { block, wallOfSaturation } = SURROUNDINGS[runtime];
  return isClosed(tier)
    ? LONGEST_BLOCK_SECONDS + tierBlocks * tierBlockSeconds * wallOfSaturation
    : tierBlocks * (tierBlockSeconds + block);
}

/** Services that rounds compare with another one: the first suitable one, or the same one as plain processes. */
export function comparedServices(
  suite: Pick<Suite, 'services' | 'operations' | 'groups'>,
  place: Place,
): readonly string[] {
  return place.runtime === 'both'
    ? suite.services.filter((name) => place.services.get(name)?.runtime === 'docker')
    : comparableServices(suite).slice(1);
}

/** Wall time of all rounds that compare services with others, in seconds. */
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

/** Seconds up to the first look, estimated from the rounds so far. Undefined until each service has a round, and after the look. */
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

/** Given seconds plus 10%, in whole minutes, in the format of `--budget`: "17m". */
export function budgetFor(seconds: number): string {
  return `${Math.ceil((1.1 * seconds) / 60)}m`;
}

export function mostRounds({ looks }: RoundProfile): number {
  return looks.at(-1)?.rounds ?? 0;
}

const look = z.object({
  rounds: count.positive(),
  /** Share of alpha (0 to 1) that may be spent up to and including this look. */
  spent: z.number().min(0).max(1),
});

export type Look = Readonly<z.infer<typeof look>>;

export const roundProfileSchema = z.object({
  name,
  /** Seconds for each version in each round, over all blocks. */
  saturationSeconds: z.number(),
  tierBlocks: count,
  tierBlockSeconds: z.number(),
  /** Seconds left out at the start of every block. */
  dropSeconds: z.number(),
  /** Loaded tiers: all, or the middle one only. */
  tiers: z.enum(['all', 'middle']),
  /** Looks of the rule; the last one limits the rounds. */
  looks: listOf(look).refine(areLooksAscending, { message: 'looks must go on to more rounds and spend no less' }),
});

/** Lengths and number of comparisons of base and head; all lengths and counts of blocks are per side and round. */
export type RoundProfile = Readonly<z.infer<typeof roundProfileSchema>>;

function areLooksAscending(looks: readonly Look[]): boolean {
  return looks.every(({ rounds, spent }, index) => {
    const before = looks[index - 1];
    return before === undefined || (rounds > before.rounds && spent >= before.spent);
  });
}

/** Load for blocks of fractions of a second. */
export type BlockTier = ArrivalTier | ClosedTier;

/**
 * Tiers that a profile loads: all with a rate, or the middle one of them; and of those without think time one for each set of operations, with the
 * fewest users, since in rounds they are all the same closed loop. Users who come and go have no blocks. Services with separate operations each have
 * their own middle tier: all of those are loaded.
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

/** Reason that no further round began; "running" in a file that was written during a run. */
export const endedSchema = z.enum(['decided', 'rounds', 'budget', 'interrupted', 'running']);

/**
 * Possible lengths of a block at saturation, in seconds. The shorter the blocks, the more of the machine's drift cancels out, since both versions run
 * in the same state: on a noisy machine the CPU time per request differed by 6 to 10% a round with blocks of 0.5 s, by 4% with 0.1 s and by 2% with
 * 0.025 s, under the same load for the same total time.
 */
export const SATURATION_BLOCK_SECONDS = [0.05, 0.1, 0.25, 0.5] as const;

/** Length of the warm-up, and of blocks if short ones have no advantage. */
export const LONGEST_BLOCK_SECONDS = 0.5;

/** Minimum length of a block in consecutive responses; a shorter one would be all beginning and end. */
const ANSWERS_IN_A_BLOCK = 2;

/** Block length at saturation for a service with this response time; the longest if it does not respond. */
export function saturationBlockSeconds(answerMs: number | undefined): number {
  const required = answerMs === undefined ? Number.POSITIVE_INFINITY : (ANSWERS_IN_A_BLOCK * answerMs) / 1000;
  return SATURATION_BLOCK_SECONDS.find((seconds) => seconds >= required) ?? LONGEST_BLOCK_SECONDS;
}
