import { type Random, shuffled } from '../../foundation/random.ts';
import { isGate, type Policy, thresholdOf } from '../../model/policy.ts';
import type { Compared } from '../verdict/finding.ts';
import { logComparison } from '../verdict/series.ts';
import type { Gated } from './decision.ts';

/** A comparison of recorded rounds that may fail a pull request. */
export interface Recorded extends Gated {
  readonly compared: Compared;
}

/** How rounds are drawn from recorded ones. */
export interface Drawing {
  readonly rounds: number;
  /** "fresh" gives every round new labels by a fair coin, which unchanged code allows. */
  readonly labels: 'fresh' | 'recorded';
  readonly random: Random;
}

/** The gate family of recorded comparisons, as logarithms and with the thresholds of the policy. */
export function recordedOf(compared: readonly Compared[], policy: Policy): readonly Recorded[] {
  return compared
    .filter((one) => isGate(policy, one, one.gate))
    .map((one) => {
      const { base, head } = logComparison(one);
      return { compared: one, base, head, threshold: thresholdOf(policy, one) };
    });
}

/** The rounds that every comparison has. */
export function roundsOf(recorded: readonly Recorded[]): number {
  return recorded.length === 0 ? 0 : Math.min(...recorded.map(({ base }) => base.length));
}

/**
 * A comparison of two versions as it might have been measured: rounds of each service in random order, none twice.
 * All comparisons of a service get the same rounds and the same labels, so that what they have in common stays.
 */
export function drawRounds(recorded: readonly Recorded[], drawing: Drawing): readonly Recorded[] {
  const places = new Map<string, readonly Place[]>();
  return recorded.map((one) => {
    const { service } = one.compared.cell;
    const drawn = places.get(service) ?? drawPlaces(one.base.length, drawing);
    places.set(service, drawn);
    return {
      ...one,
      base: drawn.map(({ round, isSwapped }) => (isSwapped ? one.head : one.base)[round]),
      head: drawn.map(({ round, isSwapped }) => (isSwapped ? one.base : one.head)[round]),
    };
  });
}

interface Place {
  readonly round: number;
  readonly isSwapped: boolean;
}

function drawPlaces(recorded: number, { rounds, labels, random }: Drawing): readonly Place[] {
  const all = Array.from({ length: recorded }, (_, round) => round);
  return shuffled(all, random)
    .slice(0, rounds)
    .map((round) => ({ round, isSwapped: labels === 'fresh' && random() < 0.5 }));
}

/** So many rounds as they were measured, in their order and with their labels. */
export function consecutiveRounds(recorded: readonly Recorded[], from: number, rounds: number): readonly Recorded[] {
  return recorded.map((one) => ({
    ...one,
    base: one.base.slice(from, from + rounds),
    head: one.head.slice(from, from + rounds),
  }));
}
