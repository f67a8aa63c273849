import { type Series, seriesKey } from '../../src/history/store/index.ts';
import { median } from './band.ts';
import { lineOf, type Store } from './store.ts';

/** A series in the list: where it is now, and how it came there. */
export interface LatestFigures {
  readonly latest: number | undefined;
  /** Against the median of the runs before. */
  readonly change: number | undefined;
  readonly standing: 'better' | 'worse' | 'same';
  /** The last figures, the oldest first. */
  readonly recent: readonly number[];
}

const RECENT_RUNS = 60;

/** The median of so many runs is what the latest one is held against. */
const MEDIAN_RUNS = 30;

const FEWEST_RUNS = 3;

/** Changes within so many times the scatter of the runs before are not coloured. */
const SCATTERS = 3;

const MAD_TO_SD = 1.4826;

/** The last figures of a series. */
export function latestFigures(store: Store, series: Series): LatestFigures {
  const count = store.runs.length;
  const { values } = lineOf(store, seriesKey(series), [Math.max(0, count - 3 * RECENT_RUNS), count]);
  const recent = [...values].filter((value) => !Number.isNaN(value)).slice(-RECENT_RUNS);
  const latest = recent.at(-1);
  const before = recent.slice(0, -1).slice(-MEDIAN_RUNS);
  const middle = median(before);
  if (latest === undefined || before.length < FEWEST_RUNS || !(middle > 0)) {
    return { latest, change: undefined, standing: 'same', recent };
  }
  const change = latest / middle - 1;
  const scatter = (MAD_TO_SD * median(before.map((value) => Math.abs(value - middle)))) / middle;
  const isMore = change > 0 === (series.better === 'lower') ? 'worse' : 'better';
  return { latest, change, standing: Math.abs(change) > Math.max(0.02, SCATTERS * scatter) ? isMore : 'same', recent };
}

/** The path of a small line in a box, without what would need a scale: low is down. */
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
