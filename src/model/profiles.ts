import { ConfigError } from '../foundation/errors.ts';
import type { Plan, Profile } from './plan.ts';
import { fewestRounds, type Look, mostRounds, type RoundProfile, roundSeconds } from './rounds.ts';
import type { Place } from './service.ts';
import { comparableServices } from './suite/groups.ts';
import type { Suite } from './suite/suite.ts';

/** Names of all profiles, from the shortest to the longest: the same for every command that measures. */
export const PROFILE_NAMES = ['smoke', 'quick', 'standard', 'thorough'] as const;

export type ProfileName = (typeof PROFILE_NAMES)[number];

interface NamedProfile {
  /** `compare`, `versus`, `calibrate`: the blocks of a round, and the looks of a comparison. */
  readonly rounds: RoundProfile;
  /** `compare`, `versus`: the default limit of their wall time. */
  readonly budgetSeconds: number;
  readonly calibrationRounds: number;
  readonly trials: Profile;
  /** `run`: number of rounds that compare its services with each other, at the middle tier. */
  readonly pairedRounds: number;
}

/**
 * Half of alpha is spent at the first look: most effects are found early, and the interval that shows "unchanged" spends its error in the same
 * shares. One of the 2^8 ways to exchange the labels of 8 rounds is 0.39%, and each of two services has half of 2%, so that less than 0.4 would gain
 * nothing.
 */
const USUAL_LOOKS: readonly Look[] = [
  { rounds: 8, spent: 0.5 },
  { rounds: 10, spent: 0.7 },
  { rounds: 12, spent: 0.8 },
  { rounds: 15, spent: 0.88 },
  { rounds: 20, spent: 0.94 },
  { rounds: 30, spent: 1 },
];

const USUAL_BUDGET_SECONDS = 600;

/** Default wait for another measurement on the machine: longer than many CI jobs take. */
export const USUAL_WAIT = { seconds: 1800, text: '30m' } as const;

const STANDARD_ROUNDS: RoundProfile = {
  name: 'standard',
  saturationSeconds: 2,
  tierBlocks: 6,
  tierBlockSeconds: 0.2,
  dropSeconds: 0.05,
  tiers: 'all',
  looks: USUAL_LOOKS,
};

const QUICK_ROUNDS: RoundProfile = { ...STANDARD_ROUNDS, name: 'quick', saturationSeconds: 1, tierBlocks: 2 };

const STANDARD_TRIALS: Profile = {
  name: 'standard',
  rampScale: 0.5,
  warmupSeconds: 2,
  measureSeconds: 10,
  saturationSeconds: 6,
  rounds: 1,
};

export const PROFILES: Readonly<Record<ProfileName, NamedProfile>> = {
  // Blocks so short that only large changes are found, and too few paired rounds for an interval: for trying the setup.
  smoke: {
    rounds: {
      ...QUICK_ROUNDS,
      name: 'smoke',
      saturationSeconds: 0.5,
      tiers: 'middle',
      looks: [{ rounds: 8, spent: 1 }],
    },
    budgetSeconds: USUAL_BUDGET_SECONDS,
    calibrationRounds: 10,
    trials: {
      name: 'smoke',
      rampScale: 0.2,
      warmupSeconds: 1,
      measureSeconds: 5,
      saturationSeconds: 3,
      closedScale: 0.1,
      rounds: 1,
    },
    pairedRounds: 3,
  },
  // Default of a comparison: a verdict on two unchanged services within three minutes.
  quick: {
    rounds: QUICK_ROUNDS,
    budgetSeconds: USUAL_BUDGET_SECONDS,
    calibrationRounds: 30,
    trials: {
      ...STANDARD_TRIALS,
      name: 'quick',
      rampScale: 0.2,
      measureSeconds: 5,
      saturationSeconds: 4,
      closedScale: 0.5,
    },
    pairedRounds: 8,
  },
  standard: {
    rounds: STANDARD_ROUNDS,
    budgetSeconds: USUAL_BUDGET_SECONDS,
    calibrationRounds: 30,
    trials: STANDARD_TRIALS,
    pairedRounds: 10,
  },
  thorough: {
    rounds: { ...STANDARD_ROUNDS, name: 'thorough', saturationSeconds: 3, tierBlocks: 24 },
    budgetSeconds: 3 * USUAL_BUDGET_SECONDS,
    calibrationRounds: 30,
    trials: { ...STANDARD_TRIALS, name: 'thorough', rampScale: 1, measureSeconds: 20, saturationSeconds: 12 },
    pairedRounds: 20,
  },
};

/** Rounds of a comparison with an anchor, if the profile has as many. */
const ANCHORED_ROUNDS = 20;

/** Profile for a comparison with an anchor: it never ends early, since estimates would be too large and errors would add up. */
export function anchoredProfile(profile: RoundProfile): RoundProfile {
  const [first] = profile.looks;
  const last = Math.min(ANCHORED_ROUNDS, mostRounds(profile));
  if (first === undefined) {
    return profile;
  }
  const early = first.rounds < last ? [{ rounds: first.rounds, spent: 0 }] : [];
  return { ...profile, looks: [...early, { rounds: last, spent: 1 }] };
}

/** Profiles of `compare`: those, and one that counts instructions without rounds. */
export const COMPARE_PROFILE_NAMES = [...PROFILE_NAMES, 'instructions'] as const;

export type CompareProfileName = (typeof COMPARE_PROFILE_NAMES)[number];

const COUNTS_ALONE: RoundProfile = {
  name: 'instructions',
  saturationSeconds: 0,
  tierBlocks: 0,
  tierBlockSeconds: 0,
  dropSeconds: 0,
  tiers: 'middle',
  looks: [],
};

export function compareProfile(name: string): RoundProfile {
  return name === COUNTS_ALONE.name ? COUNTS_ALONE : profileNamed(name, COMPARE_PROFILE_NAMES).rounds;
}

/** Default time limit of a comparison with a profile, in seconds. */
export function usualBudgetSeconds(name: string): number {
  return name === COUNTS_ALONE.name ? USUAL_BUDGET_SECONDS : profileNamed(name, COMPARE_PROFILE_NAMES).budgetSeconds;
}

export function countsAlone({ name }: Pick<RoundProfile, 'name'>): boolean {
  return name === COUNTS_ALONE.name;
}

/** Seconds per service: two starts of each version under the counter, which slows the service down about fifty times. */
const COUNTING_SECONDS = 30;

/** Wall time in seconds to count the instructions of a suite's services, if two starts of each version suffice. */
export function countingSeconds({ services }: Pick<Suite, 'services'>): number {
  return services.length * COUNTING_SECONDS;
}

export function headCountingSeconds(suite: Pick<Suite, 'services'>): number {
  return countingSeconds(suite) / 2;
}

/** A service that takes longer than this multiple of the usual time is judged by its rounds alone. */
const LONGEST_COUNTING = 3;

/** Rounds may take longer than planned. */
const LATE_ROUNDS = 1.1;

/** Longest time for counting before the rounds, if the budget leaves enough for these; 0 if it does not. */
export function secondsToCount(
  profile: RoundProfile,
  { suite, place, budgetSeconds }: { readonly suite: Suite; readonly place: Place; readonly budgetSeconds: number },
): number {
  const rounds = fewestRounds(profile) * roundSeconds(profile, suite, place);
  const usual = countingSeconds(suite);
  if (countsAlone(profile)) {
    return budgetSeconds;
  }
  const hasRounds = profile.name !== 'smoke' && budgetSeconds >= usual + rounds;
  return hasRounds ? Math.min(LONGEST_COUNTING * usual, Math.max(usual, budgetSeconds - LATE_ROUNDS * rounds)) : 0;
}

/** Earlier versions wrote `default` into runs and histories. */
export function presentProfileName(name: string): string {
  return name === 'default' ? 'standard' : name;
}

/** Profile with a name; throws ConfigError with the known names. */
export function profileNamed(name: string, names: readonly string[] = PROFILE_NAMES): NamedProfile {
  const found = PROFILE_NAMES.find((known) => known === name);
  if (found === undefined) {
    throw new ConfigError(`there is no profile "${name}"`, { code: 'WG-106', next: profileAdvice(name, names) });
  }
  return PROFILES[found];
}

export function profileAdvice(name: string, names: readonly string[] = PROFILE_NAMES): string {
  const present = presentProfileName(name);
  const renamed = present === name ? '' : `\`${name}\` is now called \`${present}\`. `;
  return `${renamed}Profiles: ${names.join(', ')}.`;
}

/** Rounds in which the main job compares its services; undefined for one service, without the closed loop, or in a sweep. */
export function mainJobRounds({
  suite,
  profile,
  modes,
}: Pick<Plan, 'suite' | 'profile' | 'modes'>): RoundProfile | undefined {
  const hasRounds = comparableServices(suite).length > 1 && suite.sweep === undefined && modes.includes('saturate');
  const name = PROFILE_NAMES.find((known) => known === profile.name);
  if (!hasRounds || name === undefined) {
    return undefined;
  }
  const { rounds, pairedRounds } = PROFILES[name];
  // Its tiers have separate trials; blocks of one tier show which service is better under a load that both sustain.
  return { ...rounds, tiers: 'middle', looks: [{ rounds: pairedRounds, spent: 1 }] };
}
