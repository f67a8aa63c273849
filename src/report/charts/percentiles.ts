import { decodeHistogram, mergeHistograms } from '../../foundation/histogram.ts';
import { formatMs, NO_FIGURE } from '../../foundation/numbers.ts';
import type { CellReading } from '../../judge/reading/cells.ts';
import type { MetricName } from '../../model/metric.ts';
import type { ChartHtml, Table } from '../document.ts';
import { aboutOf } from '../views/about.ts';
import { type RunView, type ServiceView, type TierView, tierLabels } from '../views/run-view.ts';
import { cellAt, wholeOf } from '../views/service-comparison.ts';
import { CHART_PLOT, round } from './frame.ts';
import { plot } from './plot.ts';
import { latencyScale, ninesScale, type Scale } from './scales.ts';

/** Beyond five nines no run here has the requests. */
const MOST_NINES = 5;

const MARKED_SHARES = [0.5, 0.9, 0.99, 0.999, 0.9999];

const TABLE_SHARES = [0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999];

/** The latency distributions of all services at one tier, over all operations. */
interface TierDistributions {
  readonly tier: TierView;
  readonly services: readonly {
    readonly service: ServiceView;
    readonly index: number;
    readonly distribution: Distribution;
  }[];
}

/** A chart of latency by percentile for each tier, with one latency scale for all of them. */
export function percentileCharts(view: RunView, tiers: readonly TierView[]): readonly ChartHtml[] {
  const found = distributionsOf(view, tiers);
  const scale = latencyScale(
    found.flatMap(({ services }) => services.flatMap(({ distribution }) => distribution.points.map(({ ms }) => ms))),
  );
  return found.map((one) => percentileChart(view, one, scale));
}

/** The figures of the charts, a row per percentile. */
export function percentileTable(view: RunView, tiers: readonly TierView[]): Table {
  const found = distributionsOf(view, tiers);
  const rows = TABLE_SHARES.map((share) => ({
    head: percentileName(share),
    cells: found.flatMap(({ services }) => services.map(({ distribution }) => textAt(distribution, share))),
  }));
  return {
    kind: 'table',
    // Those of several tiers stand beside each other.
    about: tiers.length === 1 ? aboutOf(view.run, { tier: tiers[0]?.name }) : undefined,
    caption: `Latency by percentile at ${tierLabels(
      view,
      tiers.map(({ name }) => name),
    )}, all operations`,
    groups: [{ text: '' }, ...found.map(({ tier, services }) => ({ text: tier.label, span: services.length }))],
    columns: ['', ...found.flatMap(({ services }) => services.map(({ service }) => service.label))],
    rows,
  };
}

/** "p99.9". */
function percentileName(share: number): string {
  return `p${round(share * 100_00) / 100}`;
}

function textAt(distribution: Distribution, share: number): string {
  const ms = latencyAt(distribution, share);
  return ms === undefined ? NO_FIGURE : formatMs(ms);
}

function distributionsOf(view: RunView, tiers: readonly TierView[]): readonly TierDistributions[] {
  const all = tiers.map((tier) => ({
    tier,
    services: view.services.flatMap((service, index) => {
      const cell = cellAt(view, wholeOf(tier), service);
      return cell === undefined ? [] : [{ service, index, distribution: distributionOf(cell) }];
    }),
  }));
  return all.filter(({ services }) => services.length > 0);
}

function percentileChart({ run }: RunView, { tier, services }: TierDistributions, y: Scale): ChartHtml {
  const most = Math.max(...services.map(({ distribution }) => nines(distribution.points.at(-1)?.share ?? 0)));
  const x = ninesScale(Math.min(MOST_NINES, most));
  const pointOf = ({ share, ms }: QuantilePoint) => ({ x: nines(share), y: ms });
  return plot({
    id: `percentiles-${tier.name}`,
    title: tier.isSaturation ? 'Latency by percentile' : tier.label,
    xTitle: 'percentile',
    about: aboutOf(run, { tier: tier.name }),
    ...{ x, y, xText: (nine) => percentileName(1 - 10 ** -nine), yText: formatMs },
    series: services.map(({ service, index, distribution }) => ({
      index,
      label: service.label,
      line: distribution.points.filter(({ share }) => nines(share) <= MOST_NINES + 1e-9).map(pointOf),
      points: MARKED_SHARES.flatMap((share) => {
        const ms = latencyAt(distribution, share);
        return ms === undefined || x.at(nines(share)) > CHART_PLOT.right ? [] : [pointOf({ share, ms })];
      }),
    })),
  });
}

/** The latency that a share of the requests did not exceed. */
interface QuantilePoint {
  readonly share: number;
  readonly ms: number;
}

/** The distribution of a cell's latencies over all of its rounds, in rising order of share. */
export interface Distribution {
  readonly requests: number;
  readonly points: readonly QuantilePoint[];
}

/** The number of points between two nines (90% and 99%, 99% and 99.9%): enough to look smooth. */
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

/** The latency at a share, from the nearest point at or above it; undefined if there are too few requests to know it. */
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
