import { median } from '../../foundation/index.ts';
import { noiseOf } from '../inference/detectable.ts';

/** So many runs in a row beyond the old level are a new one: a bad day, or a few, are not. */
export const STEP_RUNS = 5;

/** A level is known from so many runs on. */
const LEVEL_RUNS = 10;

/** Older runs of a level say less of it. */
const MOST_RUNS = 30;

/** How many standard deviations from the median a value has to lie, if that is more than the threshold. */
const REACH = 2;

/** A level that never moved tells little of its noise. */
const LEAST_SPREAD = 0.01;

/**
 * The places at which values (logarithms, in order of time) begin a new level: 5 in a row lie on the same side of the median of at
 * least 10 before them, each by more than the limit and by more than 2 standard deviations.
 */
export function stepsIn(values: readonly number[], limit: number): readonly number[] {
  const steps: number[] = [];
  let from = 0;
  for (let at = LEVEL_RUNS; at + STEP_RUNS <= values.length; at += 1) {
    if (at - from >= LEVEL_RUNS && isStep(values.slice(from, at), values.slice(at, at + STEP_RUNS), limit)) {
      steps.push(at);
      from = at;
    }
  }
  return steps;
}

function isStep(before: readonly number[], after: readonly number[], limit: number): boolean {
  const sides = after.map(sideOf(before, limit));
  return sides[0] !== 0 && sides.every((side) => side === sides[0]);
}

/** Says of a value whether it lies above (1) or below (-1) what the level reaches, or within it (0). */
export function sideOf(level: readonly number[], limit: number): (value: number) => number {
  const newest = level.slice(-MOST_RUNS);
  const middle = median(newest) ?? 0;
  const noise = newest.length === 0 ? 0 : noiseOf(newest);
  const reach = Math.max(limit, REACH * Math.max(LEAST_SPREAD, noise));
  return (value) => (Math.abs(value - middle) > reach ? Math.sign(value - middle) : 0);
}
