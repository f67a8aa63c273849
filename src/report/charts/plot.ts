import { line } from 'd3-shape';
import type { ChartHtml } from '../document.ts';
import { aboutAttribute } from '../render/filters.ts';
import { type Html, html, joinLines } from '../render/markup.ts';
import type { About } from '../views/about.ts';
import { CHART_PLOT, round, serviceClass, serviceLine, serviceMarks } from './frame.ts';
import { dotsPath } from './paths.ts';
import type { Scale } from './scales.ts';

/** Point of a series; a point without a value is a gap. */
export interface PlotPoint {
  readonly x: number;
  readonly y: number | null | undefined;
  /** Lowest and highest value of its rounds. */
  readonly range?: readonly [low: number, high: number] | undefined;
  /** Hollow for a value that something other than the service limits, a cross for a rate that was not sustained. */
  readonly mark?: 'hollow' | 'missed' | undefined;
  readonly remark?: string | undefined;
}

export interface PlotSeries {
  /** Index of the service in the run, which determines color and shape. */
  readonly index: number;
  readonly label: string;
  /** Points with a mark. */
  readonly points: readonly PlotPoint[];
  /** Points on the line, if they differ from those with marks. */
  readonly line?: readonly PlotPoint[] | undefined;
  readonly isThin?: boolean;
}

/** Chart as data: its picture and description follow from the series. */
interface Plot {
  /** Unique on the page; letters, digits, dots and dashes. */
  readonly id: string;
  readonly title: string;
  readonly xTitle: string;
  /** End of the plot, for charts with labels at its side. */
  readonly right?: number;
  /** Column heading of a chart over time in the last table below it; the page uses it to show values by second. */
  readonly column?: string;
  /** Subject, by which a page can hide it. */
  readonly about?: About | undefined;
  readonly x: Scale;
  readonly y: Scale;
  readonly xText: (x: number) => string;
  readonly yText: (y: number) => string;
  readonly series: readonly PlotSeries[];
  /** True for many points without a line. */
  readonly isDots?: boolean;
  /** Begins the description. */
  readonly intro?: string;
  /** Bands and limits below the lines. */
  readonly bands?: readonly Html[];
  /** Labels above everything. */
  readonly labels?: readonly Html[];
}

/** Maximum number of series whose marks have titles: more would overlap and make pages large, and the table has each figure. */
const MAX_TITLED = 4;

/** Picture of a plot: an inline SVG with a name, which its first element gives, and a description, below its title as a caption. */
export function plot(content: Plot): ChartHtml {
  const { id, title, xTitle, right = CHART_PLOT.right, column, about } = content;
  const { x, y, series, intro = '', bands = [], labels = [] } = content;
  const { width, height, left, bottom } = CHART_PLOT;
  const drawn =
    content.isDots === true ? series.map((one) => dots(one, content)) : [...linesOf(content), ...marksOf(content)];
  const texts =
    series.length > MAX_TITLED ? ['The table below lists the figures of each service.'] : series.map(spoken(content));
  const rows = y.ticks.map(({ at, label }) => html`<text y="${round(at + 4)}">${label}</text>`);
  const columns = x.ticks.map(
    ({ at, label }) =>
      html`<text x="${round(at)}"${at > right - 14 ? html` text-anchor="end"` : undefined}>${label}</text>`,
  );
  const grid = y.ticks.map(({ at }) => html`M${left} ${round(at)}H${right}`);
  const ticks = x.ticks.map(({ at }) => html`M${round(at)} ${bottom}v4`);
  const seconds = column && html` data-column="${column}" data-seconds="${round(x.at(0))} ${round(x.at(1) - x.at(0))}"`;
  const { markup } = html`<figure class="chart"${about && aboutAttribute(about)}><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${width} ${height}"${seconds} role="img"><title id="${id}-title">${title}</title><desc>${[intro, ...texts].join(' ').trim()}</desc>
<path class="grid" d="${grid}"/><g class="y">${rows}</g>
<path class="axis" d="${ticks}M${left} ${bottom}H${right}"/><g class="x">${columns}</g>
<text x="${right}" y="${height - 4}" text-anchor="end">${xTitle}</text>
${joinLines([...bands, ...drawn, ...labels])}
</svg></figure>`;
  return { markup, about };
}

type KnownPoint = PlotPoint & { readonly y: number };

function isKnown(point: PlotPoint | undefined): point is KnownPoint {
  return point?.y !== undefined && point.y !== null;
}

function dots({ index, points }: PlotSeries, { x, y }: Plot): Html {
  const places = points.filter(isKnown).map((one) => [x.at(one.x), Math.max(CHART_PLOT.top, y.at(one.y))] as const);
  return html`<path class="dots ${serviceClass(index)}" d="${dotsPath(places)}"/>`;
}

function linesOf({ x, y, series }: Plot): readonly Html[] {
  const path = line<PlotPoint>()
    .defined(isKnown)
    .x((one) => round(x.at(one.x)))
    .y((one) => round(y.at(one.y ?? 0)));
  return series.map(({ index, points, line: between = points, isThin = false }) =>
    serviceLine(index, path(between), isThin ? 'thin' : 'line'),
  );
}

function marksOf({ x, y, xText, yText, series }: Plot): readonly Html[] {
  return series.flatMap(({ index, label, points, line: between }) => {
    const untitled = (one: KnownPoint) => [x.at(one.x), y.at(one.y)] as const;
    const placeOf = (one: KnownPoint) => {
      const title = series.length > MAX_TITLED ? undefined : `${label}, ${xText(one.x)}: ${yText(one.y)}`;
      return [...untitled(one), title] as const;
    };
    const marked = (kind: PlotPoint['mark']) => points.filter(isKnown).filter(({ mark }) => mark === kind);
    const ranges = points.flatMap(({ x: at, range }) =>
      range === undefined ? [] : [`M${round(x.at(at))} ${round(y.at(range[0]))}V${round(y.at(range[1]))}`],
    );
    return [
      ...(ranges.length === 0 ? [] : [html`<path class="spread ${serviceClass(index)}" d="${ranges.join('')}"/>`]),
      // A point between two gaps is a line without length: only a mark shows it.
      ...serviceMarks(index, lonePoints(points.length === 0 ? (between ?? []) : []).map(untitled)),
      ...serviceMarks(index, marked(undefined).map(placeOf)),
      ...serviceMarks(index, marked('hollow').map(placeOf), 'hollow'),
      ...marked('missed').map((one) => cross(index, x.at(one.x), y.at(one.y))),
    ];
  });
}

function lonePoints(points: readonly PlotPoint[]): readonly KnownPoint[] {
  return points.flatMap((point, at) =>
    isKnown(point) && !isKnown(points[at - 1]) && !isKnown(points[at + 1]) ? [point] : [],
  );
}

/** Mark of a rate that was not sustained. */
export function cross(service: number, x: number, y: number): Html {
  const path = `M${round(x - 3.5)} ${round(y - 3.5)}l7 7m0 -7l-7 7`;
  return html`<path class="missed ${serviceClass(service)}" d="${path}"/>`;
}

/** Each of a few points, or the range of many, such as the seconds of a load, except those before 0. */
function spoken({ xText, yText, isDots }: Plot): (series: PlotSeries) => string {
  return ({ label, points, line: between = [] }) => {
    const texts = points
      .filter(isKnown)
      .map(({ x, y, remark }) => `${yText(y)} at ${xText(x)}${remark === undefined ? '' : ` (${remark})`}`);
    const values = (isDots === true ? points : between)
      .filter(isKnown)
      .filter(({ x }) => x >= 0)
      .map(({ y }) => y);
    const range = `${yText(Math.min(...values))} to ${yText(Math.max(...values))}`;
    return `${label}: ${texts.length > 0 && isDots !== true ? texts.join(', ') : values.length > 0 ? range : 'nothing measured'}.`;
  };
}
