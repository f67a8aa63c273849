import * as z from 'zod';
import type { Json } from '../../foundation/json.ts';
import { nameSchema as name } from '../../foundation/names.ts';
import { listOf } from '../../foundation/schema.ts';
import { count } from '../fields.ts';
import type { PolicyChange } from '../policy.ts';
import type { ProtocolName, Variant } from '../service.ts';
import type { Factorial } from './factorial.ts';
import type { FormerNames } from './former-names.ts';
import { isSameNetwork, networkSchema, type OverNetwork } from './network.ts';
import type { Published } from './published.ts';

/** Argument that grows from tier to tier, to show how the services scale. */
interface Sweep {
  readonly argument: string;
  /** Counted objects: "objects in an answer". */
  readonly title: string;
  /** Charts, each with some of the services. */
  readonly panels: readonly { readonly title: string; readonly services: readonly string[] }[];
}

/** Services, operations and tiers that are measured together. Its network is that of its closed loop; each tier has its own. */
export interface Suite extends OverNetwork {
  readonly name: string;
  readonly title: string;
  /** Names of services, the reference first. */
  readonly services: readonly string[];
  readonly operations: readonly Operation[];
  readonly groups?: readonly OperationGroup<Operation>[] | undefined;
  readonly tiers: readonly Tier[];
  readonly saturation: Saturation;
  /** Settings of services that are measured several times, by name; undefined once the variants have replaced them. */
  readonly variants?: Readonly<Record<string, readonly Variant[]>> | undefined;
  readonly sweep?: Sweep | undefined;
  readonly factorial?: Factorial | undefined;
  readonly published: Published | undefined;
  readonly wasNamed?: FormerNames | undefined;
  /** Changes to the default policy for comparing two versions. */
  readonly policy: PolicyChange;
}

export interface OperationGroup<Item> {
  readonly services: readonly string[];
  readonly operations: readonly Item[];
}

/** Request that every service of a group supports, with the same response over every protocol. */
export interface Operation {
  readonly name: string;
  /** Share of the arrivals, 0 to 1; the shares of a group add up to 1. */
  readonly share: number;
  readonly arguments: readonly Readonly<Record<string, Json>>[];
  /** Request by protocol; only its protocol knows the parts of a binding. */
  readonly bindings: Readonly<Partial<Record<ProtocolName, unknown>>>;
  readonly verify?: Verification | undefined;
  /** Paths that may differ between its responses, like `$.items[*].at`. */
  readonly ignore?: readonly string[] | undefined;
  readonly stream?: StreamSettings | undefined;
}

export interface StreamSettings {
  /** Number of messages. */
  readonly messages: number;
  /** Text that the last message must contain; undefined: any. */
  readonly last?: string | undefined;
}

/** Verifies nothing; that responses are as expected; or also that they are equal for every service and version. */
export type Verification = 'none' | 'status' | 'answer';

/** Closed loop of workers that each send the next request as soon as the last is answered. */
export interface Saturation {
  readonly workers: number;
  /** Minimum warm-up with this load before measuring; undefined: that of the profile. */
  readonly warmupSeconds?: number | undefined;
}

/** Extra warm-up in seconds at saturation; a first try has none. */
export function warmupSecondsOf({ saturation }: Pick<Suite, 'saturation'>, profile: string): number {
  return profile === 'smoke' ? 0 : (saturation.warmupSeconds ?? 0);
}

const common = {
  name,
  /** Operations that it requests, in the suite's mix; undefined: all of them. */
  operations: listOf(name).optional(),
  network: networkSchema.optional(),
};

/** Users with think time: an arrival rate of users / thinkSeconds with at most `users` requests in flight. */
const usersTier = z.object({ ...common, users: count, spawnPerSecond: z.number(), thinkSeconds: z.number() });

const rateTier = z.object({
  ...common,
  requestsPerSecond: z.number().nonnegative(),
  /** Time in which the load rises to its rate. */
  rampSeconds: z.number(),
  /** Maximum number of requests in flight, over all operations. */
  inFlight: count,
});

/** Users without think time, who start one after another over the ramp, which counts: the service determines the rate. */
const closedTier = z.object({
  ...common,
  users: count,
  /** Undefined: as many as are answered in the time. */
  requestsPerUser: count.optional(),
  rampSeconds: z.number(),
  /** Requests in this time after the first one are not measured; undefined: all are. */
  warmupSeconds: z.number().optional(),
  /** No request is sent later than this after the first, or after the warm-up. */
  limitSeconds: z.number(),
});

const userStage = z.object({ seconds: z.number().nonnegative(), users: count });

/** Users who come and go, linearly from 0 through the stages: a closed loop, with latency as users see it. */
const stagesTier = z.object({
  ...common,
  stages: listOf(userStage),
  /** Time from a response to the user's next request; undefined: none. */
  thinkSeconds: z.number().optional(),
});

/** Tier as stored in a file; the oldest files have users. */
export const tierSchema = z.union([rateTier, usersTier, closedTier, stagesTier]);

/** Load with a fixed arrival rate, in one of two notations, or of users without think time, or who come and go. */
export type Tier = Readonly<z.infer<typeof tierSchema>>;

export type UsersTier = Readonly<z.infer<typeof usersTier>>;

export type RateTier = Readonly<z.infer<typeof rateTier>>;

/** A load with a fixed arrival rate; `arrivalsOf` computes it from either notation. */
export type ArrivalTier = UsersTier | RateTier;

export type ClosedTier = Readonly<z.infer<typeof closedTier>>;

export type StagesTier = Readonly<z.infer<typeof stagesTier>>;

export type UserStage = Readonly<z.infer<typeof userStage>>;

export function isStaged(tier: Tier): tier is StagesTier {
  return 'stages' in tier;
}

export function mostUsers(stages: readonly UserStage[]): number {
  return Math.max(0, ...stages.map(({ users }) => users));
}

export function stagesSeconds(stages: readonly UserStage[]): number {
  return stages.reduce((sum, { seconds }) => sum + seconds, 0);
}

/** Number of users at a time after the start, with fractions: 0 before it and after the last stage. */
export function usersAt(stages: readonly UserStage[], second: number): number {
  let [begin, before] = [0, 0];
  for (const { seconds, users } of stages) {
    if (second >= begin && second < begin + seconds) {
      return before + ((users - before) * (second - begin)) / seconds;
    }
    [begin, before] = [begin + seconds, users];
  }
  return 0;
}

export function isClosed(tier: Tier): tier is ClosedTier {
  return 'limitSeconds' in tier;
}

export function arrivalTiers(tiers: readonly Tier[]): readonly ArrivalTier[] {
  return tiers.flatMap((tier) => (isClosed(tier) || isStaged(tier) ? [] : [tier]));
}

/** Tiers without think time, one for each set of operations and each network, with the fewest users: more users of a fully loaded service would only wait. */
export function leastClosedTiers(tiers: readonly Tier[]): readonly ClosedTier[] {
  const closed = tiers.filter(isClosed);
  return closed.filter((tier) => {
    const alike = closed.filter(
      (other) =>
        other.operations?.toSorted().join(' ') === tier.operations?.toSorted().join(' ') && isSameNetwork(other, tier),
    );
    return alike.toSorted((left, right) => left.users - right.users)[0] === tier;
  });
}

export function tiersWith(tiers: readonly Tier[], operations: readonly string[]): readonly Tier[] {
  return tiers.flatMap((tier) => {
    const left = tier.operations?.filter((name) => operations.includes(name));
    return left === undefined ? [tier] : left.length === 0 ? [] : [{ ...tier, operations: left }];
  });
}

export interface Arrivals {
  /** Over all operations. */
  readonly ratePerSecond: number;
  readonly inFlight: number;
  readonly rampSeconds: number;
}

export function arrivalsOf(tier: ArrivalTier): Arrivals {
  if ('requestsPerSecond' in tier) {
    const { requestsPerSecond, inFlight, rampSeconds } = tier;
    return { ratePerSecond: requestsPerSecond, inFlight, rampSeconds };
  }
  const { users, thinkSeconds, spawnPerSecond } = tier;
  return { ratePerSecond: users / thinkSeconds, inFlight: users, rampSeconds: users / spawnPerSecond };
}

/** Think time of the study's users. */
const STUDY_THINK_SECONDS = 0.3;

const FEWEST_IN_FLIGHT = 16;

export const MAX_IN_FLIGHT = 1000;

/** Default limit for requests in flight: as many as arrive in 0.3 s, at least 16, and at most 1,000, which open files allow. */
export function usualInFlight(requestsPerSecond: number): number {
  const users = Math.round(requestsPerSecond * STUDY_THINK_SECONDS);
  return Math.min(MAX_IN_FLIGHT, Math.max(FEWEST_IN_FLIGHT, users));
}
