import type { HistoryChange } from '../../src/history/store/changes.ts';
import { anchorOf, type Series, seriesKey } from '../../src/history/store/entry.ts';
import type { SegmentRow } from '../../src/history/store/index-file.ts';
import { isErrorRate } from '../../src/model/metric.ts';
import { type Band, noiseBand } from './band.ts';
import { type ChartEvent, chartEvents, machineNumbers } from './events.ts';
import { gapEvents } from './gaps.ts';
import { type ChartLine, chartLines } from './grouping.ts';
import type { RunFacts } from './runs.ts';
import { isLogarithmic, positiveSpan, type Stretch } from './scales.ts';
import type { PageState } from './state.ts';
import { type Line, lineOf, type Store } from './store.ts';

/** Line of a chart with its figures, one for each run of the chart. */
export interface DrawnLine extends ChartLine {
  readonly figures: Line;
  readonly isShown: boolean;
  readonly isFocus: boolean;
}

export interface ChartContent {
  readonly series: Series;
  readonly key: string;
  /** Runs that have a figure of any line, in order of time. */
  readonly runs: readonly RunFacts[];
  /** Index of each run by its id, and the number of its machine: computed once, since every zoom step needs them. */
  readonly places: ReadonlyMap<string, number>;
  readonly machines: Int16Array;
  readonly lines: readonly DrawnLine[];
  readonly band: Band;
  readonly events: readonly ChartEvent[];
  /** Change points of all lines. */
  readonly changes: readonly HistoryChange[];
  readonly isLogarithmic: boolean;
}

/** Parts of a history that a chart shows. */
interface ChartSource {
  readonly store: Store;
  readonly changes: readonly HistoryChange[];
  /** Segments that cannot be read. */
  readonly lost: readonly SegmentRow[];
}

/** Chart of a series, with the other lines of its group. */
export function chartContent(
  { store, changes, lost }: ChartSource,
  { key, hidden, axis }: Pick<PageState, 'hidden' | 'axis'> & { readonly key: string },
): ChartContent | undefined {
  const series = store.series.get(key);
  if (series === undefined) {
    return undefined;
  }
  const lines = chartLines([...store.series.values()], series);
  const whole = lines.map((line) => lineOf(store, line.key));
  const places = measuredPlaces(whole, store.runs.length);
  const drawn = lines.map((line, index) => ({
    ...line,
    figures: compacted(whole[index], places),
    isShown: !hidden.includes(line.key),
    isFocus: line.key === key,
  }));
  const runs = places.map((place) => store.runs[place]).filter((run) => run !== undefined);
  const focus = drawn.find(({ isFocus }) => isFocus);
  const shown = drawn.filter(({ isShown }) => isShown);
  const changesOf = (keys: readonly string[]) => changes.filter((one) => keys.includes(seriesKey(one.series)));
  const span = positiveSpan(shown.map(({ figures }) => figures.values));
  return {
    series,
    key,
    runs,
    places: new Map(runs.map(({ run }, place) => [run, place])),
    machines: machineNumbers(runs),
    lines: drawn,
    band: noiseBand(focus?.figures ?? compacted(undefined, [])),
    events: [...chartEvents(runs, changesOf([key]), new Set(lines.map((line) => line.key))), ...gapEvents(lost, runs)]
      .filter(({ kind }) => kind !== 'machine' || anchorOf(series) === undefined)
      .sort((left, right) => left.place - right.place),
    changes: changesOf(shown.map((line) => line.key)),
    isLogarithmic: isLogarithmic(isErrorRate(series) && axis === 'auto' ? 'linear' : axis, span),
  };
}

function measuredPlaces(lines: readonly Line[], count: number): readonly number[] {
  const places: number[] = [];
  for (let place = 0; place < count; place += 1) {
    if (lines.some(({ values }) => !Number.isNaN(values[place] ?? Number.NaN))) {
      places.push(place);
    }
  }
  return places;
}

function compacted(line: Line | undefined, places: readonly number[]): Line {
  return {
    values: Float32Array.from(places, (place) => line?.values[place] ?? Number.NaN),
    spreads: Float32Array.from(places, (place) => line?.spreads[place] ?? Number.NaN),
  };
}

/** Number of runs that a chart shows at first. */
export const OPENING_RUNS = 100;

/**
 * Range of a chart that a state selects; else the newest runs, or those around the selected run. Its ends may be between two runs: with rounding,
 * many small moves would have no effect, or a different one.
 */
export function stretchOf(runs: readonly RunFacts[], state: Pick<PageState, 'from' | 'to' | 'run'>): Stretch {
  const { from, to } = state;
  const first = from === undefined ? -1 : placeNotBefore(runs, from);
  const end = to === undefined ? -1 : placeNotBefore(runs, to + 1) - 1;
  return from === undefined || to === undefined || first === runs.length || end === -1 || first > end
    ? openingStretch(runs, state.run)
    : [runs[first]?.at === from ? first : placeAfter(runs, first - 1, from), placeAfter(runs, end, to)];
}

/** Index of the first run measured at a time or later; the count of runs if there is none. By binary search, since every zoom step needs it. */
function placeNotBefore(runs: readonly RunFacts[], time: number): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((runs[middle]?.at ?? 0) < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Position of a time between one run and the next. */
function placeAfter(runs: readonly RunFacts[], place: number, at: number): number {
  const [before, after] = [runs[place], runs[place + 1]];
  return before === undefined || after === undefined
    ? Math.max(0, place)
    : place + (at - before.at) / (after.at - before.at);
}

function openingStretch(runs: readonly RunFacts[], kept: string | undefined): Stretch {
  const last = Math.max(0, runs.length - 1);
  const place = kept === undefined ? -1 : runs.findIndex(({ run }) => run === kept);
  const newest = Math.max(0, last - OPENING_RUNS + 1);
  const first = place === -1 || place >= newest ? newest : Math.max(0, place - OPENING_RUNS / 2);
  return [first, Math.min(last, first + OPENING_RUNS - 1)];
}

/** Times of the ends of a range, for the state. */
export function timesOf(runs: readonly RunFacts[], [from, to]: Stretch): Pick<PageState, 'from' | 'to'> {
  return { from: timeAt(runs, from), to: timeAt(runs, to) };
}

/** A thousandth of the way to the next run is ignored. */
function timeAt(runs: readonly RunFacts[], place: number): number | undefined {
  const near = Math.round(place * 1000) / 1000;
  const [before, after] = [runs[Math.floor(near)], runs[Math.ceil(near)]];
  return before && after && Math.round(before.at + (near - Math.floor(near)) * (after.at - before.at));
}

/** First and last index of the runs in a range, with a margin of half a run on either side. */
export function placesIn([from, to]: Stretch, count: number): readonly [number, number] {
  return [Math.max(0, Math.ceil(from - 0.5)), Math.min(count - 1, Math.floor(to + 0.5))];
}

/** Level lines of the shown series: the level from one change point to the next. */
export interface Level {
  readonly from: number;
  readonly to: number;
  readonly value: number;
}

export function levelsOf({ key, runs, places, changes }: ChartContent): readonly Level[] {
  const own = changes
    .filter((change) => seriesKey(change.series) === key)
    .map((change) => ({ change, place: places.get(change.run) ?? placeFrom(runs, Date.parse(change.at)) }))
    .sort((left, right) => left.place - right.place);
  const last = runs.length - 1;
  const [first] = own;
  const start =
    first === undefined ? [] : [{ from: 0, to: Math.min(last, first.place - 0.5), value: first.change.before }];
  const levels = own.map(({ place, change }, index) => ({
    from: Math.max(0, place - 0.5),
    to: Math.min(last, (own[index + 1]?.place ?? runs.length) - 0.5),
    value: change.after,
  }));
  return [...start, ...levels].filter(({ from, to }) => from < to);
}

/** Start of a level whose first run the chart lacks because it was not read or is unreadable: before the first run from its time on. */
function placeFrom(runs: readonly RunFacts[], time: number): number {
  const place = runs.findIndex(({ at }) => at >= time);
  return place === -1 ? runs.length : place;
}
