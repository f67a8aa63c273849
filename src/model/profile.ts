import type { Look } from '../judge/inference/family-test.ts';
import type { Plan } from './plan.ts';
import type { Suite } from './suite.ts';
import { arrivalTiers, leastClosedTiers, type Tier } from './tier.ts';

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

const USUAL_LOOKS: readonly Look[] = [
  { rounds: 10, spent: 0.2 },
  { rounds: 15, spent: 0.4 },
  { rounds: 20, spent: 0.7 },
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
  looks: [{ rounds: 10, spent: 1 }],
};

/** The profiles of `wiregauge compare`. */
export const ROUND_PROFILES: Readonly<Record<string, RoundProfile>> = {
  smoke: SMOKE,
  quick: { ...STANDARD, name: 'quick', tiers: 'middle' },
  standard: STANDARD,
  thorough: { ...STANDARD, name: 'thorough', saturationSeconds: 3, tierBlocks: 24 },
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
