import { type Series, seriesKey } from '../../src/history/store/index.ts';
import { inOrder } from './grouping.ts';
import { type Figure, figureAt, type Store } from './store.ts';

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

/** Nor is what lies within so many times the spreads of both runs together: of many series some always do. */
const SPREADS = 3;

/** All series that one of two runs has, those that differ most first. */
export function comparedRuns(store: Store, base: number, head: number): readonly ComparedSeries[] {
  return inOrder([...store.series.values()])
    .flatMap((series) => {
      const key = seriesKey(series);
      const [before, now] = [figureAt(store, key, base), figureAt(store, key, head)];
      return before === undefined && now === undefined ? [] : [comparedSeries(series, before, now)];
    })
    .sort((left, right) => distanceOf(right) - distanceOf(left));
}

function comparedSeries(series: Series, before: Figure | undefined, now: Figure | undefined): ComparedSeries {
  const [base, head] = [before?.value, now?.value];
  const ratio = base === undefined || head === undefined || base <= 0 || head <= 0 ? undefined : head / base;
  const noise = SPREADS * Math.hypot(before?.spread ?? 0, now?.spread ?? 0);
  return { key: seriesKey(series), series, base, head, ratio, standing: standingOf(series, ratio, noise) };
}

function standingOf({ better }: Series, ratio: number | undefined, noise: number): ComparedSeries['standing'] {
  if (ratio === undefined || Math.abs(ratio - 1) < SAME_WITHIN || Math.abs(Math.log(ratio)) < noise) {
    return 'same';
  }
  return ratio > 1 === (better === 'lower') ? 'worse' : 'better';
}

function distanceOf({ ratio }: ComparedSeries): number {
  return ratio === undefined ? -1 : Math.abs(Math.log(ratio));
}
