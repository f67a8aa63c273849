import { line } from 'd3-shape';
import { formatMs, formatRate } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import type { Step } from '../../measure/knee/criteria.ts';
import type { KneeRecord } from '../../measure/knee/record.ts';
import {
  CHART_PLOT,
  chart,
  chartKey,
  keyPicture,
  round,
  serviceClass,
  serviceLine,
  serviceMarks,
} from '../charts/frame.ts';
import { latencyScale, offeredScale, rateScale, type Scale } from '../charts/scales.ts';
import type { Figures } from '../document.ts';
import { type Html, html } from '../render/markup.ts';

/** Steps of one service that had a fixed rate. */
interface Course {
  readonly name: string;
  readonly index: number;
  readonly limitMs: number | undefined;
  readonly steps: readonly Step[];
}

interface Axes {
  readonly x: Scale;
  readonly y: Scale;
  /** A value of the vertical one in words. */
  readonly format: (value: number) => string;
}

/** What is drawn of a step over its offered rate; undefined if it has none. */
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
  const x = offeredScale(offered);
  const keys = [missedKey(), html`<li>${sample('thin s0')}p99 limit for a held rate</li>`];
  const labels = courses.map(({ name }) => name);
  return {
    kind: 'figures',
    key: chartKey(labels, [...keys, html`<li>${sample('offered')}full offered rate</li>`]),
    charts: [p99Chart(courses, x), achievedChart(courses, { x, offered })],
  };
}

function p99Chart(courses: readonly Course[], x: Scale): Html {
  const figureOf: FigureOf = ({ latencyP99Ms }) => latencyP99Ms;
  const drawn = courses.flatMap(({ steps, limitMs }) => [...steps.map(figureOf), limitMs]);
  const axes = { x, y: latencyScale(drawn.filter((value) => value !== undefined)), format: formatMs };
  const limits = courses.flatMap(({ index, limitMs }) =>
    limitMs === undefined
      ? []
      : [serviceLine(index, `M${CHART_PLOT.left} ${round(axes.y.at(limitMs))}H${CHART_PLOT.right}`, 'thin')],
  );
  return chart({
    id: 'saturate-p99',
    title: 'p99 latency',
    description: courses.map((course) => spoken(course, figureOf, formatMs)).join(' '),
    xTitle: 'offered',
    xTicks: x.ticks,
    yTicks: axes.y.ticks,
    marks: [...limits, ...courses.flatMap((course) => courseMarks(course, figureOf, axes))],
  });
}

function achievedChart(
  courses: readonly Course[],
  { x, offered }: { readonly x: Scale; readonly offered: readonly number[] },
): Html {
  const figureOf: FigureOf = ({ achievedRps }) => achievedRps;
  const highest = Math.max(...offered);
  const y = rateScale([highest, ...courses.flatMap(({ steps }) => steps.map(({ achievedRps }) => achievedRps))]);
  const all = `M${round(x.at(0))} ${round(y.at(0))}L${round(x.at(highest))} ${round(y.at(highest))}`;
  return chart({
    id: 'saturate-achieved',
    title: 'Achieved rate',
    description: courses.map((course) => spoken(course, figureOf, formatRate)).join(' '),
    xTitle: 'offered',
    xTicks: x.ticks,
    yTicks: y.ticks,
    marks: [
      html`<path class="offered" d="${all}"/>`,
      ...courses.flatMap((course) => courseMarks(course, figureOf, { x, y, format: formatRate })),
    ],
  });
}

/** A line through the medians of the rates, and a mark for each step: a cross where it was not held. */
function courseMarks({ name, index, steps }: Course, figureOf: FigureOf, axes: Axes): readonly Html[] {
  const { x, y, format } = axes;
  const path = line<readonly [rate: number, value: number]>()
    .x(([rate]) => round(x.at(rate)))
    .y(([, value]) => round(y.at(value)));
  const marks = steps.flatMap((step) => {
    const value = figureOf(step);
    const [at, height] = [x.at(step.offeredRps ?? 0), y.at(value ?? 0)];
    if (value === undefined) {
      return [];
    }
    const title = `${name}, ${formatRate(step.offeredRps ?? 0)}: ${format(value)}`;
    return step.verdict === 'held' ? serviceMarks(index, [[at, height, title]]) : [cross(index, at, height)];
  });
  return [serviceLine(index, path(mediansOf(steps, figureOf))), ...marks];
}

function mediansOf(steps: readonly Step[], figureOf: FigureOf): [number, number][] {
  const rates = [...new Set(steps.map(({ offeredRps = 0 }) => offeredRps))].sort((left, right) => left - right);
  return rates.flatMap((rate): [number, number][] => {
    const middle = median(steps.flatMap((step) => (step.offeredRps === rate ? (figureOf(step) ?? []) : [])));
    return middle === undefined ? [] : [[rate, middle]];
  });
}

function cross(service: number, x: number, y: number): Html {
  const path = `M${round(x - 3.5)} ${round(y - 3.5)}l7 7m0 -7l-7 7`;
  return html`<path class="missed ${serviceClass(service)}" d="${path}"/>`;
}

function missedKey(): Html {
  return html`<li>${keyPicture(cross(0, 17, 6))}not held</li>`;
}

function sample(style: string): Html {
  return keyPicture(html`<path class="${style}" d="M1 6H33"/>`);
}

function spoken({ name, steps }: Course, figureOf: FigureOf, format: (value: number) => string): string {
  const texts = mediansOf(steps, figureOf).map(([rate, value]) => `${format(value)} at ${formatRate(rate)}`);
  return `${name}: ${texts.length === 0 ? 'not measured' : texts.join(', ')}.`;
}
