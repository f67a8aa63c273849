import { type Series, seriesKey } from '../../src/history/store/index.ts';
import { isErrorRate } from '../../src/model/index.ts';
import { inOrder } from './grouping.ts';
import { type Figure, figureAt, type Store } from './store.ts';

/** One series in two runs. */
export interface ComparedSeries {
  readonly key: string;
  readonly series: Series;
  readonly base: number | undefined;
  readonly head: number | undefined;
  /** Head over base; undefined if one is missing or not above zero, and for error rates. */
  readonly ratio: number | undefined;
  /** Relative, of an error rate the difference of both shares. */
  readonly difference: number | undefined;
  readonly standing: 'better' | 'worse' | 'same';
}

/** Less than this is nothing to look at first. */
const SAME_WITHIN = 0.02;

/** Error rates that differ by less than a percentage point. */
const SAME_POINTS = 0.01;

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
  const known = { key: seriesKey(series), series, base: before?.value, head: now?.value };
  if (before === undefined || now === undefined) {
    return { ...known, ratio: undefined, difference: undefined, standing: 'same' };
  }
  const differing = isErrorRate(series) ? differingShares(before, now) : differingFigures(series, before, now);
  return { ...known, ...differing };
}

type Differing = Pick<ComparedSeries, 'ratio' | 'difference' | 'standing'>;

function differingFigures(series: Series, before: Figure, now: Figure): Differing {
  const ratio = before.value <= 0 || now.value <= 0 ? undefined : now.value / before.value;
  const noise = SPREADS * Math.hypot(before.spread ?? 0, now.spread ?? 0);
  return { ratio, difference: ratio && ratio - 1, standing: standingOf(series, ratio, noise) };
}

function differingShares(before: Figure, now: Figure): Differing {
  const difference = now.value - before.value;
  const isSame = Math.abs(difference) < SAME_POINTS - ROUNDING;
  return { ratio: undefined, difference, standing: isSame ? 'same' : difference > 0 ? 'worse' : 'better' };
}

/** Figures are kept with a few digits. */
const ROUNDING = 1e-6;

function standingOf({ better }: Series, ratio: number | undefined, noise: number): ComparedSeries['standing'] {
  if (ratio === undefined || Math.abs(ratio - 1) < SAME_WITHIN || Math.abs(Math.log(ratio)) < noise) {
    return 'same';
  }
  return ratio > 1 === (better === 'lower') ? 'worse' : 'better';
}

/** Error rates that differ come first. */
function distanceOf({ series, ratio, difference = 0, standing }: ComparedSeries): number {
  if (isErrorRate(series)) {
    return standing === 'same' ? -1 : FIRST + Math.abs(difference);
  }
  return ratio === undefined ? -1 : Math.abs(Math.log(ratio));
}

/** More than any ratio is apart. */
const FIRST = 1e6;
