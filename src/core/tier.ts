import { z } from 'zod';
import { formatCount } from './reading-numbers.ts';

/** A load with a fixed arrival rate, said in one of two ways; `arrivalsOf` gives what either comes to. */
export type Tier = UsersTier | RateTier;

/**
 * So many users with so much think time, which is an arrival rate of users / thinkSeconds
 * with at most `users` requests in flight (docs/measurement.md).
 */
export interface UsersTier {
  readonly name: string;
  readonly users: number;
  readonly spawnPerSecond: number;
  readonly thinkSeconds: number;
}

/** An arrival rate as such. */
export interface RateTier {
  readonly name: string;
  readonly requestsPerSecond: number;
  /** The time in which the load rises to its rate. */
  readonly rampSeconds: number;
  /** Requests in flight at most, over all operations. */
  readonly inFlight: number;
}

const name = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,80}$/, 'a name has 1 to 80 letters, digits, dots, dashes or underscores');
const count = z.number().int().nonnegative();

/** A tier as a file has it; those from before there were rates have users. */
export const tierSchema = z.union([
  z.object({ name, requestsPerSecond: z.number().nonnegative(), rampSeconds: z.number(), inFlight: count }),
  z.object({ name, users: count, spawnPerSecond: z.number(), thinkSeconds: z.number() }),
]);

/** What a tier comes to: all that is played of it. */
export interface Arrivals {
  /** Over all operations. */
  readonly ratePerSecond: number;
  readonly inFlight: number;
  readonly rampSeconds: number;
}

/** The load of a tier, whichever way it is said. */
export function arrivalsOf(tier: Tier): Arrivals {
  if ('requestsPerSecond' in tier) {
    const { requestsPerSecond, inFlight, rampSeconds } = tier;
    return { ratePerSecond: requestsPerSecond, inFlight, rampSeconds };
  }
  const { users, thinkSeconds, spawnPerSecond } = tier;
  return { ratePerSecond: users / thinkSeconds, inFlight: users, rampSeconds: users / spawnPerSecond };
}

/** What people call a tier: "500 users", "800/s". */
export function tierWords(tier: Tier): string {
  return 'requestsPerSecond' in tier
    ? `${formatCount(tier.requestsPerSecond)}/s`
    : `${formatCount(tier.users)}${USERS}`;
}

/** How the words of tiers with users end. */
export const USERS = ' users';

/** The study's users think for so long. */
const STUDY_THINK_SECONDS = 0.3;
const FEWEST_IN_FLIGHT = 16;
/** Open files allow so many. */
export const MOST_IN_FLIGHT = 1000;

/**
 * How many requests may be in flight where nothing else is said: as many as come in 0.3 s, so that a rate is the same load as the
 * study's users who send at that rate; but 16 at least, which a slow answer uses up, and 1,000 at most, which open files allow.
 */
export function usualInFlight(requestsPerSecond: number): number {
  const users = Math.round(requestsPerSecond * STUDY_THINK_SECONDS);
  return Math.min(MOST_IN_FLIGHT, Math.max(FEWEST_IN_FLIGHT, users));
}
