import { decodeHistogram, mergeHistograms } from '../../foundation/index.ts';
import type { CellReading } from '../../judge/index.ts';
import type { MetricName } from '../../model/index.ts';

/** The latency that a share of the requests did not exceed. */
export interface QuantilePoint {
  readonly share: number;
  readonly ms: number;
}

/** The distribution of a cell's latencies over all of its rounds, in rising order of share. */
export interface Distribution {
  readonly requests: number;
  readonly points: readonly QuantilePoint[];
}

/** So many points between two nines (90 % and 99 %, 99 % and 99.9 %): smooth to the eye. */
const POINTS_PER_NINE = 12;

/** Where the histogram cannot be read, the metrics stand in; the share of the maximum depends on the requests. */
const STORED: readonly { readonly share: number; readonly metric: MetricName }[] = [
  { share: 0.5, metric: 'latencyP50Ms' },
  { share: 0.9, metric: 'latencyP90Ms' },
  { share: 0.95, metric: 'latencyP95Ms' },
  { share: 0.99, metric: 'latencyP99Ms' },
  { share: 0.999, metric: 'latencyP999Ms' },
];

/** The latency distribution of a cell, from its histograms, or from its stored percentiles where they are unreadable. */
export function distributionOf(cell: CellReading): Distribution {
  return fromHistograms(cell) ?? fromMetrics(cell);
}

/** The latency at a share, from the nearest point at or above it; undefined beyond what so many requests can tell. */
export function latencyAt({ requests, points }: Distribution, share: number): number | undefined {
  return requests * (1 - share) < 1 - 1e-9 ? undefined : points.find((point) => point.share >= share - 1e-9)?.ms;
}

/** Where a share lies on a scale of nines: 0.9 is 1, 0.99 is 2. */
export function nines(share: number): number {
  return -Math.log10(1 - share);
}

function fromHistograms(cell: CellReading): Distribution | undefined {
  try {
    const histogram = decodeHistogram(mergeHistograms(cell.samples.map((sample) => sample.histogram)));
    const { requests } = histogram;
    const most = requests > 1 ? Math.log10(requests) : 0;
    const steps = Array.from(
      { length: Math.floor(most * POINTS_PER_NINE) },
      (_, index) => (index + 1) / POINTS_PER_NINE,
    );
    const shares = [0, 0.5, ...steps.map((step) => 1 - 10 ** -step)].sort((left, right) => left - right);
    const points = shares.flatMap((share) => {
      const ms = histogram.quantileMs(share);
      return ms === undefined || ms <= 0 ? [] : [{ share, ms }];
    });
    return points.length === 0 ? undefined : { requests, points };
  } catch {
    // A report is still worth having when one histogram is damaged: the stored percentiles say the same, coarsely.
    return undefined;
  }
}

function fromMetrics({ figures, requests }: CellReading): Distribution {
  const most = requests > 1 ? 1 - 1 / requests : 0;
  const last = { share: most, metric: 'latencyMaxMs' } as const;
  const stored = [...STORED.filter(({ share }) => share < most), last];
  const points = stored.flatMap(({ share, metric }) => {
    const ms = figures[metric]?.median;
    return ms === undefined || ms <= 0 ? [] : [{ share, ms }];
  });
  return { requests, points };
}
