import { line } from 'd3-shape';
import type { ChartHtml } from '../document.ts';
import { type Html, html } from '../render/markup.ts';
import { CHART_PLOT, type ChartContent, chart, round, serviceClass, serviceLine, serviceMarks } from './frame.ts';
import { dotsPath } from './paths.ts';
import type { Scale } from './scales.ts';

/** A point of a series; one without a value is a gap. */
export interface PlotPoint {
  readonly x: number;
  readonly y: number | null | undefined;
  /** Lowest and highest value of its rounds. */
  readonly range?: readonly [low: number, high: number] | undefined;
  /** Hollow for a value that something other than the service limits, a cross for a rate that was not sustained. */
  readonly mark?: 'hollow' | 'missed' | undefined;
  readonly remark?: string | undefined;
}

/** Figures of one service. */
export interface PlotSeries {
  /** Place of the service in the run, which gives color and shape. */
  readonly index: number;
  readonly label: string;
  /** Points that get a mark. */
  readonly points: readonly PlotPoint[];
  /** Points that the line connects, if they differ from those with marks. */
  readonly line?: readonly PlotPoint[] | undefined;
  readonly isThin?: boolean;
}

/** A chart as data: its picture and its description follow from the series. */
interface Plot extends Omit<ChartContent, 'description' | 'xTicks' | 'yTicks' | 'marks'> {
  readonly x: Scale;
  readonly y: Scale;
  readonly xText: (x: number) => string;
  readonly yText: (y: number) => string;
  readonly series: readonly PlotSeries[];
  /** Points are many and have no line. */
  readonly isDots?: boolean;
  /** Begins the description. */
  readonly intro?: string;
  /** Bands and limits below the lines. */
  readonly bands?: readonly Html[];
  /** Labels above everything. */
  readonly labels?: readonly Html[];
}

/** With more series, marks cover each other and pages get large: no mark has a title, and the table says each figure better. */
const MOST_TITLED = 4;

/** Picture of a plot, with its description for readers who do not see it. */
export function plot(content: Plot): ChartHtml {
  const { x, y, series, intro = '', bands = [], labels = [], ...frame } = content;
  const drawn =
    content.isDots === true ? series.map((one) => dots(one, content)) : [...linesOf(content), ...marksOf(content)];
  const texts =
    series.length > MOST_TITLED ? ['The table below lists the figures of each service.'] : series.map(spoken(content));
  return chart({
    ...frame,
    description: [intro, ...texts].join(' ').trim(),
    xTicks: x.ticks,
    yTicks: y.ticks,
    marks: [...bands, ...drawn, ...labels],
  });
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
    const placeOf = (one: KnownPoint, isTitled = series.length <= MOST_TITLED) =>
      [x.at(one.x), y.at(one.y), isTitled ? `${label}, ${xText(one.x)}: ${yText(one.y)}` : undefined] as const;
    const marked = (kind: PlotPoint['mark']) => points.filter(isKnown).filter(({ mark }) => mark === kind);
    const ranges = points.flatMap(({ x: at, range }) =>
      range === undefined ? [] : [`M${round(x.at(at))} ${round(y.at(range[0]))}V${round(y.at(range[1]))}`],
    );
    return [
      ...(ranges.length === 0 ? [] : [html`<path class="spread ${serviceClass(index)}" d="${ranges.join('')}"/>`]),
      // A point between two gaps is a line without length: only a mark shows it.
      ...serviceMarks(
        index,
        lonePoints(points.length === 0 ? (between ?? []) : []).map((one) => placeOf(one, false)),
      ),
      ...serviceMarks(
        index,
        marked(undefined).map((one) => placeOf(one)),
      ),
      ...serviceMarks(
        index,
        marked('hollow').map((one) => placeOf(one)),
        'hollow',
      ),
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

/** Each point of a few, or the range of many, such as the seconds of a load, of which those before 0 do not count. */
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
