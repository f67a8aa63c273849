import { formatRate, NO_FIGURE } from '../../foundation/numbers.ts';
import { formatMetric, METRICS, type MetricName } from '../../model/metric.ts';
import { USERS } from '../../model/suite/tier-words.ts';
import type { ChartHtml, Table } from '../document.ts';
import { html } from '../render/markup.ts';
import { aboutOf } from '../views/about.ts';
import type { RunView, TierView } from '../views/run-view.ts';
import { compareServices, metricText, offeredAt } from '../views/service-comparison.ts';
import { round } from './frame.ts';
import { type PlotPoint, type PlotSeries, plot } from './plot.ts';
import { fromZero, latencyScale, stepScale } from './scales.ts';

const TREND_METRICS = ['achievedRps', 'latencyP50Ms', 'latencyP99Ms'] as const satisfies readonly MetricName[];

type TrendMetric = (typeof TREND_METRICS)[number];

/** Rate, p50 and p99 from tier to tier, over all operations; empty if no service has two tiers. */
export function trendCharts(view: RunView): readonly ChartHtml[] {
  const tiers = trendTiers(view);
  // The axis shows the shared word once.
  const isOfUsers = tiers.every(({ label }) => label.endsWith(USERS));
  const x = stepScale(tiers.map(({ label }) => (isOfUsers ? label.slice(0, -USERS.length) : label)));
  const latency = latencyScale([...valuesOf(view, 'latencyP50Ms'), ...valuesOf(view, 'latencyP99Ms')]);
  const offered = tiers.flatMap((tier, step) => {
    const rate = offeredAt(view, { tier });
    return rate === undefined ? [] : [{ step, rate }];
  });
  const rate = fromZero([...valuesOf(view, 'achievedRps'), ...offered.map((one) => one.rate)], formatRate);
  const drawn = TREND_METRICS.filter((metric) => seriesOf(view, metric).some(({ points }) => points.length > 1));
  return drawn.map((metric) => {
    const y = metric === 'achievedRps' ? rate : latency;
    return plot({
      id: `trend-${metric}`,
      title: `${metric === 'achievedRps' ? 'Requests per second' : METRICS[metric].title} by load`,
      xTitle: isOfUsers ? USERS.trim() : '',
      about: aboutOf(view.run, { metric }),
      bands:
        metric === 'achievedRps'
          ? offered.map(
              ({ step, rate: of }) =>
                html`<path class="offered" d="M${round(x.at(step) - 22)} ${round(y.at(of))}h44"/>`,
            )
          : [],
      ...{ x, y, xText: (step) => tiers[step]?.label ?? '', yText: (value) => formatMetric(metric, value) },
      series: seriesOf(view, metric),
    });
  });
}

/** Figures of the charts, one row per tier. */
export function trendTable(view: RunView): Table {
  const rows = trendTiers(view).map((tier) => {
    const offered = offeredAt(view, { tier });
    const figures = TREND_METRICS.flatMap((metric) =>
      compareServices(view, { tier }, metric).map(({ figure }) => metricText(metric, figure?.median)),
    );
    const texts = [offered === undefined ? NO_FIGURE : formatRate(offered), ...figures];
    return { head: tier.label, about: aboutOf(view.run, { tier: tier.name }), cells: texts };
  });
  return {
    kind: 'table',
    isCaptioned: true,
    caption: 'From tier to tier, all operations',
    groups: [
      { text: '' },
      { text: 'offered' },
      ...TREND_METRICS.map((metric) => ({ text: METRICS[metric].title, span: view.services.length })),
    ],
    columns: ['', '', ...TREND_METRICS.flatMap(() => view.services.map(({ label }) => label))],
    rows,
  };
}

/** Tiers that are one increasing load; those of a sweep differ in their requests, and have separate charts. */
export function trendTiers({ run, tiers }: RunView): readonly TierView[] {
  const swept = run.suite.sweep?.points.map(({ tier }) => tier) ?? [];
  return tiers.filter(({ name, isSaturation }) => !isSaturation && !swept.includes(name));
}

function seriesOf(view: RunView, metric: TrendMetric): readonly PlotSeries[] {
  const tiers = trendTiers(view).map((tier) => compareServices(view, { tier }, metric));
  return view.services.map(({ label }, index) => ({
    ...{ index, label },
    points: tiers.flatMap((services, step): readonly PlotPoint[] => {
      const { median, low, high, rounds } = services[index]?.figure ?? {};
      const range = low === undefined || high === undefined || rounds === 1 ? undefined : ([low, high] as const);
      return median === undefined ? [] : [{ x: step, y: median, range }];
    }),
  }));
}

function valuesOf(view: RunView, metric: TrendMetric): readonly number[] {
  const points = seriesOf(view, metric).flatMap((one) => one.points);
  return points.flatMap(({ y, range }) => range ?? y ?? []);
}
