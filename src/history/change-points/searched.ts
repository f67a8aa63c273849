import { isErrorRate } from '../../model/index.ts';
import type { ChangePoint } from './change-points.ts';

/** What a series is of. */
interface Named {
  readonly metric: string;
  readonly unit: string;
}

/**
 * What is added to an error rate before its logarithm is taken, as 0 has none. From 0 the smallest change, 5 % of it, is one of 0.1
 * percentage points, as in the verdict on errors; from 50 % it is one of 2.6.
 */
const ADDED = 0.02;

/** A figure as change points are searched in it; null if it has no logarithm. */
export function searchedValue(series: Named, value: number): number | null {
  if (isErrorRate(series)) {
    return value >= 0 ? value + ADDED : null;
  }
  return value > 0 ? value : null;
}

/** A change point that was found among such figures, in the unit of the series; of error rates its shift is a difference of shares. */
export function shownPoint(series: Named, point: ChangePoint): ChangePoint {
  const { before, after, shift } = point;
  return isErrorRate(series)
    ? { ...point, before: Math.max(0, before - ADDED), after: Math.max(0, after - ADDED), shift: shift * before }
    : point;
}

/** The change point among such figures again. */
export function searchedPoint(series: Named, point: ChangePoint): ChangePoint {
  const [before, after] = [point.before + ADDED, point.after + ADDED];
  return isErrorRate(series) ? { ...point, before, after, shift: point.shift / before } : point;
}
