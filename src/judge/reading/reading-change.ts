import { METRICS, type Metric, type MetricName } from '../../model/metric.ts';
import type { Figure } from './reading-cells.ts';

/**
 * How a figure stands against the reference's: `same` is too small a difference to speak of,
 * `overlapping` a larger one that the rounds do not bear out.
 */
export type FigureStanding = 'better' | 'worse' | 'same' | 'overlapping';

/** A figure against the reference's. */
export interface FigureChange {
  /** Relative: 0.05 for 5 % more; undefined where the reference is zero. */
  readonly change: number | undefined;
  readonly standing: FigureStanding;
}

/** Two fresh starts of the same code differ by as much (docs/measurement.md). */
const SAME_CHANGE = 0.02;

/** Absolute differences below these say nothing, however large they are in per cent. */
const SAME_DIFFERENCE: Partial<Record<Metric['unit'], number>> = { ms: 0.1, share: 0.001 };

/** Holds a service's figure against the reference's; undefined where one of them is missing. */
export function changeAgainst(
  metric: MetricName,
  reference: Figure | undefined,
  other: Figure | undefined,
): FigureChange | undefined {
  if (reference === undefined || other === undefined) {
    return undefined;
  }
  const difference = other.median - reference.median;
  const change = reference.median === 0 ? zeroBased(difference) : difference / reference.median;
  if (isSmall(metric, difference, change)) {
    return { change, standing: 'same' };
  }
  if (overlap(reference, other)) {
    return { change, standing: 'overlapping' };
  }
  const isBetter = METRICS[metric].better === 'lower' ? difference < 0 : difference > 0;
  return { change, standing: isBetter ? 'better' : 'worse' };
}

function zeroBased(difference: number): number | undefined {
  return difference === 0 ? 0 : undefined;
}

function isSmall(metric: MetricName, difference: number, change: number | undefined): boolean {
  const least = SAME_DIFFERENCE[METRICS[metric].unit] ?? 0;
  return Math.abs(difference) < least || (change !== undefined && Math.abs(change) < SAME_CHANGE);
}

/** A range needs two rounds; a single figure overlaps with nothing. */
function overlap(left: Figure, right: Figure): boolean {
  return Math.min(left.rounds, right.rounds) > 1 && left.low <= right.high && right.low <= left.high;
}
