import { seededRandom, shuffled } from '../foundation/random.ts';
import { SATURATION } from './metric.ts';
import { type Place, programsFor } from './service.ts';
import { isLoadedAt, operationsFor } from './suite/groups.ts';
import { type OverNetwork, overNetwork } from './suite/network.ts';
import type { Operation, Saturation, Suite } from './suite/suite.ts';
import {
  type ArrivalTier,
  arrivalsOf,
  arrivalTiers,
  type ClosedTier,
  isClosed,
  isStaged,
  mostUsers,
  type StagesTier,
  stagesSeconds,
  type Tier,
  type UserStage,
  warmupSecondsOf,
} from './suite/suite.ts';

/** How long everything takes in the slots of a run. */
export interface Profile {
  readonly name: string;
  /** Multiplies the ramp of a tier: 1 is the ramp of the study, 0.2 a fifth of it. */
  readonly rampScale: number;
  /** Dropped from the statistics, at the tier's full rate. */
  readonly warmupSeconds: number;
  readonly measureSeconds: number;
  readonly saturationSeconds: number;
  /** Multiplies the ramp, the requests and the time limit of a tier without think time, and the length of stages; undefined: 1. */
  readonly closedScale?: number | undefined;
  readonly rounds: number;
}

/** Name of the profile of a soak: one start of each service, loaded for a given time. */
export const SOAK = 'soak';

/** `open`: the tiers, most of them at a fixed arrival rate. `saturate`: a closed loop, for the highest rate without errors. */
export type Mode = 'open' | 'saturate';

export function usualModes({ tiers }: Pick<Suite, 'tiers'>): readonly Mode[] {
  return arrivalTiers(tiers).length === 0 ? ['open'] : ['open', 'saturate'];
}

export type Pace = SteadyPace | UsersPace | StagesPace;

/** The same from the first request to the last. */
export type SteadyPace = OpenPace | SaturatingPace;

interface SaturatingPace extends OverNetwork {
  readonly mode: 'saturate';
  readonly workers: number;
}

/** As fast as this many users send them, who begin one after the other; see ClosedTier. */
export interface UsersPace extends OverNetwork {
  readonly mode: 'users';
  readonly workers: number;
  readonly requestsPerUser: number | undefined;
  readonly rampSeconds: number;
}

/** As fast as users send them who come and go; see StagesTier. */
export interface StagesPace extends OverNetwork {
  readonly mode: 'stages';
  readonly workers: number;
  readonly stages: readonly UserStage[];
  readonly thinkSeconds: number;
}

interface OpenPace extends OverNetwork {
  readonly mode: 'open';
  readonly ratePerSecond: number;
  readonly workers: number;
}

/** Load at one pace for a time. */
export interface Block {
  readonly pace: Pace;
  readonly seconds: number;
}

export type Slot = OpenSlot | ClosedSlot | SaturationSlot;

interface SlotPlace {
  readonly service: string;
  readonly round: number;
  /** Place in the order in which the slots of a round run, from 1. */
  readonly position: number;
  readonly warmupSeconds: number;
  readonly measureSeconds: number;
}

export interface OpenSlot extends SlotPlace {
  readonly mode: 'open';
  readonly tier: ArrivalTier;
  readonly ramp: readonly Block[];
  readonly pace: Pace;
}

/** `measureSeconds` is its time limit behind the warm-up: it is over when every request is answered. */
export interface ClosedSlot extends SlotPlace {
  readonly mode: 'closed';
  readonly tier: ClosedTier | StagesTier;
  readonly pace: UsersPace | StagesPace;
}

export interface SaturationSlot extends SlotPlace {
  readonly mode: 'saturate';
  readonly saturation: Saturation;
}

export interface Plan {
  readonly suite: Suite;
  readonly profile: Profile;
  readonly modes: readonly Mode[];
  readonly seed: number;
  readonly slots: readonly Slot[];
}

/** Start, readiness and stop of a program and reading what the load tool recorded, as experience has it; for the plan's length. */
const SECONDS_AROUND_SLOT: Readonly<Record<Place['runtime'], { readonly records: number; readonly program: number }>> =
  {
    docker: { records: 0.9, program: 0.9 },
    process: { records: 0.9, program: 0.8 },
    both: { records: 0.9, program: 0.9 },
    kubernetes: { records: 0.9, program: 3 },
  };

/** Slots of a run in order: each tier's services in a random order by the seed, saturation last. */
export function planRun(choice: Omit<Plan, 'slots'>): Plan {
  const random = seededRandom(choice.seed);
  const slots: Slot[] = [];
  for (let round = 1; round <= choice.profile.rounds; round += 1) {
    let position = 0;
    for (const load of loadsOf(choice)) {
      const isLoaded = (service: string) =>
        isLoadedAt(choice.suite, service, load.mode === 'saturate' ? undefined : load.tier);
      for (const service of shuffled(choice.suite.services, random).filter(isLoaded)) {
        position += 1;
        slots.push({ ...load, service, round, position });
      }
    }
  }
  return { ...choice, slots };
}

/** Wall time of these slots, in seconds, service starts included; tiers without think time may be over sooner. */
export function plannedSeconds({ slots }: Pick<Plan, 'slots'>, place: Place): number {
  const { records, program } = SECONDS_AROUND_SLOT[place.runtime];
  return slots.reduce((sum, slot) => sum + slotSeconds(slot) + records + program * programsFor(place, slot.service), 0);
}

export function tierOf(slot: Slot): string {
  return slot.mode === 'saturate' ? SATURATION : slot.tier.name;
}

/** Operations that a tier requests, with shares that add up to 1: those that it names, else all. */
export function operationsAt({ operations }: Pick<Suite, 'operations'>, tier: Pick<Tier, 'operations'> | undefined) {
  return tier?.operations === undefined ? operations : operationsNamed(operations, tier.operations);
}

function operationsNamed(operations: readonly Operation[], names: readonly string[]): readonly Operation[] {
  const loaded = operations.filter(({ name }) => names.includes(name));
  const whole = loaded.reduce((sum, { share }) => sum + share, 0);
  return loaded.map((operation) => ({ ...operation, share: operation.share / whole }));
}

export function operationsIn(suite: Pick<Suite, 'operations' | 'groups'>, slot: Slot): readonly Operation[] {
  const operations = operationsFor(suite, slot.service);
  return operationsAt({ operations }, slot.mode === 'saturate' ? undefined : slot.tier);
}

export function slotSeconds(slot: Slot): number {
  const ramp = slot.mode === 'open' ? slot.ramp.reduce((sum, block) => sum + block.seconds, 0) : 0;
  return ramp + slot.warmupSeconds + slot.measureSeconds;
}

export function paceOf(tier: ArrivalTier): SteadyPace {
  const { ratePerSecond, inFlight } = arrivalsOf(tier);
  return { mode: 'open', ratePerSecond, workers: inFlight, ...overNetwork(tier) };
}

/** The share of an operation in an arrival rate, as a whole number, since ghz takes no other. */
export function operationRate(ratePerSecond: number, operation: Operation): number {
  return Math.max(1, Math.round(ratePerSecond * operation.share));
}

/** Rate offered at an arrival rate, once every operation has its whole number of it. */
export function offeredRate(ratePerSecond: number, operations: readonly Operation[]): number {
  return operations.reduce((sum, operation) => sum + operationRate(ratePerSecond, operation), 0);
}

export function operationWorkers(workers: number, operation: Operation): number {
  return Math.max(1, Math.round(workers * operation.share));
}

type SlotLoad =
  | Omit<OpenSlot, 'service' | 'round' | 'position'>
  | Omit<ClosedSlot, 'service' | 'round' | 'position'>
  | Omit<SaturationSlot, 'service' | 'round' | 'position'>;

function loadsOf({ suite, profile, modes }: Omit<Plan, 'slots'>): SlotLoad[] {
  const { warmupSeconds, saturationSeconds } = profile;
  const tiers = suite.tiers.map((tier) => tierLoad(tier, profile));
  const saturate: SlotLoad = {
    mode: 'saturate',
    saturation: suite.saturation,
    warmupSeconds: Math.max(warmupSeconds, warmupSecondsOf(suite, profile.name)),
    measureSeconds: saturationSeconds,
  };
  return [...(modes.includes('open') ? tiers : []), ...(modes.includes('saturate') ? [saturate] : [])];
}

function tierLoad(tier: Tier, profile: Profile): SlotLoad {
  if (isStaged(tier)) {
    return stagedLoad(tier, profile);
  }
  return isClosed(tier) ? closedLoad(tier, profile) : openLoad(tier, profile);
}

function stagedLoad(tier: StagesTier, { closedScale = 1 }: Profile): SlotLoad {
  const stages = tier.stages.map(({ seconds, users }) => ({ seconds: seconds * closedScale, users }));
  const { thinkSeconds = 0 } = tier;
  const pace: StagesPace = { mode: 'stages', workers: mostUsers(stages), stages, thinkSeconds, ...overNetwork(tier) };
  return { mode: 'closed', tier, pace, warmupSeconds: 0, measureSeconds: stagesSeconds(stages) };
}

function openLoad(tier: ArrivalTier, profile: Profile): SlotLoad {
  const { warmupSeconds, measureSeconds } = profile;
  return { mode: 'open', tier, ramp: rampOf(tier, profile), pace: paceOf(tier), warmupSeconds, measureSeconds };
}

function closedLoad(tier: ClosedTier, { closedScale = 1 }: Profile): SlotLoad {
  const { users: workers, requestsPerUser, rampSeconds, warmupSeconds = 0, limitSeconds } = tier;
  const pace: UsersPace = {
    mode: 'users',
    workers,
    requestsPerUser: requestsPerUser && Math.max(1, Math.round(requestsPerUser * closedScale)),
    rampSeconds: rampSeconds * closedScale,
    ...overNetwork(tier),
  };
  const lasting = { warmupSeconds: warmupSeconds * closedScale, measureSeconds: limitSeconds * closedScale };
  return { mode: 'closed', tier, pace, ...lasting };
}

/** Stairs of one second each up to the tier's load: neither tool's command line can raise its rate smoothly. */
function rampOf(tier: ArrivalTier, profile: Profile): Block[] {
  const { ratePerSecond, inFlight, rampSeconds } = arrivalsOf(tier);
  const network = overNetwork(tier);
  const stairs = rampSeconds === 0 ? 0 : Math.max(1, Math.round(rampSeconds * profile.rampScale));
  return Array.from({ length: stairs }, (_, index): Block => {
    const share = (index + 1) / stairs;
    const workers = Math.max(1, Math.round(inFlight * share));
    return { pace: { mode: 'open', ratePerSecond: ratePerSecond * share, workers, ...network }, seconds: 1 };
  });
}
