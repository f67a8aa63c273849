import { studentQuantile } from '../inference/distributions.ts';
import { excessesOf, type StoredLevel } from './bound.ts';

/** The past run that the critical value comes from, counted from the worst: one or two bad days do not decide. */
const RANK = 3;

/** How far values go beyond what was seen: as those of Student's t with 4 degrees of freedom do. */
const TAIL = 4;

/**
 * How many standard errors above its level a figure must be, so that at most a share `alpha` of unchanged runs shows any such figure
 * in a family, whatever the noise: heavy tails, and figures that move together.
 *
 * Each run of the past is held against the others as a new one would be, and its worst figure counts. Of n such worst figures a new run
 * exceeds the third largest with a probability of 3 / (n + 1). From there to `alpha` the tail of Student's t with 4 degrees of
 * freedom leads: the probability falls with the fourth power. It is never less than a single figure of normal noise would need.
 */
export function criticalValue(levels: readonly StoredLevel[], alpha: number): number {
  const worst = new Map<string, number>();
  for (const { at, excess } of levels.flatMap(excessesOf)) {
    worst.set(at, Math.max(excess, worst.get(at) ?? excess));
  }
  const runs = Math.min(...levels.map((level) => level.runs));
  const rank = Math.min(RANK, worst.size);
  const seen = [...worst.values()].sort((left, right) => right - left)[rank - 1] ?? 0;
  const beyond = Math.max(1, (rank / ((runs + 1) * alpha)) ** (1 / TAIL));
  return Math.max(studentQuantile(1 - alpha, runs - 1), beyond * seen);
}
