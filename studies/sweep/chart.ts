import { line } from 'd3-shape';
import { NO_FIGURE } from '../../src/foundation/numbers.ts';
import { cleanText } from '../../src/foundation/text.ts';
import type { MetricName } from '../../src/model/metric.ts';
import { formatMetric } from '../../src/model/metric.ts';
import {
  CHART_PLOT,
  chart,
  hollowServiceMarks,
  keyPicture,
  labelPlaces,
  labelWidth,
  markTitle,
  round,
  serviceClass,
  serviceLine,
  serviceMarks,
  shortLabels,
} from '../../src/report/charts/frame.ts';
import { argumentScale, latencyScale, logRateScale, rateScale, type Scale } from '../../src/report/charts/scales.ts';
import type { ChartHtml } from '../../src/report/document.ts';
import { type Html, html } from '../../src/report/render/markup.ts';
import { aboutOf } from '../../src/report/views/about.ts';
import type { SweepCell, SweepLine, SweepReading } from '../../src/report/views/sweep.ts';
import { atText, isBounded, pointRemark } from './view.ts';

/** What is drawn over the argument. */
export type SweepMetric = Extract<MetricName, 'achievedRps' | 'latencyP99Ms'>;

const TITLES: Record<SweepMetric, string> = { achievedRps: 'requests per second', latencyP99Ms: 'p99 latency' };

/** Between the last mark and the label of its line. */
const GAP = 9;

const MOST_LETTERS = 20;

/** What charts of one metric share, so that they can be compared with each other. */
interface Drawing {
  readonly sweep: SweepReading;
  readonly metric: SweepMetric;
  readonly y: Scale;
  readonly x: Scale;
  readonly right: number;
  /** Of the services, in the order of the run. */
  readonly labels: readonly string[];
}

/** Which line of the sweep is drawn. */
interface LineChoice {
  readonly place: number;
  readonly metric: SweepMetric;
}

/** A metric of one line over the argument: a chart for each panel, on the same scales as all other lines. */
export function sweepCharts(sweep: SweepReading, { place, metric }: LineChoice): readonly ChartHtml[] {
  const drawn = sweep.lines[place];
  const drawing = drawingOf(sweep, metric);
  return drawn === undefined
    ? []
    : sweep.panels.map((panel, index) =>
        chart({
          id: `sweep-${metric}-${place}-${index}`,
          title: `${cleanText(panel.title, 80)}: ${TITLES[metric]}`,
          description: `${drawn.label}, over ${sweep.title}. ${spoken(drawn, panel.services, metric)}`,
          xTitle: cleanText(sweep.title, 40),
          xTicks: drawing.x.ticks,
          yTicks: drawing.y.ticks,
          right: drawing.right,
          about: aboutOf(sweep.run, { services: panel.services, metric }),
          marks: panelMarks(drawing, drawn, panel.services),
        }),
      );
}

/** A hollow mark for the key of the charts. */
export function hollowMark(): Html {
  return keyPicture(hollowServiceMarks(0, [[17, 6]]));
}

function drawingOf(sweep: SweepReading, metric: SweepMetric): Drawing {
  const points = sweep.lines.flatMap((one) => one.points);
  const values = points.flatMap(({ services }) => services.flatMap((one) => shownValue(one, metric) ?? []));
  const labels = shortLabels(points[0]?.services.map(({ service }) => service.label) ?? []).map((label) =>
    cleanText(label, MOST_LETTERS),
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

/** From zero, unless the lowest would lie on the axis then. */
function scaleOfRates(values: readonly number[]): Scale {
  const positive = values.filter((value) => value > 0);
  return Math.max(...positive) > 10 * Math.min(...positive) ? logRateScale(values) : rateScale(values);
}

interface Drawn {
  readonly index: number;
  readonly points: readonly DrawnPoint[];
}

interface DrawnPoint {
  readonly x: number;
  readonly y: number | undefined;
  readonly isHollow: boolean;
  readonly title: string | undefined;
}

function panelMarks(drawing: Drawing, drawn: SweepLine, services: readonly string[]): readonly Html[] {
  const courses = (drawn.points[0]?.services ?? []).flatMap(({ service }, index) =>
    services.includes(service.name) ? [courseOf(drawing, drawn, index)] : [],
  );
  const path = line<DrawnPoint>()
    .defined(({ y }) => y !== undefined)
    .x(({ x }) => round(x))
    .y(({ y = 0 }) => round(y));
  return [
    ...courses.map(({ index, points }) => serviceLine(index, path(points))),
    ...courses.flatMap(pointMarks),
    ...directLabels(drawing, courses),
  ];
}

function pointMarks({ index, points }: Drawn): readonly Html[] {
  const placesOf = (hollow: boolean) =>
    points.flatMap(({ x, y, isHollow, title }) =>
      y === undefined || isHollow !== hollow ? [] : [[x, y, title] as const],
    );
  return [...serviceMarks(index, placesOf(false)), ...hollowServiceMarks(index, placesOf(true))];
}

function courseOf({ metric, x, y, labels }: Drawing, drawn: SweepLine, index: number): Drawn {
  const points = drawn.points.map(({ at, services }) => {
    const value = services[index] && shownValue(services[index], metric);
    const cell = services[index]?.cell;
    const text = value === undefined ? NO_FIGURE : formatMetric(metric, value);
    return {
      x: x.at(at),
      y: value === undefined ? undefined : y.at(value),
      isHollow: cell !== undefined && isBounded(cell),
      title: markTitle(labels.length, `${services[index]?.service.label ?? ''}, ${atText(at)}: ${text}`),
    };
  });
  return { index, points };
}

/** Each beside the end of its line. */
function directLabels({ labels, right }: Drawing, courses: readonly Drawn[]): readonly Html[] {
  const ends = courses.flatMap(({ index, points }) => {
    const y = points.findLast((point) => point.y !== undefined)?.y;
    return y === undefined ? [] : [{ index, y }];
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

function spoken({ points }: SweepLine, names: readonly string[], metric: SweepMetric): string {
  const services = points[0]?.services.filter(({ service }) => names.includes(service.name)) ?? [];
  const texts = services.map(({ service }) => {
    const figures = points.map((point) => {
      const one = point.services.find((other) => other.service === service);
      const value = one && shownValue(one, metric);
      const remark = pointRemark(one?.cell);
      const figure = value === undefined ? 'nothing' : formatMetric(metric, value);
      return `${figure} at ${atText(point.at)}${remark === '' ? '' : ` (${remark})`}`;
    });
    return `${service.label}: ${figures.join(', ')}.`;
  });
  return texts.join(' ');
}
