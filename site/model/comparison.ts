import { type Series, seriesKey } from '../../src/core/history-store/series.ts';
import { inOrder } from './grouping.ts';
import { type Store, valueAt } from './store.ts';

/** One series in two runs. */
export interface ComparedSeries {
  readonly key: string;
  readonly series: Series;
  readonly base: number | undefined;
  readonly head: number | undefined;
  /** Head over base; undefined where one is missing or not above zero. */
  readonly ratio: number | undefined;
  readonly standing: 'better' | 'worse' | 'same';
}

/** Less than this is nothing to look at first. */
const SAME_WITHIN = 0.02;

/** All series that one of two runs has, those that differ most first. */
export function comparedRuns(store: Store, base: number, head: number): readonly ComparedSeries[] {
  return inOrder([...store.series.values()])
    .flatMap((series) => {
      const key = seriesKey(series);
      const [before, now] = [valueAt(store, key, base), valueAt(store, key, head)];
      return before === undefined && now === undefined ? [] : [comparedSeries(series, before, now)];
    })
    .sort((left, right) => distanceOf(right) - distanceOf(left));
}

function comparedSeries(series: Series, base: number | undefined, head: number | undefined): ComparedSeries {
  const ratio = base === undefined || head === undefined || base <= 0 || head <= 0 ? undefined : head / base;
  return { key: seriesKey(series), series, base, head, ratio, standing: standingOf(series, ratio) };
}

function standingOf({ better }: Series, ratio: number | undefined): ComparedSeries['standing'] {
  if (ratio === undefined || Math.abs(ratio - 1) < SAME_WITHIN) {
    return 'same';
  }
  return ratio > 1 === (better === 'lower') ? 'worse' : 'better';
}

function distanceOf({ ratio }: ComparedSeries): number {
  return ratio === undefined ? -1 : Math.abs(Math.log(ratio));
}
