import { line } from 'd3-shape';
import { formatRate, NO_FIGURE } from '../../foundation/numbers.ts';
import type { Figure } from '../../judge/reading/cells.ts';
import { formatMetric, METRICS, type MetricName } from '../../model/metric.ts';
import type { ChartHtml, Table } from '../document.ts';
import { type Html, html } from '../render/markup.ts';
import { aboutOf } from '../views/about.ts';
import type { RunView, ServiceView, TierView } from '../views/run-view.ts';
import { compareServices, metricLabel, offeredAt, wholeOf } from '../views/service-comparison.ts';
import { chart, markTitle, round, serviceClass, serviceLine, serviceMarks, spokenText } from './frame.ts';
import { latencyScale, rateScale, type Scale, stepScale } from './scales.ts';

const TREND_METRICS = ['achievedRps', 'latencyP50Ms', 'latencyP99Ms'] as const satisfies readonly MetricName[];

type TrendMetric = (typeof TREND_METRICS)[number];

const TITLES: Record<TrendMetric, string> = {
  achievedRps: 'Requests per second by load',
  latencyP50Ms: 'p50 latency by load',
  latencyP99Ms: 'p99 latency by load',
};

interface TrendPoint {
  readonly step: number;
  readonly figure: Figure;
}

interface Trend {
  readonly service: ServiceView;
  readonly index: number;
  readonly points: readonly TrendPoint[];
}

/** Rate, p50 and p99 from tier to tier, over all operations. */
export function trendCharts(view: RunView): readonly ChartHtml[] {
  const tiers = trendTiers(view);
  const x = stepScale(tiers.map(({ label }) => label));
  const latency = latencyScale([...valuesOf(view, 'latencyP50Ms'), ...valuesOf(view, 'latencyP99Ms')]);
  const offered = tiers.flatMap((tier, step) => {
    const rate = offeredAt(view, wholeOf(tier));
    return rate === undefined ? [] : [{ step, rate }];
  });
  const rate = rateScale([...valuesOf(view, 'achievedRps'), ...offered.map((one) => one.rate)]);
  return TREND_METRICS.map((metric) => {
    const y = metric === 'achievedRps' ? rate : latency;
    const trends = trendsOf(view, metric);
    const steps = metric === 'achievedRps' ? offered.map((one) => offeredMark(x.at(one.step), y.at(one.rate))) : [];
    return chart({
      id: `trend-${metric}`,
      title: TITLES[metric],
      description: spokenText(trends.map((trend) => spoken(trend, metric, tiers))),
      xTitle: '',
      xTicks: x.ticks,
      yTicks: y.ticks,
      about: aboutOf(view.run, { metric }),
      marks: [
        ...steps,
        ...trends.flatMap((trend) =>
          trendMarks(trend, {
            x,
            y,
            titleOf: ({ step, figure }) =>
              markTitle(
                trends.length,
                `${trend.service.label}, ${tiers[step]?.label ?? ''}: ${formatMetric(metric, figure.median)}`,
              ),
          }),
        ),
      ],
    });
  });
}

/** The figures of the charts, a row per tier. */
export function trendTable(view: RunView): Table {
  const rows = trendTiers(view).map((tier) => {
    const offered = offeredAt(view, wholeOf(tier));
    const figures = TREND_METRICS.flatMap((metric) =>
      compareServices(view, wholeOf(tier), metric).map(({ figure }) =>
        figure === undefined ? NO_FIGURE : formatMetric(metric, figure.median),
      ),
    );
    const texts = [offered === undefined ? NO_FIGURE : formatRate(offered), ...figures];
    return { head: tier.label, about: aboutOf(view.run, { tier: tier.name }), cells: texts };
  });
  return {
    kind: 'table',
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

/** The tiers that are one load after the other; those of a sweep differ in what is asked for, and have charts of their own. */
export function trendTiers({ run, tiers }: RunView): readonly TierView[] {
  const swept = run.suite.sweep?.points.map(({ tier }) => tier) ?? [];
  return tiers.filter(({ name, isSaturation }) => !isSaturation && !swept.includes(name));
}

function trendsOf(view: RunView, metric: TrendMetric): readonly Trend[] {
  const tiers = trendTiers(view).map((tier) => compareServices(view, wholeOf(tier), metric));
  return view.services.map((service, index) => ({
    service,
    index,
    points: tiers.flatMap((services, step) => {
      const figure = services[index]?.figure;
      return figure === undefined ? [] : [{ step, figure }];
    }),
  }));
}

function valuesOf(view: RunView, metric: TrendMetric): readonly number[] {
  return trendsOf(view, metric).flatMap(({ points }) => points.flatMap(({ figure }) => [figure.low, figure.high]));
}

/** How the points of a chart are drawn. */
interface Drawing {
  readonly x: Scale;
  readonly y: Scale;
  readonly titleOf: (point: TrendPoint) => string | undefined;
}

function trendMarks({ index, points }: Trend, { x, y, titleOf }: Drawing): readonly Html[] {
  const path = line<TrendPoint>()
    .x(({ step }) => round(x.at(step)))
    .y(({ figure }) => round(y.at(figure.median)));
  const ranges = points
    .filter(({ figure }) => figure.rounds > 1)
    .map(({ step, figure }) => `M${round(x.at(step))} ${round(y.at(figure.low))}V${round(y.at(figure.high))}`);
  const spread =
    ranges.length === 0 ? [] : [html`<path class="spread ${serviceClass(index)}" d="${ranges.join('')}"/>`];
  const places = points.map((point) => [x.at(point.step), y.at(point.figure.median), titleOf(point)] as const);
  return [...spread, serviceLine(index, path(points)), ...serviceMarks(index, places)];
}

function offeredMark(x: number, y: number): Html {
  return html`<path class="offered" d="M${round(x - 22)} ${round(y)}h44"/>`;
}

function spoken({ service, points }: Trend, metric: TrendMetric, tiers: readonly TierView[]): string {
  const texts = points.map(
    ({ step, figure }) => `${formatMetric(metric, figure.median)} at ${tiers[step]?.label ?? ''}`,
  );
  return `${service.label}, ${metricLabel(metric)}: ${texts.length === 0 ? 'not measured' : texts.join(', ')}.`;
}
