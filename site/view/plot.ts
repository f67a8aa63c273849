import type uPlot from 'uplot';
import { anchorOf } from '../../src/history/store/entry.ts';
import type { ChartContent, DrawnLine } from '../model/chart.ts';
import { detailOf, type Strand } from '../model/detail.ts';
import type { Stretch } from '../model/scales.ts';
import { linearRange, linearTicks, logarithmicRange, logarithmicTicks, ratioRange } from '../model/ticks.ts';
import { dayText, figureTexts } from '../model/words.ts';
import { type Colors, dashOf, serviceColor } from './colors.ts';
import { drawMarks, wordsHeight } from './plot-marks.ts';

export interface PlotSize {
  readonly width: number;
  readonly height: number;
}

/** Events of the pointer on the chart. */
export interface PlotListeners {
  /** Index of the run under the pointer; undefined once it left. */
  readonly hovered: (place: number | undefined) => void;
  /** Range that was selected by dragging. */
  readonly chosen: (from: number, to: number) => void;
}

const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';

/** Data of a range of the chart for uPlot: positions, the lines, and both ends of the band. */
export function plotFigures(
  { lines, band, isLogarithmic }: ChartContent,
  stretch: Stretch,
  width: number,
): uPlot.AlignedData {
  const strands: readonly Strand[] = [
    ...lines.map(({ figures }) => ({ values: figures.values, keeps: 'both' as const })),
    { values: band.low, keeps: 'lowest' },
    { values: band.high, keeps: 'highest' },
  ];
  const above = isLogarithmic ? 0 : Number.NEGATIVE_INFINITY;
  const { places, lines: figures } = detailOf(strands, { stretch, columns: width, above });
  return [places, ...figures];
}

export function plotOptions(
  content: ChartContent,
  colors: Colors,
  size: PlotSize,
  listeners: PlotListeners,
): uPlot.Options {
  const count = content.lines.length;
  const focus = content.lines.find(({ isFocus }) => isFocus);
  const fill = `${serviceColor(colors, focus?.color ?? 0)}30`;
  return {
    ...size,
    padding: [wordsHeight(content), 12, 0, 0],
    legend: { show: false },
    cursor: cursorOptions(listeners),
    scales: { x: { time: false, auto: false }, y: yScale(content) },
    axes: axesOf(content, colors),
    series: [{}, ...content.lines.map((line) => lineOptions(line, colors)), bandEdge(focus), bandEdge(focus)],
    bands: [{ series: [count + 2, count + 1], fill }],
    hooks: {
      draw: [(plot) => drawMarks(plot, content, colors)],
      setSelect: [(plot) => chooseStretch(plot, listeners)],
      // Not every run has its own point.
      setCursor: [({ cursor, data }) => listeners.hovered(data[0][cursor.idx ?? -1])],
    },
  };
}

function cursorOptions({ chosen }: PlotListeners): uPlot.Cursor {
  return {
    // Both are steps of the page's state, which then moves the chart.
    drag: { x: true, y: false, setScale: false },
    bind: {
      dblclick: () => () => {
        chosen(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
        return null;
      },
    },
    points: { size: 7 },
    y: false,
  };
}

function chooseStretch(plot: uPlot, { chosen }: PlotListeners): void {
  const { left, width } = plot.select;
  if (width > 4) {
    chosen(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }
}

function yScale({ series, isLogarithmic }: ChartContent): uPlot.Scale {
  const linear = anchorOf(series) === undefined ? linearRange : ratioRange;
  const range = isLogarithmic ? logarithmicRange : linear;
  return {
    distr: isLogarithmic ? 3 : 1,
    // Without visible lines, there is no range.
    range: (_plot, low, high): [number, number] => [...range(low ?? 1, high ?? low ?? 2)],
  };
}

function axesOf({ runs, series, isLogarithmic }: ChartContent, colors: Colors): uPlot.Axis[] {
  const look = { stroke: colors.faint, font: FONT, grid: { stroke: colors.line, width: 1 }, ticks: { show: false } };
  return [
    {
      ...look,
      grid: { show: false },
      space: 90,
      size: 30,
      incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
      // A truncated date at the right edge would not be readable.
      filter: (plot, places) =>
        places.map((place) => (plot.valToPos(place, 'x') > plot.bbox.width / devicePixelRatio - 24 ? null : place)),
      // Each day is labeled once.
      values: (_plot, places) => {
        const days = places.map((place) => (place === null ? '' : dayAt(runs[place]?.at)));
        return days.map((day, index) => (days.indexOf(day) === index ? day : ''));
      },
    },
    {
      ...look,
      size: (_plot, labels) => axisWidth(labels ?? []),
      splits: (plot) => {
        const [low, high] = endsOf(plot);
        return [...(isLogarithmic ? logarithmicTicks(low, high) : linearTicks(low, high, plot.height / 60))];
      },
      filter: (_plot, splits) => splits,
      values: (_plot, splits) => figureTexts(series, splits),
    },
  ];
}

/** Width of the longest label: six digits and a unit would be truncated. */
function axisWidth(labels: readonly (string | null)[]): number {
  const longest = Math.max(0, ...labels.map((label) => label?.length ?? 0));
  return Math.min(MAX_AXIS, Math.max(LEAST_AXIS, Math.ceil(LETTER * longest) + 16));
}

const LETTER = 6.8;
const LEAST_AXIS = 52;
const MAX_AXIS = 170;

/** Current range of the value axis. */
export function endsOf({ scales }: uPlot): readonly [number, number] {
  return [scales['y']?.min ?? 0, scales['y']?.max ?? 0];
}

function dayAt(at: number | undefined): string {
  return at === undefined ? '' : dayText(at);
}

function lineOptions({ isShown, isFocus, color, dash }: DrawnLine, colors: Colors): uPlot.Series {
  const stroke = serviceColor(colors, color);
  return {
    show: isShown,
    stroke,
    width: isFocus ? 2.25 : 1.25,
    alpha: isFocus ? 1 : 0.75,
    dash: [...dashOf(dash)],
    points: { size: isFocus ? 6 : 4, fill: stroke, space: 14 },
    spanGaps: true,
  };
}

function bandEdge(focus: DrawnLine | undefined): uPlot.Series {
  return { show: focus?.isShown ?? false, width: 0, points: { show: false }, spanGaps: true };
}
