import { decodeHistogram } from '../../src/foundation/histogram.ts';

/** Latency by percentile, for a chart: equal steps of nines. */
export interface LatencyCurve {
  /** Latency in milliseconds for each step of `NINES`; null beyond the resolution for that number of requests. */
  readonly ms: readonly (number | null)[];
  /** Latency that this share of the requests did not exceed; undefined beyond the resolution for that number of requests. */
  at(share: number): number | undefined;
}

const STEPS_PER_NINE = 12;
const MAX_NINES = 5;

/** Positions of the points of a curve: 1 is 90%, 2 is 99%. */
export const NINES: readonly number[] = Array.from(
  { length: STEPS_PER_NINE * MAX_NINES },
  (_, step) => (step + 1) / STEPS_PER_NINE,
);

/** Curve of an encoded histogram; throws ConfigError if it is damaged. */
export function latencyCurve(text: string): LatencyCurve {
  const histogram = decodeHistogram(text);
  const { requests } = histogram;
  const at = (share: number) => {
    const value = requests * (1 - share) < 1 - 1e-9 ? undefined : histogram.quantileMs(share);
    return value === undefined || value <= 0 ? undefined : value;
  };
  return { at, ms: NINES.map((nines) => at(1 - 10 ** -nines) ?? null) };
}

/** Percentile at a position on the axis: "90", "99.9". */
export function percentileText(nines: number): string {
  return nines === 0 ? '0' : String(Number((100 * (1 - 10 ** -nines)).toFixed(Math.max(0, Math.ceil(nines) - 2))));
}
