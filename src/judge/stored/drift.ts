import { theilSen } from '../inference/theil-sen.ts';

/** How a history moved while nobody alarmed. */
export interface Drift {
  /** The Theil-Sen slope over 30 runs, as a relative change for the worse: 0.04 is 4 % slower. */
  readonly per30Runs: number;
  /** Two-sided sign test of the second half against the first, run by run (Cox and Stuart, 1955). */
  readonly p: number;
}

const RUNS = 30;

/** The largest p, and the least slope, at which a drift is worth a sentence. */
const SHOWN = { p: 0.01, per30Runs: 0.01 };

/** The drift of values in order of time (logarithms, up is worse); undefined for fewer than two. */
export function driftOf(values: readonly number[]): Drift | undefined {
  const slope = theilSen(
    values.map((_, index) => index),
    values,
  );
  return slope === undefined ? undefined : { per30Runs: Math.expm1(slope * RUNS), p: trendP(values) };
}

/** Whether a history got slower, little by little: unlikely by chance, and by at least 1 % in 30 runs. */
export function isSlowdown({ per30Runs, p }: Drift): boolean {
  return p <= SHOWN.p && per30Runs >= SHOWN.per30Runs;
}

/** With an odd count the middle value has no partner. */
function trendP(values: readonly number[]): number {
  const half = Math.floor(values.length / 2);
  const later = values.slice(values.length - half);
  const steps = later.map((value, index) => Math.sign(value - (values[index] ?? value))).filter((sign) => sign !== 0);
  const ups = steps.filter((sign) => sign > 0).length;
  return Math.min(1, 2 * atMost(Math.min(ups, steps.length - ups), steps.length));
}

/** The probability of so many heads or fewer in so many throws of a fair coin. */
function atMost(heads: number, throws: number): number {
  let term = 2 ** -throws;
  let sum = term;
  for (let count = 1; count <= heads; count += 1) {
    term *= (throws - count + 1) / count;
    sum += term;
  }
  return sum;
}
