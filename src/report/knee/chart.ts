import { formatMs, formatRate } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import type { Step } from '../../measure/knee/criteria.ts';
import type { KneeRecord } from '../../measure/knee/record.ts';
import { CHART_PLOT, chartKey, keyPicture, round, serviceLine } from '../charts/frame.ts';
import { cross, type PlotPoint, type PlotSeries, plot } from '../charts/plot.ts';
import { fromLeft, fromZero, latencyScale } from '../charts/scales.ts';
import type { Figures } from '../document.ts';
import { type Html, html } from '../render/markup.ts';

/** Steps of one service that had a fixed rate. */
interface Course {
  readonly name: string;
  readonly index: number;
  readonly limitMs: number | undefined;
  readonly steps: readonly Step[];
}

type FigureOf = (step: Step) => number | undefined;

/** p99 and achieved rate of every step over its offered rate, with a key; undefined if no rate was played. */
export function kneeCharts(record: KneeRecord): Figures | undefined {
  const courses = record.services.map(({ name, steps, p99LimitMs: limitMs }, index): Course => {
    const open = steps.filter(({ offeredRps, ended }) => offeredRps !== undefined && ended === undefined);
    return { name, index, limitMs, steps: open };
  });
  const offered = courses.flatMap(({ steps }) => steps.map(({ offeredRps = 0 }) => offeredRps));
  if (offered.length === 0) {
    return undefined;
  }
  const x = fromLeft(offered, formatRate, true);
  const highest = Math.max(...offered);
  const p99Of: FigureOf = ({ latencyP99Ms }) => latencyP99Ms;
  const rateOf: FigureOf = ({ achievedRps }) => achievedRps;
  const values = (figureOf: FigureOf) => courses.flatMap(({ steps }) => steps.flatMap((step) => figureOf(step) ?? []));
  const latency = latencyScale([...values(p99Of), ...courses.flatMap(({ limitMs }) => limitMs ?? [])]);
  const rate = fromZero([highest, ...values(rateOf)], formatRate);
  const limits = courses.flatMap(({ index, limitMs }) => {
    const y = round(latency.at(limitMs ?? 0));
    return limitMs === undefined ? [] : [serviceLine(index, `M${CHART_PLOT.left} ${y}H${CHART_PLOT.right}`, 'thin')];
  });
  const all = `M${round(x.at(0))} ${round(rate.at(0))}L${round(x.at(highest))} ${round(rate.at(highest))}`;
  const shared = { xTitle: 'offered', x, xText: formatRate };
  const seriesOfAll = (figureOf: FigureOf) => courses.map((course) => seriesOf(course, figureOf));
  const key = [
    html`<li>${keyPicture(cross(0, 17, 6))}not sustained</li>`,
    html`<li>${sample('thin s0')}p99 limit for a sustained rate</li>`,
    html`<li>${sample('offered')}full offered rate</li>`,
  ];
  return {
    kind: 'figures',
    key: chartKey(
      courses.map(({ name }) => name),
      key,
    ),
    charts: [
      plot({
        ...{ ...shared, id: 'saturate-p99', title: 'p99 latency', bands: limits },
        ...{ y: latency, yText: formatMs, series: seriesOfAll(p99Of) },
      }),
      plot({
        ...{
          ...shared,
          id: 'saturate-achieved',
          title: 'Achieved rate',
          bands: [html`<path class="offered" d="${all}"/>`],
        },
        ...{ y: rate, yText: formatRate, series: seriesOfAll(rateOf) },
      }),
    ],
  };
}

/** A line through the medians of the rates, and a mark for each step: a cross where it was not held. */
function seriesOf({ name, index, steps }: Course, figureOf: FigureOf): PlotSeries {
  return {
    ...{ index, label: name },
    line: mediansOf(steps, figureOf),
    points: steps.map((step) => ({
      x: step.offeredRps ?? 0,
      y: figureOf(step),
      ...(step.verdict !== 'held' && { mark: 'missed', remark: 'not held' }),
    })),
  };
}

function mediansOf(steps: readonly Step[], figureOf: FigureOf): readonly PlotPoint[] {
  const rates = [...new Set(steps.map(({ offeredRps = 0 }) => offeredRps))].sort((left, right) => left - right);
  return rates.map((rate) => ({
    x: rate,
    y: median(steps.flatMap((step) => (step.offeredRps === rate ? (figureOf(step) ?? []) : []))),
  }));
}

function sample(style: string): Html {
  return keyPicture(html`<path class="${style}" d="M1 6H33"/>`);
}
