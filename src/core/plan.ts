import type { Saturation, Suite, Tier } from './suite.ts';

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

export type Mode = 'open' | 'saturate';

/** One stage of a slot: an arrival rate of all operations together and a bound on requests in flight. */
export interface Stage {
  readonly phase: 'ramp' | 'steady';
  readonly users: number;
  readonly seconds: number;
}

/** All that happens between one fresh start of a service and its stop. */
export type Slot = OpenSlot | SaturationSlot;

export interface OpenSlot {
  readonly mode: 'open';
  readonly service: string;
  readonly tier: Tier;
  readonly round: number;
  readonly position: number;
  readonly ramp: readonly Stage[];
  readonly warmupSeconds: number;
  readonly measureSeconds: number;
}

export interface SaturationSlot {
  readonly mode: 'saturate';
  readonly service: string;
  readonly saturation: Saturation;
  readonly round: number;
  readonly position: number;
  readonly warmupSeconds: number;
  readonly measureSeconds: number;
}

export interface Plan {
  readonly suite: Suite;
  readonly profile: Profile;
  readonly modes: readonly Mode[];
  readonly seed: number;
  readonly slots: readonly Slot[];
}
