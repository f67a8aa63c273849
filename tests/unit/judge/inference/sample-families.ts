import type { Random } from '../../../../src/foundation/random.ts';
import { normalQuantile } from '../../../../src/judge/inference/distributions.ts';
import type { FamilyRule, Paired } from '../../../../src/judge/inference/family-test.ts';

/** A standard normal value. */
export function normalValue(random: Random): number {
  return normalQuantile(Math.max(random(), 2 ** -33));
}

/** How a simulated family behaves. */
interface Simulated {
  readonly comparisons: number;
  readonly rounds: number;
  /** The standard deviation of the log of one side in one round. */
  readonly noise: number;
  /** The log of the true change of each comparison. */
  readonly change: (comparison: number) => number;
}

/** Sides with normal noise around a level that drifts and that both share. */
export function simulatedFamily({ comparisons, rounds, noise, change }: Simulated, random: Random): readonly Paired[] {
  return Array.from({ length: comparisons }, (_, comparison) => {
    const level = (round: number) => 3 + 0.02 * Math.sin(round / 3);
    const side = (moved: number) =>
      Array.from({ length: rounds }, (_, round) => level(round) + moved + noise * normalValue(random));
    return { base: side(0), head: side(change(comparison)) };
  });
}

/** A rule with one look, at which all of alpha is spent. */
export const once = (rounds: number, alpha = 0.02): FamilyRule => ({
  floor: 0,
  alpha,
  looks: [{ rounds, spent: 1 }],
  seed: 1,
});

/** Base 0 and head 1 in every round, the other way round where a round is named: every score has the same size. */
export function steps(rounds: number, reversed: readonly number[] = []): Paired {
  const isReversed = (round: number) => reversed.includes(round);
  return {
    base: Array.from({ length: rounds }, (_, round) => (isReversed(round) ? 1 : 0)),
    head: Array.from({ length: rounds }, (_, round) => (isReversed(round) ? 0 : 1)),
  };
}
