import { line } from 'd3-shape';
import { formatMs, NO_FIGURE } from '../../foundation/index.ts';
import type { Table } from '../document.ts';
import type { Html } from '../render/markup.ts';
import { type Distribution, distributionOf, latencyAt, nines, type QuantilePoint } from '../views/distribution.ts';
import { type RunView, type ServiceView, type TierView, tierLabels } from '../views/run-view.ts';
import { cellAt, wholeOf } from '../views/service-comparison.ts';
import { CHART_PLOT, chart, round, serviceLine, serviceMark } from './frame.ts';
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
export function percentileCharts(view: RunView, tiers: readonly TierView[]): readonly Html[] {
  const found = distributionsOf(view, tiers);
  const scale = latencyScale(
    found.flatMap(({ services }) => services.flatMap(({ distribution }) => distribution.points.map(({ ms }) => ms))),
  );
  return found.map((one) => percentileChart(one, scale));
}

/** The figures of the charts, a row per percentile. */
export function percentileTable(view: RunView, tiers: readonly TierView[]): Table {
  const found = distributionsOf(view, tiers);
  const rows = TABLE_SHARES.map((share) => ({
    head: `p${round(share * 100_00) / 100}`,
    cells: found.flatMap(({ services }) => services.map(({ distribution }) => textAt(distribution, share))),
  }));
  return {
    kind: 'table',
    caption: `Latency by percentile at ${tierLabels(
      view,
      tiers.map(({ name }) => name),
    )}, all operations`,
    groups: [{ text: '' }, ...found.map(({ tier, services }) => ({ text: tier.label, span: services.length }))],
    columns: ['', ...found.flatMap(({ services }) => services.map(({ service }) => service.label))],
    rows,
  };
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

function percentileChart({ tier, services }: TierDistributions, y: Scale): Html {
  const most = Math.max(...services.map(({ distribution }) => nines(distribution.points.at(-1)?.share ?? 0)));
  const x = ninesScale(Math.min(MOST_NINES, most));
  const path = line<QuantilePoint>()
    .x(({ share }) => round(x.at(nines(share))))
    .y(({ ms }) => round(y.at(ms)));
  const marks = services.flatMap(({ index, distribution }) => {
    const shown = distribution.points.filter(({ share }) => nines(share) <= MOST_NINES + 1e-9);
    const marked = MARKED_SHARES.flatMap((share) => {
      const ms = latencyAt(distribution, share);
      return ms === undefined || x.at(nines(share)) > CHART_PLOT.right
        ? []
        : [serviceMark(index, x.at(nines(share)), y.at(ms))];
    });
    return [serviceLine(index, path(shown)), ...marked];
  });
  return chart({
    id: `percentiles-${tier.name}`,
    title: tier.isSaturation ? 'Latency by percentile' : tier.label,
    description: services.map(({ service, distribution }) => spoken(service, distribution)).join(' '),
    xTitle: 'percentile',
    xTicks: x.ticks,
    yTicks: y.ticks,
    marks,
  });
}

function spoken({ label }: ServiceView, distribution: Distribution): string {
  return `${label}: half of the requests took up to ${textAt(distribution, 0.5)}, 90 % up to ${textAt(distribution, 0.9)}, 99 % up to ${textAt(distribution, 0.99)}.`;
}
