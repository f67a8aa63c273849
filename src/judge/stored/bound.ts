import { studentQuantile } from '../inference/student.ts';
import type { PastLevel } from './level.ts';

/** What a run is judged by besides its past. */
export interface HistoryRule {
  /** The share of unchanged runs that may show any suspicion, over the whole family. */
  readonly alpha: number;
  /** Comparisons in the family. */
  readonly familySize: number;
  /** The slowdown that counts, relative: 0.05 is 5 % worse. */
  readonly threshold: number;
}

/** Where a run stands: `within-bound` is "no regression", `inconclusive` neither that nor a suspicion. */
export type BoundStanding = 'suspicious' | 'within-bound' | 'inconclusive';

/** How a run stands against its past; logarithms, up is worse. */
export interface Bounded {
  readonly standing: BoundStanding;
  /** The prediction bound: one unchanged run is above it with a probability of alpha / familySize. */
  readonly bound: number;
  /** The smallest slowdown, relative, that this past would have shown as a suspicion 9 times in 10. */
  readonly detectable: number;
}

/** What must be excluded before a run counts as not regressed: as for the interval of base against head. */
const CLEARED = 0.975;

const FOUND = 0.9;

/**
 * Holds one run against its level.
 *
 * The bound is m + t(1 - alpha / M) * s * sqrt(1 + pi / (2 n)): one run's noise and that of a median of n normal values.
 * The centre is the own stratum's, so n is its runs, while Student's t has the degrees of freedom of all pooled runs.
 *
 * Suspicious: above the bound, above the threshold, and above the worst run of the past by half the threshold. The
 * last clause needs no distribution: without it real, heavy-tailed histories alarm four times as often.
 *
 * No regression: not above the bound, the bound below the threshold, and a slowdown of the threshold excluded at 97.5 %.
 */
export function boundOf(y: number, level: PastLevel, rule: HistoryRule): Bounded {
  const { centre, worst } = level;
  const limit = Math.log1p(rule.threshold);
  const degrees = level.runs - level.strata;
  const error = level.spread * Math.sqrt(1 + Math.PI / (2 * level.own.length));
  const bound = centre + studentQuantile(1 - rule.alpha / rule.familySize, degrees) * error;
  const suspicious = Math.max(bound, centre + limit, worst + limit / 2);
  const cleared = Math.min(bound, centre + limit - studentQuantile(CLEARED, degrees) * error);
  const canClear = bound < centre + limit;
  return {
    standing: y > suspicious ? 'suspicious' : canClear && y <= cleared ? 'within-bound' : 'inconclusive',
    bound,
    detectable: Math.expm1(suspicious - centre + studentQuantile(FOUND, degrees) * error),
  };
}
