import { median } from '../../src/foundation/statistics.ts';
import type { Line } from './store.ts';

/** Expected range of an unchanged run: low and high for each index, NaN if unknown. */
export interface Band {
  readonly kind: 'rounds' | 'runs';
  readonly low: Float32Array;
  readonly high: Float32Array;
}

/** Number of preceding runs that show the noise of an unchanged one. */
export const BAND_RUNS = 30;

/** Fewer runs show no noise. */
export const FEWEST_RUNS = 8;

/** Relative difference below which figures count as equal. */
export const SAME_WITHIN = 0.02;

/** Difference below which error rates count as equal: one percentage point. */
export const SAME_POINTS = 0.01;

/** Multiple of the noise below which a difference is ignored: among many series, chance alone produces some. */
export const SPREADS = 3;

/** Figures are stored with a few digits. */
export const ROUNDING = 1e-6;

/** Band from the spread over the rounds of each run if at least half of the runs have one, else over the last runs. */
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

/** Twice the spread of the preceding runs, around their median. */
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

/** Standard deviation from the median absolute deviation, which outliers hardly affect; NaN without values. */
export function robustSd(deviations: readonly number[]): number {
  return 1.4826 * (median(deviations.map(Math.abs)) ?? Number.NaN);
}
