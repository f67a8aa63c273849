import { median } from '../../foundation/statistics.ts';
import { noiseOf } from '../inference/detectable.ts';
import { theilSen } from '../inference/theil-sen.ts';
import { FIRM_RUNS, type PastValue } from './window.ts';

/** Normalising is kept only where it leaves at most so much of the noise: a slope of chance seldom does that. */
const NOISE_LEFT = 0.9;

/**
 * How much of a change of the control loop's time shows in the metric: 0 not at all, 1 in proportion. The Theil-Sen
 * slope over all strata, each about its medians, within [0, 1]. 0 with fewer than 20 runs, where a run has no control
 * time, and where normalising does not cut the noise by at least 10 %.
 */
export function controlSlope(strata: readonly (readonly PastValue[])[]): number {
  const count = strata.flat().length;
  const logControls = strata.map((values) => values.flatMap(({ logControl }) => logControl ?? []));
  if (count < FIRM_RUNS || logControls.flat().length < count) {
    return 0;
  }
  const x = logControls.flatMap(aboutMedian);
  const y = strata.flatMap((values) => aboutMedian(values.map((value) => value.y)));
  const slope = Math.min(1, Math.max(0, theilSen(x, y) ?? 0));
  const left = y.map((value, index) => value - slope * (x[index] ?? 0));
  return noiseOf(left) <= NOISE_LEFT * noiseOf(y) ? slope : 0;
}

/** The values as distances from their median. */
export function aboutMedian(values: readonly number[]): readonly number[] {
  const middle = median(values) ?? 0;
  return values.map((value) => value - middle);
}
