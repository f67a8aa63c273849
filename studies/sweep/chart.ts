import { formatRate } from '../../src/foundation/numbers.ts';
import { cleanText } from '../../src/foundation/text.ts';
import { formatMetric, type MetricName } from '../../src/model/metric.ts';
import { CHART_PLOT, keyPicture, round, serviceClass, serviceMarks } from '../../src/report/charts/frame.ts';
import { type PlotPoint, type PlotSeries, plot } from '../../src/report/charts/plot.ts';
import { fromZero, latencyScale, logRateScale, type Scale } from '../../src/report/charts/scales.ts';
import type { ChartHtml } from '../../src/report/document.ts';
import { type Html, html } from '../../src/report/render/markup.ts';
import { aboutOf } from '../../src/report/views/about.ts';
import { argumentScale, labelPlaces, labelWidth, shortLabels } from './axes.ts';
import type { SweepCell, SweepLine, SweepReading } from './reading.ts';
import { atText, isBounded, pointRemark } from './view.ts';

export type SweepMetric = Extract<MetricName, 'achievedRps' | 'latencyP99Ms'>;

const TITLES: Record<SweepMetric, string> = { achievedRps: 'requests per second', latencyP99Ms: 'p99 latency' };

const GAP = 9;

const MAX_LETTERS = 20;

/** Scale that charts of one metric share, so that they can be compared. */
interface Drawing {
  readonly sweep: SweepReading;
  readonly metric: SweepMetric;
  readonly y: Scale;
  readonly x: Scale;
  readonly right: number;
  /** Labels of the services, in the order of the run. */
  readonly labels: readonly string[];
}

/** Metric of one line over the argument: a chart for each panel, on the same scales as all other lines. */
export function sweepCharts(sweep: SweepReading, drawn: SweepLine, metric: SweepMetric): readonly ChartHtml[] {
  const drawing = drawingOf(sweep, metric);
  return sweep.panels.map((panel, index) =>
    panelChart(drawing, drawn, {
      id: `sweep-${metric}-${sweep.lines.indexOf(drawn)}-${index}`,
      title: `${cleanText(panel.title, 80)}: ${TITLES[metric]}`,
      services: panel.services,
    }),
  );
}

interface Panel {
  readonly id: string;
  readonly title: string;
  readonly services: readonly string[];
}

function panelChart(drawing: Drawing, drawn: SweepLine, { id, title, services }: Panel): ChartHtml {
  const { sweep, metric, x, y, right } = drawing;
  const series = (drawn.points[0]?.services ?? []).flatMap(({ service }, index) =>
    services.includes(service.name) ? [{ index, label: service.label, points: pointsOf(drawn, index, metric) }] : [],
  );
  return plot({
    ...{ id, title, right, x, y, series },
    intro: `${drawn.label}, over ${sweep.title}.`,
    xTitle: cleanText(sweep.title, 40),
    about: aboutOf(sweep.run, { services, metric }),
    xText: atText,
    yText: (value) => formatMetric(metric, value),
    labels: directLabels(drawing, series),
  });
}

export function hollowMark(): Html {
  return keyPicture(serviceMarks(0, [[17, 6]], 'hollow'));
}

function drawingOf(sweep: SweepReading, metric: SweepMetric): Drawing {
  const points = sweep.lines.flatMap((one) => one.points);
  const values = points.flatMap(({ services }) => services.flatMap((one) => shownValue(one, metric) ?? []));
  const labels = shortLabels(points[0]?.services.map(({ service }) => service.label) ?? []).map((label) =>
    cleanText(label, MAX_LETTERS),
  );
  const right = Math.floor(CHART_PLOT.width - GAP - Math.max(0, ...labels.map(labelWidth)));
  return {
    sweep,
    metric,
    labels,
    right,
    x: argumentScale(
      points.map(({ at }) => at),
      right,
    ),
    y: metric === 'achievedRps' ? scaleOfRates(values) : latencyScale(values),
  };
}

/** Scale from zero, unless the lowest value would be on the axis then. */
function scaleOfRates(values: readonly number[]): Scale {
  const positive = values.filter((value) => value > 0);
  return Math.max(...positive) > 10 * Math.min(...positive) ? logRateScale(values) : fromZero(values, formatRate);
}

function pointsOf({ points }: SweepLine, index: number, metric: SweepMetric): readonly PlotPoint[] {
  return points.map(({ at, services }): PlotPoint => {
    const one = services[index];
    const isHollow = one?.cell !== undefined && isBounded(one.cell);
    const remark = pointRemark(one?.cell);
    return {
      ...{ x: at, y: one && shownValue(one, metric), mark: isHollow ? 'hollow' : undefined },
      remark: remark === '' ? undefined : remark,
    };
  });
}

/** Labels at the ends of their lines. */
function directLabels({ labels, right, y: scale }: Drawing, series: readonly PlotSeries[]): readonly Html[] {
  const ends = series.flatMap(({ index, points }) => {
    const y = points.findLast((point) => point.y !== undefined)?.y;
    return typeof y === 'number' ? [{ index, y: scale.at(y) }] : [];
  });
  const places = labelPlaces(
    ends.map(({ y }) => y),
    { from: CHART_PLOT.top + 4, to: CHART_PLOT.bottom - 4 },
  );
  return ends.map(
    ({ index }, at) =>
      html`<text class="direct ${serviceClass(index)}" x="${right + GAP}" y="${round((places[at] ?? 0) + 4)}">${labels[index] ?? ''}</text>`,
  );
}

function shownValue({ cell }: SweepCell, metric: SweepMetric): number | undefined {
  const value = cell?.figures[metric]?.median;
  return value !== undefined && value > 0 ? value : undefined;
}
