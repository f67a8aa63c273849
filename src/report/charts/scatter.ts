import { formatCount, formatMs } from '../../foundation/numbers.ts';
import { quantile, sorted } from '../../foundation/statistics.ts';
import type { ChartHtml, Table } from '../document.ts';
import { aboutOf } from '../views/about.ts';
import type { RunView, TierView } from '../views/run-view.ts';
import { cellAt, wholeOf } from '../views/service-comparison.ts';
import { plot } from './plot.ts';
import { fromLeft, fromZero } from './scales.ts';

/** Single requests of one service at a tier. */
interface Scattered {
  readonly name: string;
  readonly label: string;
  readonly index: number;
  readonly points: readonly { readonly number: number; readonly ms: number }[];
  /** Slower than this is an outlier, in ms. */
  readonly fenceMs: number;
}

/** Beyond the upper quartile by three times the distance of the quartiles: what Tukey calls far out. */
const FAR_OUT = 3;

/** True if single requests of any service are known at the tier. */
export function hasRepetitions(view: RunView, tier: TierView): boolean {
  return scatteredAt(view, tier).length > 0;
}

/** Each request of each service as a dot, twice: with the outliers, and without them, so that the others can be distinguished. */
export function scatterCharts(view: RunView, tier: TierView): readonly ChartHtml[] {
  const all = scatteredAt(view, tier);
  const near = all.map((one) => ({ ...one, points: one.points.filter(({ ms }) => ms <= one.fenceMs) }));
  return [
    scatter(view, { tier, services: all }, { id: 'all', title: 'Each request' }),
    scatter(view, { tier, services: near }, { id: 'near', title: 'Without outliers' }),
  ];
}

/** Values of the charts. */
export function scatterTable(view: RunView, tier: TierView): Table {
  return {
    kind: 'table',
    caption: `Outliers at ${tier.label}`,
    columns: ['service', 'outlier above', 'slowest', 'requests shown', 'outliers among them'],
    rows: scatteredAt(view, tier).map(({ name, label, points, fenceMs }) => ({
      head: label,
      about: aboutOf(view.run, { services: [name], tier: tier.name }),
      cells: [
        formatMs(fenceMs),
        formatMs(Math.max(...points.map(({ ms }) => ms))),
        formatCount(points.length),
        formatCount(points.filter(({ ms }) => ms > fenceMs).length),
      ],
    })),
  };
}

/** For the first round: the others are further starts. */
function scatteredAt(view: RunView, tier: TierView): readonly Scattered[] {
  return view.services.flatMap(({ name, label }, index) => {
    const { repetitions } = cellAt(view, wholeOf(tier), { name, label })?.samples[0] ?? {};
    const points = (repetitions?.number ?? []).map((number, at) => ({ number, ms: repetitions?.latencyMs[at] ?? 0 }));
    const values = sorted(points.map(({ ms }) => ms));
    const [low, high] = [quantile(values, 0.25), quantile(values, 0.75)];
    return low === undefined || high === undefined
      ? []
      : [{ name, label, index, points, fenceMs: high + FAR_OUT * (high - low) }];
  });
}

function scatter(
  { run }: RunView,
  { tier, services }: { readonly tier: TierView; readonly services: readonly Scattered[] },
  { id, title }: { readonly id: string; readonly title: string },
): ChartHtml {
  const points = services.flatMap((service) => service.points);
  const x = fromLeft(
    points.map(({ number }) => number),
    formatCount,
  );
  const y = fromZero(
    points.map(({ ms }) => ms),
    formatMs,
  );
  return plot({
    id: `scatter-${id}-${tier.name}`,
    title,
    intro: `At ${tier.label}, one dot for each request.`,
    xTitle: 'request',
    about: aboutOf(run, { tier: tier.name }),
    ...{ x, y, xText: String, yText: formatMs, isDots: true },
    series: services.map(({ index, label, points: own }) => ({
      ...{ index, label },
      points: own.map(({ number, ms }) => ({ x: number, y: ms })),
    })),
  });
}
