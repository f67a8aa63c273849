import { curveStepAfter, line } from 'd3-shape';
import { formatCount, formatMs, formatRate, NO_FIGURE } from '../../foundation/numbers.ts';
import type { TimeSeries } from '../../model/run/sample.ts';
import type { ChartHtml, Table } from '../document.ts';
import { type Html, html } from '../render/markup.ts';
import { aboutOf } from '../views/about.ts';
import type { LabeledName, RunView, TierView } from '../views/run-view.ts';
import { cellsAt, offeredAt } from '../views/service-comparison.ts';
import { CHART_PLOT, round } from './frame.ts';
import { shortPath } from './paths.ts';
import { plot } from './plot.ts';
import { fromZero, latencyScale, type Scale, timeScale } from './scales.ts';

/** Figures of each second: the title of their chart, and their column in the table. */
const COLUMNS = {
  users: { title: 'Users', head: 'users', format: (users: number) => formatCount(Math.round(users)) },
  offeredRps: { head: 'offered', format: formatRate },
  achievedRps: { title: 'Requests per second', head: 'achieved', format: formatRate },
  latencyMeanMs: { title: 'Mean latency', head: 'mean', format: formatMs },
  latencyP50Ms: { title: 'p50 latency', head: 'p50', format: formatMs },
  latencyP95Ms: { title: 'p95 latency', head: 'p95', format: formatMs },
  latencyP99Ms: { title: 'p99 latency', head: 'p99', format: formatMs },
} as const;

type TableColumn = keyof typeof COLUMNS;

/** Metric drawn over time. */
export type SeriesColumn = Exclude<TableColumn, 'offeredRps'>;

/** One round of one service at a tier, second by second. */
interface Course {
  readonly service: LabeledName;
  readonly index: number;
  readonly round: number;
  readonly series: TimeSeries;
}

/** Charts over time at one tier, one per column; every round is a separate line, so that a stall in one of them shows. Empty without a time series. */
export function seriesCharts(view: RunView, tier: TierView, columns: readonly SeriesColumn[]): readonly ChartHtml[] {
  if (!hasSeries(view, tier)) {
    return [];
  }
  const courses = coursesAt(view, tier);
  const time = timeScale(courses.flatMap(({ series }) => series.second));
  const latency = latencyScale(
    view.tiers
      .filter(({ isSaturation }) => isSaturation === tier.isSaturation)
      .flatMap((one) => coursesAt(view, one))
      .flatMap(({ series }) => [...(series.latencyMeanMs ?? []), ...series.latencyP50Ms, ...series.latencyP99Ms])
      .filter((ms) => ms !== null),
  );
  const rate = fromZero(
    courses.flatMap(({ series }) => [...series.achievedRps, ...series.offeredRps]),
    formatRate,
  );
  const users = fromZero(
    courses.flatMap(({ series }) => series.users ?? []),
    formatCount,
  );
  return columns.map((column) => {
    const y = column === 'achievedRps' ? rate : column === 'users' ? users : latency;
    // The number is the same for each service.
    const drawn = column === 'users' ? courses.slice(0, 1) : courses;
    const offered = column === 'achievedRps' && hasOffered(view, tier) ? [offeredLine(courses, time, y)] : [];
    return plot({
      id: `time-${column}-${tier.name}`,
      title: `${COLUMNS[column].title} over time at ${tier.label}`,
      intro: 'Per second while measured.',
      xTitle: 'seconds',
      column: COLUMNS[column].head,
      about: aboutOf(view.run, { tier: tier.name, metric: column }),
      bands: [rampShade(time), ...offered],
      ...{ x: time, y, xText: (second) => `${second} s`, yText: COLUMNS[column].format },
      series: drawn.map(({ service, index, round: number, series }) => ({
        index,
        label: number > 1 ? `${service.label}, round ${number}` : service.label,
        isThin: number > 1,
        points: [],
        line: series.second.map((second, at) => ({ x: second, y: series[column]?.[at] })),
      })),
    });
  });
}

/** Figures of the charts, one row per second of each round. */
export function seriesTable(view: RunView, tier: TierView): Table {
  const courses = coursesAt(view, tier);
  const rounds = [...new Set(courses.map((course) => course.round))];
  const services = view.services.filter(({ name }) => courses.some(({ service }) => service.name === name));
  const shown = shownAt(view, tier);
  const rows = rounds.flatMap((roundNumber) => {
    const ofRound = services.map(({ name }) =>
      courses.find(({ service, round: number }) => service.name === name && number === roundNumber),
    );
    const seconds = [...new Set(ofRound.flatMap((course) => course?.series.second ?? []))].sort((a, b) => a - b);
    return seconds.map((second) => ({
      head: rounds.length > 1 ? `round ${roundNumber}, ${second} s` : `${second} s`,
      cells: ofRound.flatMap((course) => secondCells(course?.series, second, shown)),
    }));
  });
  return {
    kind: 'table',
    isCaptioned: true,
    caption: `Second by second at ${tier.label}`,
    about: aboutOf(view.run, { tier: tier.name }),
    groups: [{ text: '' }, ...services.map(({ label }) => ({ text: label, span: shown.length }))],
    columns: ['', ...services.flatMap(() => shown.map((column) => COLUMNS[column].head))],
    rows,
  };
}

/** True if a schedule offered a rate at the tier; in a closed loop each service determines its own. */
export function hasOffered(view: RunView, tier: TierView): boolean {
  return offeredAt(view, { tier }) !== undefined;
}

/** True if any service has at least two seconds of this at the tier: older files lack the mean, and users only come and go at some tiers. */
export function hasSeries(view: RunView, tier: TierView, column: SeriesColumn = 'achievedRps'): boolean {
  return coursesAt(view, tier).some(({ series }) => (series[column] ?? []).length > 1);
}

function shownAt(view: RunView, tier: TierView): readonly TableColumn[] {
  const mean = hasSeries(view, tier, 'latencyMeanMs') ? (['latencyMeanMs'] as const) : [];
  if (hasSeries(view, tier, 'users')) {
    return ['users', 'achievedRps', ...mean, 'latencyP50Ms', 'latencyP95Ms', 'latencyP99Ms'];
  }
  // A closed loop offers what it achieves.
  const offered = hasOffered(view, tier) ? (['offeredRps'] as const) : [];
  return [...offered, 'achievedRps', ...mean, 'latencyP50Ms', 'latencyP99Ms'];
}

function secondCells(
  series: TimeSeries | undefined,
  second: number,
  columns: readonly TableColumn[],
): readonly string[] {
  const at = series?.second.indexOf(second) ?? -1;
  return columns.map((column) => {
    const value = series?.[column]?.[at];
    return value === undefined || value === null ? NO_FIGURE : COLUMNS[column].format(value);
  });
}

function coursesAt(view: RunView, tier: TierView): readonly Course[] {
  return cellsAt(view, [tier]).flatMap(({ service, index, cell }) =>
    cell.samples.flatMap(({ series, measuredSeconds, round: number }) =>
      series === undefined ? [] : [{ service, index, round: number, series: wholeSeconds(series, measuredSeconds) }],
    ),
  );
}

/** Largest missing fraction of a second that still counts as a whole one. */
const NEARLY = 0.05;

/** Series without values after the last whole second, in which little is sent: the rate would seem to fall. */
function wholeSeconds(series: TimeSeries, measuredSeconds: number): TimeSeries {
  const end = Math.floor(measuredSeconds + NEARLY);
  const count = series.second.filter((second) => second < end).length;
  const cut = Object.entries(series).map(([column, values]) => [column, values?.slice(0, count)]);
  return end < 1 ? series : Object.fromEntries(cut);
}

function offeredLine([first]: readonly Course[], time: Scale, y: Scale): Html {
  const path = line<number>()
    .curve(curveStepAfter)
    .x((second) => round(time.at(second)))
    .y((_, at) => round(y.at(first?.series.offeredRps[at] ?? 0)));
  return html`<path class="offered" d="${shortPath(path(first?.series.second ?? []) ?? '')}"/>`;
}

function rampShade(time: Scale): Html {
  const start = round(Math.max(CHART_PLOT.left, time.at(0)));
  const width = round(start - CHART_PLOT.left);
  return width <= 0
    ? html``
    : html`<path class="ramp" d="M${CHART_PLOT.left} ${CHART_PLOT.top}h${width}V${CHART_PLOT.bottom}H${CHART_PLOT.left}z"/>`;
}
