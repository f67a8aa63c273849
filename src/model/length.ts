import { LONGEST_BLOCK_SECONDS } from './block-length.ts';
import { type Plan, plannedSeconds } from './plan.ts';
import { type RoundProfile, tiersOf } from './profile.ts';
import type { Suite } from './suite.ts';
import { isClosed, type Tier } from './tier.ts';

/** Starts, readiness, warm-up, control loops and stops of one service in one round, as experience has it. */
const SECONDS_AROUND_BLOCKS = 3.5;
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
