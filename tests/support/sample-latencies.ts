import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import type { Run } from '../../src/model/run/run.ts';

/** What a cell with so many requests is like; that is, which is most of the work of a made-up run, is thought of once for each. */
export interface Distribution {
  readonly values: Run['samples'][number]['values'];
  readonly histogram: string;
  /** Of the latencies in their order, the one in the middle and the last one. */
  readonly middleMs: number;
  readonly longestMs: number;
}

const DISTRIBUTIONS = new Map<string, Distribution>();

/** A lognormal distribution of so many latencies: their metrics and their histogram. */
export function distributionOf(p50Ms: number, spread: number, requests: number): Distribution {
  const key = `${p50Ms}/${spread}/${requests}`;
  const known = DISTRIBUTIONS.get(key);
  if (known !== undefined) {
    return known;
  }
  const latencies = latenciesOf(p50Ms, spread, requests);
  const made = {
    values: latencyValues(latencies),
    histogram: histogramOf(latencies, requests),
    middleMs: latencies[Math.floor(latencies.length / 2)] ?? 1,
    longestMs: latencies.at(-1) ?? 1,
  };
  DISTRIBUTIONS.set(key, made);
  return made;
}

/** Quantiles of a lognormal distribution, so that no randomness is needed and every percentile is as it must be. */
function latenciesOf(p50Ms: number, spread: number, requests: number): readonly number[] {
  const points = Math.min(4000, Math.max(10, requests));
  return Array.from({ length: points }, (_, index) => {
    const z = normalQuantile((index + 0.5) / points);
    return Math.max(0.12, p50Ms * Math.exp(spread * z * (z > 0 ? 1 : 0.4)));
  });
}

/** The latency metrics of sorted latencies. */
function latencyValues(sorted: readonly number[]): Run['samples'][number]['values'] {
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
  const mean = sorted.reduce((total, value) => total + value, 0) / sorted.length;
  const variance = sorted.reduce((total, value) => total + (value - mean) ** 2, 0) / sorted.length;
  return {
    latencyMeanMs: mean,
    latencyP50Ms: at(0.5),
    latencyP90Ms: at(0.9),
    latencyP95Ms: at(0.95),
    latencyP99Ms: at(0.99),
    latencyP999Ms: at(0.999),
    latencyMinMs: sorted[0] ?? 0,
    latencyMaxMs: sorted.at(-1) ?? 0,
    latencySdMs: Math.sqrt(variance),
    withinSdShare: sorted.filter((value) => Math.abs(value - mean) <= Math.sqrt(variance)).length / sorted.length,
    recordedP50Ms: at(0.5),
    recordedP99Ms: at(0.985),
    lagP99Ms: 0.8,
    lagMaxMs: 2.1,
  };
}

/** The histogram of a cell with so many requests, spread over the latencies. */
function histogramOf(latencies: readonly number[], requests: number): string {
  const histogram = build({ bitBucketSize: 32, lowestDiscernibleValue: 1, highestTrackableValue: 120_000_000 });
  const each = Math.max(1, Math.round(requests / latencies.length));
  for (const latency of latencies) {
    histogram.recordValueWithCount(Math.round(latency * 1000), each);
  }
  return encodeIntoCompressedBase64(histogram);
}

/** Acklam's approximation of the normal distribution's inverse, good to nine digits. */
function normalQuantile(probability: number): number {
  const tail = Math.min(probability, 1 - probability);
  if (tail < 0.02425) {
    const q = Math.sqrt(-2 * Math.log(tail));
    const size =
      horner(
        [
          -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
          2.938163982698783,
        ],
        q,
      ) / horner([0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1], q);
    return probability < 0.5 ? size : -size;
  }
  const q = probability - 0.5;
  const r = q * q;
  return (
    (horner(
      [
        -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716,
        2.506628277459239,
      ],
      r,
    ) *
      q) /
    horner([-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1], r)
  );
}

function horner(coefficients: readonly number[], at: number): number {
  return coefficients.reduce((total, coefficient) => total * at + coefficient, 0);
}

/** mulberry32, seeded by a text. */
export function seeded(text: string): () => number {
  let state = [...text].reduce((hash, letter) => (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0, 17);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
