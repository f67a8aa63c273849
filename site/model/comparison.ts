import { type Series, seriesKey, turnOf } from '../../src/history/store/entry.ts';
import { isErrorRate } from '../../src/model/metric.ts';
import { BAND_RUNS, FEWEST_RUNS, ROUNDING, robustSd, SAME_POINTS, SAME_WITHIN, SPREADS } from './band.ts';
import { inOrder } from './grouping.ts';
import { type Figure, figureAt, lineOf, type Store } from './store.ts';

/** One series in two runs. */
export interface ComparedSeries {
  readonly key: string;
  readonly series: Series;
  readonly base: number | undefined;
  readonly head: number | undefined;
  /** Head over base; undefined if one is missing or not above zero, and for error rates. */
  readonly ratio: number | undefined;
  /** Relative difference; for an error rate the difference of both shares. */
  readonly difference: number | undefined;
  /** `unknown` without known noise, `gone` if only one of the runs has it. */
  readonly status: 'better' | 'worse' | 'same' | 'unknown' | 'gone';
}

/** Series that at least one of two runs has, those that differ most first. */
export function comparedRuns(store: Store, base: number, head: number): readonly ComparedSeries[] {
  return inOrder([...store.series.values()])
    .flatMap((series) => {
      const key = seriesKey(series);
      const [before, now] = [figureAt(store, key, base), figureAt(store, key, head)];
      return before === undefined && now === undefined
        ? []
        : [comparedSeries(series, before, now, noiseOf(store, key, [base, head]))];
    })
    .sort((left, right) => distanceOf(right) - distanceOf(left));
}

function comparedSeries(
  series: Series,
  before: Figure | undefined,
  now: Figure | undefined,
  noise: number,
): ComparedSeries {
  const known = { key: seriesKey(series), series, base: before?.value, head: now?.value };
  if (before === undefined || now === undefined) {
    return { ...known, ratio: undefined, difference: undefined, status: 'gone' };
  }
  const shift = now.value - before.value;
  if (isErrorRate(series)) {
    const isSame = Math.abs(shift) < SAME_POINTS - ROUNDING;
    const status = isSame ? 'same' : shift > 0 ? 'worse' : 'better';
    return { ...known, ratio: undefined, difference: shift, status };
  }
  if (before.value <= 0 || now.value <= 0) {
    // An increase from 0 has no ratio, but it is a change.
    return { ...known, ratio: undefined, difference: undefined, status: shift === 0 ? 'same' : differs(series, shift) };
  }
  const ratio = now.value / before.value;
  return { ...known, ratio, difference: ratio - 1, status: statusOf(series, ratio, SPREADS * noise) };
}

/** Combined relative noise of two runs; a run with unknown noise counts as noisy as the other. */
function noiseOf(store: Store, key: string, places: readonly [number, number]): number {
  const known = places.map((place) => {
    const spread = figureAt(store, key, place)?.spread ?? Number.NaN;
    const found = [scatterBefore(store, key, place), spread].filter((one) => !Number.isNaN(one));
    return found.length === 0 ? Number.NaN : Math.max(...found);
  });
  const [one = Number.NaN, other = Number.NaN] = known;
  return Math.hypot(Number.isNaN(one) ? other : one, Number.isNaN(other) ? one : other);
}

/** Spread of the runs before one, from the differences between neighbors, so that a step does not increase it. */
function scatterBefore(store: Store, key: string, place: number): number {
  const { values } = lineOf(store, key, [Math.max(0, place - 3 * BAND_RUNS), place]);
  const logs = [...values]
    .filter((value) => value > 0)
    .slice(-BAND_RUNS)
    .map(Math.log);
  const steps = logs.slice(1).map((log, index) => log - (logs[index] ?? log));
  return logs.length < FEWEST_RUNS ? Number.NaN : robustSd(steps) / Math.SQRT2;
}

function differs(series: Series, shift: number): ComparedSeries['status'] {
  const turn = turnOf(series, shift);
  return turn === 'changed' ? 'unknown' : turn;
}

function statusOf(series: Series, ratio: number, noise: number): ComparedSeries['status'] {
  if (Math.abs(ratio - 1) < SAME_WITHIN || Math.abs(Math.log(ratio)) < noise) {
    return 'same';
  }
  if (Number.isNaN(noise)) {
    return 'unknown';
  }
  return differs(series, ratio - 1);
}

/** Error rates that differ come first. */
function distanceOf({ series, ratio, difference = 0, status }: ComparedSeries): number {
  if (isErrorRate(series)) {
    return status === 'same' ? -1 : FIRST + Math.abs(difference);
  }
  if (ratio === undefined) {
    return status === 'worse' || status === 'better' ? FIRST : -1;
  }
  return Math.abs(Math.log(ratio));
}

const FIRST = 1e6;
