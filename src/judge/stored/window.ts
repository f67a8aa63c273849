/** A value of the past, ready for the rule. */
export interface PastValue {
  /** The natural logarithm of the metric, negated where higher is better: up is worse. */
  readonly y: number;
  /** The natural logarithm of the control loop's time; undefined where the run had none. */
  readonly logControl: number | undefined;
  /** Rounds that it is the median of. */
  readonly rounds: number;
}

/** Past values in order of time, by the kind of machine that they were measured on. */
export interface PastValues {
  /** Of the machine of the run that is judged. */
  readonly own: readonly PastValue[];
  readonly others: readonly (readonly PastValue[])[];
}

/** The newest runs of a stratum that count; older ones say less of today's machines. */
const MOST_RUNS = 30;

/** Runs from which on a verdict is firm; a stratum with fewer is pooled with the others. */
export const FIRM_RUNS = 20;

/** Runs from which on there is advice; with fewer, a history is only collected. */
export const ADVISORY_RUNS = 10;

/** Runs that a stratum needs for its median to stand for its level. */
const STRATUM_RUNS = 5;

/**
 * The values that the rule is applied to, by stratum, the run's own stratum first: its newest 30 runs; where it has
 * fewer than 20, together with every other stratum of at least 5. Empty where that makes fewer than 10 runs, or where
 * the own stratum has fewer than 5, since then nobody knows its level.
 */
export function windowOf({ own, others }: PastValues): readonly (readonly PastValue[])[] {
  const recent = own.slice(-MOST_RUNS);
  if (recent.length >= FIRM_RUNS) {
    return [recent];
  }
  const pool = [recent, ...others.map((values) => values.slice(-MOST_RUNS))].filter(
    ({ length }) => length >= STRATUM_RUNS,
  );
  return recent.length < STRATUM_RUNS || pool.flat().length < ADVISORY_RUNS ? [] : pool;
}
