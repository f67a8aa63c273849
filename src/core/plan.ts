import { seededRandom, shuffled } from './random.ts';
import type { Operation, Saturation, Suite, Tier } from './suite.ts';

/** How long everything takes; a profile is a named set of lengths. */
export interface Profile {
  readonly name: string;
  /** Multiplies the spawn time of a tier: 1 plays the study's ramp, 0.2 a fifth of it. */
  readonly rampScale: number;
  /** Dropped from the statistics, at the tier's full rate. */
  readonly warmupSeconds: number;
  readonly measureSeconds: number;
  readonly saturationSeconds: number;
  readonly rounds: number;
}

/** The profiles of `wiregauge run`. */
export const PROFILES: Readonly<Record<string, Profile>> = {
  default: { name: 'default', rampScale: 1, warmupSeconds: 2, measureSeconds: 20, saturationSeconds: 8, rounds: 1 },
  smoke: { name: 'smoke', rampScale: 0.2, warmupSeconds: 1, measureSeconds: 5, saturationSeconds: 3, rounds: 1 },
};

/** `open`: the tiers, at a fixed arrival rate. `saturate`: a closed loop, for the highest rate held without errors. */
export type Mode = 'open' | 'saturate';

/** One stage of a slot: so many users, all operations together, for so long. */
export interface Stage {
  readonly phase: 'ramp' | 'steady';
  readonly users: number;
  readonly seconds: number;
}

/** All that happens between one fresh start of a service and its stop. */
export type Slot = OpenSlot | SaturationSlot;

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
  readonly tier: Tier;
  readonly ramp: readonly Stage[];
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

/** Start, readiness and stop of a service, as experience has it; only for the estimate of the plan's length. */
const SECONDS_BETWEEN_SLOTS = 2.5;

/**
 * The slots of a run in the order in which they run: tier by tier, each tier's services in a random order that
 * the seed decides, so that no service always comes first; saturation last.
 */
export function planRun(choice: Omit<Plan, 'slots'>): Plan {
  const random = seededRandom(choice.seed);
  const slots: Slot[] = [];
  for (let round = 1; round <= choice.profile.rounds; round += 1) {
    let position = 0;
    for (const load of loadsOf(choice)) {
      for (const service of shuffled(choice.suite.services, random)) {
        position += 1;
        slots.push({ ...load, service, round, position });
      }
    }
  }
  return { ...choice, slots };
}

/** Wall time that the plan will take, in seconds, service starts included. */
export function plannedSeconds(plan: Plan): number {
  return plan.slots.reduce((sum, slot) => sum + slotSeconds(slot) + SECONDS_BETWEEN_SLOTS, 0);
}

/** Seconds of load in a slot: ramp, warm-up and measurement. */
export function slotSeconds(slot: Slot): number {
  const ramp = slot.mode === 'open' ? slot.ramp.reduce((sum, stage) => sum + stage.seconds, 0) : 0;
  return ramp + slot.warmupSeconds + slot.measureSeconds;
}

/** The share of an operation in an arrival rate of all users together, as a whole number, since ghz takes no other. */
export function operationRate(tier: Tier, users: number, operation: Operation): number {
  return Math.max(1, Math.round((users / tier.thinkSeconds) * operation.share));
}

/** The share of an operation in the requests that may be in flight. */
export function operationWorkers(workers: number, operation: Operation): number {
  return Math.max(1, Math.round(workers * operation.share));
}

type SlotLoad =
  | Omit<OpenSlot, 'service' | 'round' | 'position'>
  | Omit<SaturationSlot, 'service' | 'round' | 'position'>;

function loadsOf({ suite, profile, modes }: Omit<Plan, 'slots'>): SlotLoad[] {
  const { warmupSeconds, measureSeconds, saturationSeconds } = profile;
  const open: SlotLoad[] = suite.tiers.map((tier) => ({
    mode: 'open',
    tier,
    ramp: rampOf(tier, profile),
    warmupSeconds,
    measureSeconds,
  }));
  const saturate: SlotLoad = {
    mode: 'saturate',
    saturation: suite.saturation,
    warmupSeconds,
    measureSeconds: saturationSeconds,
  };
  return [...(modes.includes('open') ? open : []), ...(modes.includes('saturate') ? [saturate] : [])];
}

/** Stairs of one second each up to the tier's users: neither tool's command line can raise its rate smoothly. */
function rampOf(tier: Tier, profile: Profile): Stage[] {
  const stairs = Math.max(1, Math.round((tier.users / tier.spawnPerSecond) * profile.rampScale));
  return Array.from({ length: stairs }, (_, index) => ({
    phase: 'ramp' as const,
    users: Math.round((tier.users * (index + 1)) / stairs),
    seconds: 1,
  }));
}
