import { median } from '../../foundation/statistics.ts';
import { noiseOf } from '../inference/detectable.ts';
import { aboutMedian, controlSlope } from './control-slope.ts';
import type { PastValue } from './window.ts';

/** What the past says of a run that has not changed; logarithms, up is worse. */
export interface PastLevel {
  /** Where the run is expected, at its own control time. */
  readonly centre: number;
  /** The robust standard deviation of one run, at least 1 %. */
  readonly spread: number;
  /** The worst run of the past: as far above the centre as it was above the median of its own stratum. */
  readonly worst: number;
  /** The own stratum's values at the run's control time, in order of time: the centre is their median. */
  readonly own: readonly number[];
  /** Runs that the spread comes from, and the strata that they were measured on. */
  readonly runs: number;
  readonly strata: number;
}

/** A history that never moved tells nothing of the next machine: noise is never taken for less than 1 %. */
const LEAST_SPREAD = 0.01;

/** The level of a window that is not empty, for a run whose control loop took exp(`logControl`). */
export function levelOf(strata: readonly (readonly PastValue[])[], logControl: number | undefined): PastLevel {
  const slope = logControl === undefined ? 0 : controlSlope(strata);
  const values = strata.map((stratum) => stratum.map((value) => value.y - slope * offsetOf(stratum, value.logControl)));
  const [stratum = []] = strata;
  const own = (values[0] ?? []).map((y) => y + slope * offsetOf(stratum, logControl));
  const centre = median(own) ?? 0;
  const residuals = values.map(aboutMedian);
  return {
    centre,
    spread: Math.max(LEAST_SPREAD, pooledNoise(residuals)),
    worst: centre + Math.max(...residuals.flat()),
    own,
    runs: residuals.flat().length,
    strata: strata.length,
  };
}

/** How far a control time lies from the stratum's median; 0 where there is none to compare. */
function offsetOf(stratum: readonly PastValue[], logControl: number | undefined): number {
  const middle = median(stratum.flatMap((value) => value.logControl ?? []));
  return logControl === undefined || middle === undefined ? 0 : logControl - middle;
}

/**
 * The robust standard deviation of one run. Every stratum has a median of its own, from which one of its runs does not
 * deviate at all; pooled, these zeros would make the noise look a quarter smaller, so the smallest deviations, one for
 * each stratum, are left out.
 */
function pooledNoise(residuals: readonly (readonly number[])[]): number {
  const all = residuals.flat();
  if (residuals.length === 1) {
    return noiseOf(all);
  }
  const largest = all
    .map(Math.abs)
    .sort((left, right) => left - right)
    .slice(residuals.length);
  // With both signs their median is 0, so that only the sizes count.
  return noiseOf(largest.flatMap((size) => [size, -size]));
}
