import * as z from 'zod';
import { nameSchema as name } from '../foundation/names.ts';
import { seededRandom, shuffled } from '../foundation/random.ts';
import { count } from './fields.ts';
import { SATURATION } from './metric.ts';
import { type Place, programsFor } from './service.ts';
import { isLoadedAt, operationsFor } from './suite/groups.ts';
import { type OverNetwork, overNetwork } from './suite/network.ts';
import {
  type ArrivalTier,
  arrivalsOf,
  arrivalTiers,
  isClosed,
  isStaged,
  mostUsers,
  type Operation,
  type Suite,
  stagesSeconds,
  type Tier,
  type UserStage,
  warmupSecondsOf,
} from './suite/suite.ts';

export const profileSchema = z.object({
  name,
  /** Factor for the ramp of a tier: 1 is the ramp of the study, 0.2 a fifth of it. */
  rampScale: z.number(),
  /** Seconds left out of the statistics, at the tier's full rate. */
  warmupSeconds: z.number(),
  measureSeconds: z.number(),
  saturationSeconds: z.number(),
  /** Factor for the ramp, the requests and the time limit of a tier without think time, and the length of stages; undefined: 1. */
  closedScale: z.number().optional(),
  rounds: count,
});

/** Durations in the trials of a run. */
export type Profile = Readonly<z.infer<typeof profileSchema>>;

/** Name of the profile of a soak: one start of each service, loaded for a given time. */
export const SOAK = 'soak';

/** `open`: the tiers, most of them at a fixed arrival rate. `saturate`: a closed loop, for the highest rate without errors. */
export type Mode = 'open' | 'saturate';

export function usualModes({ tiers }: Pick<Suite, 'tiers'>): readonly Mode[] {
  return arrivalTiers(tiers).length === 0 ? ['open'] : ['open', 'saturate'];
}

/** Pace of a load. All but `open` are closed loops, whose workers have at most one request in flight each. */
export type Pace = SteadyPace | UsersPace | StagesPace;

/** Pace that is constant from the first request to the last. */
export type SteadyPace =
  | (OverNetwork & { readonly kind: 'open'; readonly ratePerSecond: number; readonly workers: number })
  | (OverNetwork & { readonly kind: 'saturate'; readonly workers: number });

/** Pace of ramped users, as fast as the service answers them; see ClosedTier. */
export interface UsersPace extends OverNetwork {
  readonly kind: 'users';
  readonly workers: number;
  /** Undefined: as many as are answered in the time. */
  readonly requestsPerUser: number | undefined;
  readonly rampSeconds: number;
}

/** Pace of users who come and go, as fast as they send; see StagesTier. */
export interface StagesPace extends OverNetwork {
  readonly kind: 'stages';
  readonly workers: number;
  readonly stages: readonly UserStage[];
  readonly thinkSeconds: number;
}

export interface Block {
  readonly pace: Pace;
  readonly seconds: number;
}

/** Fresh start of a service, and its load: a ramp and then one pace. */
export interface PlannedTrial {
  readonly service: string;
  readonly round: number;
  /** Position in the order of the trials of a round, from 1. */
  readonly position: number;
  /** Undefined: saturation. */
  readonly tier: Tier | undefined;
  readonly ramp: readonly Block[];
  readonly pace: Pace;
  readonly warmupSeconds: number;
  /** Seconds after the warm-up; for users without an arrival rate a limit: it ends when every request is answered. */
  readonly measureSeconds: number;
}

export interface Plan {
  readonly suite: Suite;
  readonly profile: Profile;
  readonly modes: readonly Mode[];
  readonly seed: number;
  readonly trials: readonly PlannedTrial[];
}

/** Typical seconds to start, become ready and stop a program, for estimates of a plan's duration. */
const PROGRAM_SECONDS: Readonly<Record<Place['runtime'], number>> = {
  docker: 0.9,
  process: 0.8,
  both: 0.9,
  kubernetes: 3,
};

const RECORDS_SECONDS = 0.9;

/** Trials of a run in order: each tier's services in a random order by the seed, saturation last. */
export function planRun(choice: Omit<Plan, 'trials'>): Plan {
  const random = seededRandom(choice.seed);
  const trials: PlannedTrial[] = [];
  for (let round = 1; round <= choice.profile.rounds; round += 1) {
    let position = 0;
    for (const load of loadsOf(choice)) {
      const isLoaded = (service: string) => isLoadedAt(choice.suite, service, load.tier);
      for (const service of shuffled(choice.suite.services, random).filter(isLoaded)) {
        position += 1;
        trials.push({ ...load, service, round, position });
      }
    }
  }
  return { ...choice, trials };
}

/** Wall time of these trials in seconds, including service starts; tiers without think time may end sooner. */
export function plannedSeconds({ trials }: Pick<Plan, 'trials'>, place: Place): number {
  const around = (service: string) => RECORDS_SECONDS + PROGRAM_SECONDS[place.runtime] * programsFor(place, service);
  return trials.reduce((sum, one) => sum + trialSeconds(one) + around(one.service), 0);
}

export function tierOf({ tier }: PlannedTrial): string {
  return tier?.name ?? SATURATION;
}

/** Operations that a tier requests, with shares that add up to 1: the named ones, else all. */
export function operationsAt({ operations }: Pick<Suite, 'operations'>, tier: Pick<Tier, 'operations'> | undefined) {
  const names = tier?.operations;
  if (names === undefined) {
    return operations;
  }
  const loaded = operations.filter((one) => names.includes(one.name));
  const whole = loaded.reduce((sum, { share }) => sum + share, 0);
  return loaded.map((operation) => ({ ...operation, share: operation.share / whole }));
}

export function operationsIn(
  suite: Pick<Suite, 'operations' | 'groups'>,
  { service, tier }: PlannedTrial,
): readonly Operation[] {
  return operationsAt({ operations: operationsFor(suite, service) }, tier);
}

export function trialSeconds({ ramp, warmupSeconds, measureSeconds }: PlannedTrial): number {
  return ramp.reduce((sum, { seconds }) => sum + seconds, 0) + warmupSeconds + measureSeconds;
}

export function paceOf(tier: ArrivalTier): SteadyPace {
  const { ratePerSecond, inFlight } = arrivalsOf(tier);
  return { kind: 'open', ratePerSecond, workers: inFlight, ...overNetwork(tier) };
}

/** Share of an operation in an arrival rate, as a whole number, which ghz requires. */
export function operationRate(ratePerSecond: number, operation: Operation): number {
  return Math.max(1, Math.round(ratePerSecond * operation.share));
}

/** Offered rate for an arrival rate, once every operation has its whole number of it. */
export function offeredRate(ratePerSecond: number, operations: readonly Operation[]): number {
  return operations.reduce((sum, operation) => sum + operationRate(ratePerSecond, operation), 0);
}

export function operationWorkers(workers: number, operation: Operation): number {
  return Math.max(1, Math.round(workers * operation.share));
}

type TrialLoad = Omit<PlannedTrial, 'service' | 'round' | 'position'>;

function loadsOf({ suite, profile, modes }: Omit<Plan, 'trials'>): TrialLoad[] {
  const saturation: TrialLoad = {
    tier: undefined,
    ramp: [],
    pace: { kind: 'saturate', workers: suite.saturation.workers, ...overNetwork(suite) },
    warmupSeconds: Math.max(profile.warmupSeconds, warmupSecondsOf(suite, profile.name)),
    measureSeconds: profile.saturationSeconds,
  };
  return [
    ...(modes.includes('open') ? suite.tiers.map((tier) => tierLoad(tier, profile)) : []),
    ...(modes.includes('saturate') ? [saturation] : []),
  ];
}

function tierLoad(tier: Tier, profile: Profile): TrialLoad {
  const { warmupSeconds, measureSeconds, closedScale = 1 } = profile;
  const network = overNetwork(tier);
  if (isStaged(tier)) {
    const stages = tier.stages.map(({ seconds, users }) => ({ seconds: seconds * closedScale, users }));
    const { thinkSeconds = 0 } = tier;
    const pace: StagesPace = { kind: 'stages', workers: mostUsers(stages), stages, thinkSeconds, ...network };
    return { tier, ramp: [], pace, warmupSeconds: 0, measureSeconds: stagesSeconds(stages) };
  }
  if (!isClosed(tier)) {
    return { tier, ramp: rampOf(tier, profile), pace: paceOf(tier), warmupSeconds, measureSeconds };
  }
  const pace: UsersPace = {
    kind: 'users',
    workers: tier.users,
    requestsPerUser: tier.requestsPerUser && Math.max(1, Math.round(tier.requestsPerUser * closedScale)),
    rampSeconds: tier.rampSeconds * closedScale,
    ...network,
  };
  const lasting = {
    warmupSeconds: (tier.warmupSeconds ?? 0) * closedScale,
    measureSeconds: tier.limitSeconds * closedScale,
  };
  return { tier, ramp: [], pace, ...lasting };
}

/** Steps of one second each up to the tier's load: neither tool's command line can raise its rate smoothly. */
function rampOf(tier: ArrivalTier, profile: Profile): Block[] {
  const { ratePerSecond, inFlight, rampSeconds } = arrivalsOf(tier);
  const network = overNetwork(tier);
  const stairs = rampSeconds === 0 ? 0 : Math.max(1, Math.round(rampSeconds * profile.rampScale));
  return Array.from({ length: stairs }, (_, index): Block => {
    const share = (index + 1) / stairs;
    const workers = Math.max(1, Math.round(inFlight * share));
    return { pace: { kind: 'open', ratePerSecond: ratePerSecond * share, workers, ...network }, seconds: 1 };
  });
}
