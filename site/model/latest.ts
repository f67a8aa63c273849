import { median } from '../../src/foundation/statistics.ts';
import { type Series, seriesKey, turnOf } from '../../src/history/store/entry.ts';
import { isErrorRate } from '../../src/model/metric.ts';
import { BAND_RUNS, ROUNDING, robustSd, SAME_POINTS, SAME_WITHIN, SPREADS } from './band.ts';
import { lineOf, type Store } from './store.ts';
import { differenceOf } from './words.ts';

/** Series in the list: its present value, and its recent course. */
export interface LatestFigures {
  readonly latest: number | undefined;
  /** Change against the median of the runs before: relative, for an error rate the difference of both shares. */
  readonly change: number | undefined;
  readonly status: 'better' | 'worse' | 'same';
  /** Last figures, oldest first. */
  readonly recent: readonly number[];
}

const RECENT_RUNS = 60;

const FEWEST_RUNS = 3;

/** Last figures of a series. */
export function latestFigures(store: Store, series: Series): LatestFigures {
  const count = store.runs.length;
  const { values } = lineOf(store, seriesKey(series), [Math.max(0, count - 3 * RECENT_RUNS), count]);
  const recent = [...values].filter((value) => !Number.isNaN(value)).slice(-RECENT_RUNS);
  const latest = recent.at(-1);
  const before = recent.slice(0, -1).slice(-BAND_RUNS);
  const middle = median(before) ?? Number.NaN;
  const isShare = isErrorRate(series);
  // Errors are significant without a known spread.
  const isKnown = latest !== undefined && before.length >= (isShare ? 1 : FEWEST_RUNS);
  const change = isKnown ? differenceOf(series, middle, latest) : undefined;
  if (change === undefined) {
    return { latest, change, status: 'same', recent };
  }
  const scatter = robustSd(before.map((value) => value - middle)) / (isShare ? 1 : middle);
  const smallest = isShare ? SAME_POINTS : SAME_WITHIN;
  const turn = turnOf(series, change);
  const isMore = turn === 'changed' ? 'same' : turn;
  const isOff = Math.abs(change) > Math.max(smallest - ROUNDING, SPREADS * scatter);
  return { latest, change, status: isOff ? isMore : 'same', recent };
}

/** Last figures of a series that has ended, and when the last one was measured. */
export function lastFigures(
  store: Store,
  key: string,
): { readonly value: number | undefined; readonly at: number | undefined; readonly recent: readonly number[] } {
  const { values } = lineOf(store, key);
  const last = values.findLastIndex((value) => !Number.isNaN(value));
  const recent = [...values].filter((value) => !Number.isNaN(value)).slice(-RECENT_RUNS);
  return { value: values[last], at: store.runs[last]?.at, recent };
}

/** Path of a small line in a box, without a scale: low is down. */
export function recentPath(values: readonly number[], width: number, height: number): string {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const range = high - low || 1;
  const step = width / Math.max(1, values.length - 1);
  return values
    .map((value, place) => {
      const y = high === low ? height / 2 : height - ((value - low) / range) * height;
      return `${place === 0 ? 'M' : 'L'}${(place * step).toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}
