import { median } from '../../src/foundation/statistics.ts';
import type { Line } from './store.ts';

/** Where an unchanged run may be expected: low and high for each place, NaN if it is unknown. */
export interface Band {
  readonly kind: 'rounds' | 'runs';
  readonly low: Float32Array;
  readonly high: Float32Array;
}

/** The number of runs before a run that show how far an unchanged one scatters. */
export const BAND_RUNS = 30;

const FEWEST_RUNS = 8;

/** Relative difference below which figures are the same. */
export const SAME_WITHIN = 0.02;

/** Difference below which error rates are the same: a percentage point. */
export const SAME_POINTS = 0.01;

/** Multiple of the noise below which a difference is no change: among many series, chance alone makes some. */
export const SPREADS = 3;

/** Figures are kept with a few digits. */
export const ROUNDING = 1e-6;

/** The spread over the rounds of each run if at least half of the runs have one, else over the last runs. */
export function noiseBand(line: Line): Band {
  let [figures, known] = [0, 0];
  for (const [place, value] of line.values.entries()) {
    figures += Number.isNaN(value) ? 0 : 1;
    known += Number.isNaN(value) || Number.isNaN(line.spreads[place] ?? Number.NaN) ? 0 : 1;
  }
  return known > 0 && known * 2 >= figures ? bandOfRounds(line) : bandOfRuns(line.values);
}

function bandOfRounds({ values, spreads }: Line): Band {
  return {
    kind: 'rounds',
    low: values.map((value, place) => value * Math.exp(-(spreads[place] ?? Number.NaN))),
    high: values.map((value, place) => value * Math.exp(spreads[place] ?? Number.NaN)),
  };
}

/** Twice the scatter of the runs before, around their median. */
function bandOfRuns(values: Float32Array): Band {
  const low = new Float32Array(values.length).fill(Number.NaN);
  const high = new Float32Array(values.length).fill(Number.NaN);
  const before: number[] = [];
  for (const [place, value] of values.entries()) {
    if (Number.isNaN(value)) {
      continue;
    }
    if (before.length >= FEWEST_RUNS) {
      const middle = median(before) ?? 0;
      const scatter = 2 * robustSd(before.map((one) => one - middle));
      // A figure that was never below 0 is not expected there.
      low[place] = Math.max(middle - scatter, Math.min(0, ...before));
      high[place] = middle + scatter;
    }
    before.push(value);
    if (before.length > BAND_RUNS) {
      before.shift();
    }
  }
  return { kind: 'runs', low, high };
}

/** The standard deviation by the median absolute deviation, which outliers hardly move; NaN of none. */
export function robustSd(deviations: readonly number[]): number {
  return 1.4826 * (median(deviations.map(Math.abs)) ?? Number.NaN);
}
