import { z } from 'zod';
import { ConfigError, seededRandom, seedOf, shuffled } from '../foundation/index.ts';
import { SATURATION } from './metric.ts';
import { type Plan, plannedSeconds } from './plan.ts';
import { arrivalTiers, isClosed, leastClosedTiers, type Suite, type Tier } from './suite.ts';

export type Side = 'base' | 'head';

/** What chance decides about one attempt at a round. */
export interface RoundOrder {
  /** The version that is started first and has the first block of each load. */
  readonly first: Side;
  /** Saturation and then the tiers in random order. */
  readonly loads: readonly string[];
}

/** Names one attempt at a round. */
export interface RoundName {
  readonly seed: number;
  readonly service: string;
  readonly round: number;
}

/** A fair coin and an order of the tiers; the same name always gives the same. */
export function roundOrder({ seed, service, round }: RoundName, tiers: readonly string[]): RoundOrder {
  const random = seededRandom(seedOf(seed, service, round));
  const first = random() < 0.5 ? 'base' : 'head';
  return { first, loads: [SATURATION, ...shuffled(tiers, random)] };
}

/**
 * Whose turn each of `2 * blocks` blocks is: first, second, second, first, second, first, first, second, ... (the sequence of
 * Thue and Morse), so that neither a steady nor an accelerating drift of the machine favours a side.
 */
export function blockTurns(first: Side, blocks: number): readonly Side[] {
  const second = first === 'base' ? 'head' : 'base';
  return Array.from({ length: 2 * blocks }, (_, index) => (onesOf(index) % 2 === 0 ? first : second));
}

function onesOf(number: number): number {
  return number === 0 ? 0 : (number & 1) + onesOf(number >>> 1);
}

/** Starts, readiness, warm-up, control loops and stops of one service in one round, as experience has it. */
const SECONDS_AROUND_BLOCKS = 2.8;

/** What a block takes besides its load: asking for it, readings, the last answers. */
const SECONDS_AROUND_BLOCK = 0.05;

/** Wall time of short blocks, as a multiple of the time in which they send. */
const WALL_OF_SATURATION = 1.5;

/** Wall time of one round of all services, in seconds. */
export function roundSeconds(profile: RoundProfile, suite: Suite): number {
  const saturation = profile.saturationSeconds * WALL_OF_SATURATION;
  const tiers = tiersOf(profile, suite).reduce((sum, tier) => sum + tierSeconds(profile, tier), 0);
  return suite.services.length * (2 * (saturation + tiers) + SECONDS_AROUND_BLOCKS);
}

/** Of one version; a tier without think time is warmed up first, and its short blocks are those of saturation. */
function tierSeconds({ tierBlocks, tierBlockSeconds }: RoundProfile, tier: Tier): number {
  return isClosed(tier)
    ? LONGEST_BLOCK_SECONDS + tierBlocks * tierBlockSeconds * WALL_OF_SATURATION
    : tierBlocks * (tierBlockSeconds + SECONDS_AROUND_BLOCK);
}

/** Wall time of all rounds in which each service but the first is held against it, in seconds. */
export function pairedSeconds(profile: RoundProfile, suite: Suite): number {
  return mostRounds(profile) * roundSeconds(profile, { ...suite, services: suite.services.slice(1) });
}

/** Wall time of a main job: its slots, and the rounds in which it holds its services against each other, if it does. */
export function mainJobSeconds(plan: Plan, rounds: RoundProfile | undefined): number {
  return plannedSeconds(plan) + (rounds === undefined ? 0 : pairedSeconds(rounds, plan.suite));
}

/** Rounds up to the first look, which is the least that a verdict needs. */
export function fewestRounds({ looks }: RoundProfile): number {
  return looks[0]?.rounds ?? 0;
}

/** Rounds at the last look. */
export function mostRounds({ looks }: RoundProfile): number {
  return looks.at(-1)?.rounds ?? 0;
}

/** How long and how often base and head are compared; all lengths and counts of blocks are those of one side in one round. */
export interface RoundProfile {
  readonly name: string;
  /** Of each version in each round, over all blocks. */
  readonly saturationSeconds: number;
  readonly tierBlocks: number;
  readonly tierBlockSeconds: number;
  /** Dropped at the start of every block. */
  readonly dropSeconds: number;
  /** Whether every tier is loaded, or the middle one only. */
  readonly tiers: 'all' | 'middle';
  /** When the rule looks at the results; the last one bounds the rounds. */
  readonly looks: readonly Look[];
}

/**
 * Two fifths of alpha at once, because less buys nothing: of the 2^8 ways to exchange the labels of 8 rounds one is 0.39 %, and each of two
 * services has half of 2 %.
 */
const USUAL_LOOKS: readonly Look[] = [
  { rounds: 8, spent: 0.4 },
  { rounds: 10, spent: 0.6 },
  { rounds: 12, spent: 0.7 },
  { rounds: 15, spent: 0.8 },
  { rounds: 20, spent: 0.9 },
  { rounds: 30, spent: 1 },
];

const STANDARD: RoundProfile = {
  name: 'standard',
  saturationSeconds: 2,
  tierBlocks: 6,
  tierBlockSeconds: 0.2,
  dropSeconds: 0.05,
  tiers: 'all',
  looks: USUAL_LOOKS,
};

/** Blocks so short that only large changes are found; to try the set-up. */
const SMOKE: RoundProfile = {
  name: 'smoke',
  saturationSeconds: 0.5,
  tierBlocks: 2,
  tierBlockSeconds: 0.2,
  dropSeconds: 0.05,
  tiers: 'middle',
  looks: [{ rounds: 8, spent: 1 }],
};

/** Counts instructions and plays no round. */
const INSTRUCTIONS: RoundProfile = {
  name: 'instructions',
  saturationSeconds: 0,
  tierBlocks: 0,
  tierBlockSeconds: 0,
  dropSeconds: 0,
  tiers: 'middle',
  looks: [],
};

/** Whether a profile counts instructions. */
export function countsInstructions({ name }: Pick<RoundProfile, 'name'>): boolean {
  return name === INSTRUCTIONS.name;
}

/** The profiles of all that is played in rounds. */
export const ROUND_PROFILES: Readonly<Record<string, RoundProfile>> = {
  smoke: SMOKE,
  quick: { ...STANDARD, name: 'quick', tiers: 'middle' },
  standard: STANDARD,
  thorough: { ...STANDARD, name: 'thorough', saturationSeconds: 3, tierBlocks: 24 },
};

/** The profiles of `wiregauge compare`: those, and the one that counts alone. */
export const COMPARE_PROFILES: Readonly<Record<string, RoundProfile>> = {
  ...ROUND_PROFILES,
  [INSTRUCTIONS.name]: INSTRUCTIONS,
};

/** By the profile of the main job's slots; the rounds of `smoke` are too few for a verdict, and its report says so. */
const MAIN_JOB_ROUNDS: Readonly<Record<string, RoundProfile>> = {
  default: { ...STANDARD, name: 'quick', tiers: 'middle', looks: [{ rounds: 10, spent: 1 }] },
  smoke: { ...SMOKE, looks: [{ rounds: 3, spent: 1 }] },
};

/**
 * The rounds in which the main job holds its services against each other; undefined where it has one service alone, leaves out the
 * closed loop, which shows what a service can do, or sweeps an argument, where the answer lies in the sweep.
 */
export function mainJobRounds({
  suite,
  profile,
  modes,
}: Pick<Plan, 'suite' | 'profile' | 'modes'>): RoundProfile | undefined {
  const isPlayed = suite.services.length > 1 && suite.sweep === undefined && modes.includes('saturate');
  return isPlayed ? MAIN_JOB_ROUNDS[profile.name] : undefined;
}

/**
 * The tiers that a profile loads: all with a rate, or the middle one of them; and of those without think time one for each set of
 * operations, with the fewest users, since in rounds they are all the same closed loop.
 */
export function tiersOf({ tiers }: RoundProfile, suite: Suite): readonly Tier[] {
  const open = arrivalTiers(suite.tiers);
  const played = tiers === 'all' ? open : open.slice(Math.floor((open.length - 1) / 2)).slice(0, 1);
  return [...played, ...leastClosedTiers(suite.tiers)];
}

/** Why no further round was begun; "running" in a file that was written in mid-run. */
export const endedSchema = z.enum(['decided', 'rounds', 'budget', 'interrupted', 'running']);

/**
 * How long a block at saturation may be, in seconds. The shorter the blocks, the more of the machine's drift falls out of the
 * comparison, since both versions meet the same machine: on a noisy one the CPU time per request differed by 6 to 10 % a round with
 * blocks of 0.5 s, by 4 % with 0.1 s and by 2 % with 0.025 s, under the same load for as long in all.
 */
export const SATURATION_BLOCK_SECONDS = [0.05, 0.1, 0.25, 0.5] as const;

/** What warms a version up, and the blocks where nothing is gained by short ones. */
export const LONGEST_BLOCK_SECONDS = 0.5;

/** A block is longer than so many answers after one another, or it would be all beginning and end. */
const ANSWERS_IN_A_BLOCK = 2;

/** The length of a block at saturation for a service that then answers in this time; the longest where it does not answer. */
export function saturationBlockSeconds(answerMs: number | undefined): number {
  const wanted = answerMs === undefined ? Number.POSITIVE_INFINITY : (ANSWERS_IN_A_BLOCK * answerMs) / 1000;
  return SATURATION_BLOCK_SECONDS.find((seconds) => seconds >= wanted) ?? LONGEST_BLOCK_SECONDS;
}

/** The profile of a comparison by its name; throws ConfigError naming those that there are. */
export function profileNamed(name: string): RoundProfile {
  const profile = COMPARE_PROFILES[name];
  if (profile === undefined) {
    throw new ConfigError(`there is no profile "${name}"`, {
      next: `Profiles of a comparison: ${Object.keys(COMPARE_PROFILES).join(', ')}.`,
    });
  }
  return profile;
}

/** A look at the first so many rounds. */
export interface Look {
  readonly rounds: number;
  /** The share of alpha (0 to 1) that may be spent up to and with this look. */
  readonly spent: number;
}
