import { z } from 'zod';
import { listOf } from '../foundation/list-schema.ts';
import { nameSchema as name } from '../foundation/name-schema.ts';
import { formatCount } from '../foundation/reading-numbers.ts';

/** A load: with a fixed arrival rate, said in one of two ways, or of users who do not think. */
export type Tier = ArrivalTier | ClosedTier;

/** A load with a fixed arrival rate; `arrivalsOf` gives what either way of saying it comes to. */
export type ArrivalTier = UsersTier | RateTier;

interface TierName {
  readonly name: string;
  /** The operations that it asks for, in the suite's mix; undefined: all of them. */
  readonly operations?: readonly string[] | undefined;
}

/**
 * So many users with so much think time, which is an arrival rate of users / thinkSeconds
 * with at most `users` requests in flight (docs/measurement.md).
 */
export interface UsersTier extends TierName {
  readonly users: number;
  readonly spawnPerSecond: number;
  readonly thinkSeconds: number;
}

/** An arrival rate as such. */
export interface RateTier extends TierName {
  readonly requestsPerSecond: number;
  /** The time in which the load rises to its rate. */
  readonly rampSeconds: number;
  /** Requests in flight at most, over all operations. */
  readonly inFlight: number;
}

/**
 * So many users without think time, each with the next request as soon as the last is answered: a rate that the service sets. They
 * begin one after the other over the ramp, which counts, and are done after so many requests each, or when the time is up.
 */
export interface ClosedTier extends TierName {
  readonly users: number;
  /** undefined: as many as they get answered in the time. */
  readonly requestsPerUser?: number | undefined;
  readonly rampSeconds: number;
  /** No request is sent later than this after the first. */
  readonly limitSeconds: number;
}

/** Whether the service, and no schedule, sets the rate of a tier. */
export function isClosed(tier: Tier): tier is ClosedTier {
  return 'limitSeconds' in tier;
}

const count = z.number().int().nonnegative();

/** The tiers with a rate, for which a service can be said to hold it or not. */
export function arrivalTiers(tiers: readonly Tier[]): readonly ArrivalTier[] {
  return tiers.flatMap((tier) => (isClosed(tier) ? [] : [tier]));
}

/** Of the tiers without think time one for each set of operations, with the fewest users: where a service is loaded fully, more only wait. */
export function leastClosedTiers(tiers: readonly Tier[]): readonly ClosedTier[] {
  const closed = tiers.filter(isClosed);
  return closed.filter((tier) => {
    const alike = closed.filter((other) => isSameList(other.operations, tier.operations));
    return alike.toSorted((left, right) => left.users - right.users)[0] === tier;
  });
}

function isSameList(left: readonly string[] | undefined, right: readonly string[] | undefined): boolean {
  return left?.toSorted().join(' ') === right?.toSorted().join(' ');
}

/** The tiers that have something left to ask for where there are these operations only. */
export function tiersWith(tiers: readonly Tier[], operations: readonly string[]): readonly Tier[] {
  return tiers.flatMap((tier) => {
    const left = tier.operations?.filter((name) => operations.includes(name));
    return left === undefined ? [tier] : left.length === 0 ? [] : [{ ...tier, operations: left }];
  });
}

const common = { name, operations: listOf(name).optional() };

/** A tier as a file has it; those from before there were rates have users. */
export const tierSchema = z.union([
  z.object({ ...common, requestsPerSecond: z.number().nonnegative(), rampSeconds: z.number(), inFlight: count }),
  z.object({ ...common, users: count, spawnPerSecond: z.number(), thinkSeconds: z.number() }),
  z.object({
    ...common,
    users: count,
    requestsPerUser: count.optional(),
    rampSeconds: z.number(),
    limitSeconds: z.number(),
  }),
]);

/** What a tier with a rate comes to: all that is played of it. */
export interface Arrivals {
  /** Over all operations. */
  readonly ratePerSecond: number;
  readonly inFlight: number;
  readonly rampSeconds: number;
}

/** The load of a tier, whichever way it is said. */
export function arrivalsOf(tier: ArrivalTier): Arrivals {
  if ('requestsPerSecond' in tier) {
    const { requestsPerSecond, inFlight, rampSeconds } = tier;
    return { ratePerSecond: requestsPerSecond, inFlight, rampSeconds };
  }
  const { users, thinkSeconds, spawnPerSecond } = tier;
  return { ratePerSecond: users / thinkSeconds, inFlight: users, rampSeconds: users / spawnPerSecond };
}

/** What people call a tier: "500 users", "800/s", "50 users at full rate", with what they ask for: "500 users (ListUsers)". */
export function tierWords(tier: Tier): string {
  const operations = tier.operations === undefined ? '' : ` (${tier.operations.join(', ')})`;
  if ('requestsPerSecond' in tier) {
    return `${formatCount(tier.requestsPerSecond)}/s${operations}`;
  }
  const users = `${formatCount(tier.users)}${USERS}`;
  return `${users}${isClosed(tier) && tier.requestsPerUser === undefined ? ' at full rate' : ''}${operations}`;
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
