import { formatCount, formatMs } from '../../foundation/numbers.ts';
import { quantile, sorted } from '../../foundation/statistics.ts';
import type { ChartHtml, Table } from '../document.ts';
import { aboutOf } from '../views/about.ts';
import type { RunView, TierView } from '../views/run-view.ts';
import { cellsAt } from '../views/service-comparison.ts';
import { plot } from './plot.ts';
import { fromLeft, fromZero } from './scales.ts';

/** Distance beyond the upper quartile, in interquartile ranges, from which a value is "far out" (Tukey). */
const FAR_OUT = 3;

/** True if single requests of any service are known at the tier. */
export function hasRepetitions(view: RunView, tier: TierView): boolean {
  return scatteredAt(view, tier).length > 0;
}

/** Each request of each service as a dot, in two charts: with outliers, and without them, so that the others can be distinguished. */
export function scatterCharts(view: RunView, tier: TierView): readonly ChartHtml[] {
  const all = scatteredAt(view, tier);
  const near = all.map((one) => ({ ...one, points: one.points.filter(({ y }) => y <= one.fenceMs) }));
  const parts = [
    { id: 'all', title: 'Each request', series: all },
    { id: 'near', title: 'Without outliers', series: near },
  ];
  return parts.map(({ id, title, series }) => {
    const points = series.flatMap((one) => one.points);
    const x = fromLeft(
      points.map((point) => point.x),
      formatCount,
    );
    const y = fromZero(
      points.map((point) => point.y),
      formatMs,
    );
    return plot({
      ...{ id: `scatter-${id}-${tier.name}`, title, xTitle: 'request', series },
      intro: `At ${tier.label}, one dot for each request.`,
      about: aboutOf(view.run, { tier: tier.name }),
      ...{ x, y, xText: String, yText: formatMs, isDots: true },
    });
  });
}

export function scatterTable(view: RunView, tier: TierView): Table {
  return {
    kind: 'table',
    isCaptioned: true,
    caption: `Outliers at ${tier.label}`,
    columns: ['service', 'outlier above', 'slowest', 'requests shown', 'outliers among them'],
    rows: scatteredAt(view, tier).map(({ about, label, points, fenceMs }) => ({
      ...{ head: label, about },
      cells: [
        formatMs(fenceMs),
        formatMs(Math.max(...points.map(({ y }) => y))),
        formatCount(points.length),
        formatCount(points.filter(({ y }) => y > fenceMs).length),
      ],
    })),
  };
}

/** Requests of the first round: other rounds are additional starts. */
function scatteredAt(view: RunView, tier: TierView) {
  return cellsAt(view, [tier]).flatMap(({ service: { label }, index, cell, about }) => {
    const repetitions = cell.samples[0]?.repetitions;
    const points = (repetitions?.number ?? []).map((x, at) => ({ x, y: repetitions?.latencyMs[at] ?? 0 }));
    const values = sorted(points.map(({ y }) => y));
    const [low, high] = [quantile(values, 0.25), quantile(values, 0.75)];
    return low === undefined || high === undefined
      ? []
      : [{ about, label, index, points, fenceMs: high + FAR_OUT * (high - low) }];
  });
}
