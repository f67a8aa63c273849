import { curveStepAfter, line } from 'd3-shape';
import { formatMs, formatRate, NO_FIGURE } from '../../foundation/index.ts';
import type { RunSample } from '../../judge/index.ts';
import type { Table } from '../document.ts';
import { type Html, html } from '../render/markup.ts';
import type { RunView, ServiceView, TierView } from '../views/run-view.ts';
import { cellAt, offeredAt, wholeOf } from '../views/service-comparison.ts';
import { CHART_PLOT, chart, round, serviceLine, serviceMark } from './frame.ts';
import { latencyScale, rateScale, type Scale, timeScale } from './scales.ts';

type Series = NonNullable<RunSample['series']>;
/** What is drawn over time. */
export type SeriesColumn = 'achievedRps' | 'latencyP50Ms' | 'latencyP99Ms';

/** One round of one service at a tier, second by second. */
interface Course {
  readonly service: ServiceView;
  readonly index: number;
  readonly round: number;
  readonly series: Series;
}

const TITLES: Record<SeriesColumn, string> = {
  achievedRps: 'Requests per second',
  latencyP50Ms: 'p50 latency',
  latencyP99Ms: 'p99 latency',
};

/** The columns over time at one tier, a chart each; every round is a line of its own, so that a stall in one of them shows. */
export function seriesCharts(view: RunView, tier: TierView, columns: readonly SeriesColumn[]): readonly Html[] {
  const courses = coursesAt(view, tier);
  if (courses.length === 0) {
    return [];
  }
  const time = timeScale(courses.flatMap(({ series }) => series.second));
  const latency = latencyScale(latenciesOf(view, tier));
  const rate = rateScale(courses.flatMap(({ series }) => [...series.achievedRps, ...series.offeredRps]));
  return columns.map((column) => {
    const y = column === 'achievedRps' ? rate : latency;
    const marks = [rampShade(time), ...courses.flatMap((course) => courseLine(course, column, { time, y }))];
    const offered = column === 'achievedRps' && hasOffered(view, tier) ? [offeredLine(courses, { time, y })] : [];
    return chart({
      id: `time-${column}-${tier.name}`,
      title: TITLES[column],
      description: `At ${tier.label}, per second. ${courses.map((course) => spoken(course, column)).join(' ')}`,
      xTitle: 'seconds',
      xTicks: time.ticks,
      yTicks: y.ticks,
      marks: [...marks.slice(0, 1), ...offered, ...marks.slice(1)],
    });
  });
}

/** The figures of the charts, a row per second of each round. */
export function seriesTable(view: RunView, tier: TierView): Table {
  const courses = coursesAt(view, tier);
  const rounds = [...new Set(courses.map((course) => course.round))];
  const services = view.services.filter(({ name }) => courses.some(({ service }) => service.name === name));
  const rows = rounds.flatMap((roundNumber) => {
    const ofRound = services.map(({ name }) =>
      courses.find(({ service, round: number }) => service.name === name && number === roundNumber),
    );
    const seconds = [...new Set(ofRound.flatMap((course) => course?.series.second ?? []))].sort((a, b) => a - b);
    return seconds.map((second) => ({
      head: rounds.length > 1 ? `round ${roundNumber}, ${second} s` : `${second} s`,
      cells: ofRound.flatMap((course) => secondCells(course?.series, second)),
    }));
  });
  return {
    kind: 'table',
    caption: `Second by second at ${tier.label}`,
    groups: [{ text: '' }, ...services.map(({ label }) => ({ text: label, span: 4 }))],
    columns: ['', ...services.flatMap(() => ['offered', 'achieved', 'p50', 'p99'])],
    rows,
  };
}

/** Whether a schedule offered a rate at the tier; of a closed loop each service sets its own. */
export function hasOffered(view: RunView, tier: TierView): boolean {
  return offeredAt(view, wholeOf(tier)) !== undefined;
}

/** Whether any service has a time series at the tier. */
export function hasSeries(view: RunView, tier: TierView): boolean {
  return coursesAt(view, tier).length > 0;
}

function secondCells(series: Series | undefined, second: number): readonly string[] {
  const at = series?.second.indexOf(second) ?? -1;
  const rates = [series?.offeredRps[at], series?.achievedRps[at]].map((rate) =>
    rate === undefined ? NO_FIGURE : formatRate(rate),
  );
  const latencies = [series?.latencyP50Ms[at], series?.latencyP99Ms[at]].map((ms) =>
    ms === undefined || ms === null ? NO_FIGURE : formatMs(ms),
  );
  return [...rates, ...latencies];
}

function coursesAt(view: RunView, tier: TierView): readonly Course[] {
  return view.services.flatMap((service, index) =>
    (cellAt(view, wholeOf(tier), service)?.samples ?? []).flatMap(({ series, measuredSeconds, round: number }) =>
      series === undefined ? [] : [{ service, index, round: number, series: wholeSeconds(series, measuredSeconds) }],
    ),
  );
}

/** Of a second that is measured but for this share, nothing is missing. */
const NEARLY = 0.05;

/** Without what came after the last whole second, in which little is sent any more: it would look as if the rate fell. */
function wholeSeconds(series: Series, measuredSeconds: number): Series {
  const end = Math.floor(measuredSeconds + NEARLY);
  const count = series.second.filter((second) => second < end).length;
  const { second, offeredRps, achievedRps, latencyP50Ms, latencyP99Ms } = series;
  return end < 1
    ? series
    : {
        ...series,
        second: second.slice(0, count),
        offeredRps: offeredRps.slice(0, count),
        achievedRps: achievedRps.slice(0, count),
        latencyP50Ms: latencyP50Ms.slice(0, count),
        latencyP99Ms: latencyP99Ms.slice(0, count),
      };
}

/** All tiers share a scale, so that their charts can be compared; saturation is another kind of load. */
function latenciesOf(view: RunView, tier: TierView): readonly number[] {
  return view.tiers
    .filter(({ isSaturation }) => isSaturation === tier.isSaturation)
    .flatMap((one) => coursesAt(view, one))
    .flatMap(({ series }) => [...series.latencyP50Ms, ...series.latencyP99Ms])
    .filter((ms) => ms !== null);
}

interface Axes {
  readonly time: Scale;
  readonly y: Scale;
}

type Point = readonly [second: number, value: number | null];

function courseLine(
  { series, index, round: number }: Course,
  column: SeriesColumn,
  { time, y }: Axes,
): readonly Html[] {
  const points = series.second.map((second, at): Point => [second, series[column][at] ?? null]);
  const path = line<Point>()
    .defined(([, value]) => value !== null)
    .x(([second]) => round(time.at(second)))
    .y(([, value]) => round(y.at(value ?? 0)));
  // A second between two gaps is a line without length: only a mark shows it.
  const lone = points.filter(
    ([, value], at) =>
      value !== null && (points[at - 1]?.[1] ?? null) === null && (points[at + 1]?.[1] ?? null) === null,
  );
  return [
    serviceLine(index, path(points), number > 1 ? 'thin' : 'line'),
    ...lone.map(([second, value]) => serviceMark(index, time.at(second), y.at(value ?? 0))),
  ];
}

function offeredLine(courses: readonly Course[], { time, y }: Axes): Html {
  const series = courses[0]?.series;
  const points = (series?.second ?? []).map((second, at): Point => [second, series?.offeredRps[at] ?? null]);
  const path = line<Point>()
    .curve(curveStepAfter)
    .x(([second]) => round(time.at(second)))
    .y(([, value]) => round(y.at(value ?? 0)));
  return html`<path class="offered" d="${path(points) ?? ''}"/>`;
}

function rampShade(time: Scale): Html {
  const start = round(Math.max(CHART_PLOT.left, time.at(0)));
  const width = round(start - CHART_PLOT.left);
  return width <= 0
    ? html``
    : html`<rect class="ramp" x="${CHART_PLOT.left}" y="${CHART_PLOT.top}" width="${width}" height="${CHART_PLOT.bottom - CHART_PLOT.top}"/>`;
}

function spoken({ service, series, round: number }: Course, column: SeriesColumn): string {
  const measured = series.second.flatMap((second, at) => (second < 0 ? [] : (series[column][at] ?? [])));
  const name = number > 1 ? `${service.label}, round ${number}` : service.label;
  if (measured.length === 0) {
    return `${name}: nothing was answered.`;
  }
  const format = column === 'achievedRps' ? formatRate : formatMs;
  return `${name}: from ${format(Math.min(...measured))} to ${format(Math.max(...measured))} while measured.`;
}
