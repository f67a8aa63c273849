import type { Look } from '../inference/family-test.ts';
import type { Suite, Tier } from '../suite.ts';

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

/** The tiers that a profile loads. */
export function tiersOf({ tiers }: RoundProfile, suite: Suite): readonly Tier[] {
  return tiers === 'all' ? suite.tiers : suite.tiers.slice(Math.floor((suite.tiers.length - 1) / 2)).slice(0, 1);
}
