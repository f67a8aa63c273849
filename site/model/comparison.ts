import { type Series, seriesKey, turnOf } from '../../src/history/store/entry.ts';
import { isErrorRate } from '../../src/model/metric.ts';
import { robustSd } from './band.ts';
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
  /** Relative, of an error rate the difference of both shares. */
  readonly difference: number | undefined;
  /** `unknown` if the noise is unknown, `gone` if only one of the runs has it. */
  readonly status: 'better' | 'worse' | 'same' | 'unknown' | 'gone';
}

/** Less than this is nothing to look at first. */
const SAME_WITHIN = 0.02;

/** Error rates that differ by less than a percentage point. */
const SAME_POINTS = 0.01;

/** A difference below this multiple of the noise of both runs is not shown as a change: among many series, chance alone makes some. */
const SPREADS = 3;

/** Runs before one whose scatter is its noise, if it has too few rounds for a spread of its own. */
const NOISE_RUNS = 30;

const FEWEST_RUNS = 8;

/** All series that one of two runs has, those that differ most first. */
export function comparedRuns(store: Store, base: number, head: number): readonly ComparedSeries[] {
  return inOrder([...store.series.values()])
    .flatMap((series) => {
      const key = seriesKey(series);
      const [before, now] = [figureAt(store, key, base), figureAt(store, key, head)];
      const compared = { before, now, noise: noiseOf(store, key, [base, head]) };
      return before === undefined && now === undefined ? [] : [comparedSeries(series, compared)];
    })
    .sort((left, right) => distanceOf(right) - distanceOf(left));
}

function comparedSeries(series: Series, { before, now, noise }: Compared): ComparedSeries {
  const known = { key: seriesKey(series), series, base: before?.value, head: now?.value };
  if (before === undefined || now === undefined) {
    return { ...known, ratio: undefined, difference: undefined, status: 'gone' };
  }
  const differing = isErrorRate(series)
    ? differingShares(before, now)
    : differingFigures(series, { before, now, noise });
  return { ...known, ...differing };
}

type Differing = Pick<ComparedSeries, 'ratio' | 'difference' | 'status'>;

interface Compared<Known = Figure | undefined> {
  readonly before: Known;
  readonly now: Known;
  /** Noise of both together, relative; NaN if unknown. */
  readonly noise: number;
}

/** The relative noise of two runs together; a run with unknown noise counts as noisy as the other. */
function noiseOf(store: Store, key: string, places: readonly [number, number]): number {
  const known = places.map((place) => {
    const spread = figureAt(store, key, place)?.spread ?? Number.NaN;
    const found = [scatterBefore(store, key, place), spread].filter((one) => !Number.isNaN(one));
    return found.length === 0 ? Number.NaN : Math.max(...found);
  });
  const [one = Number.NaN, other = Number.NaN] = known;
  return Math.hypot(Number.isNaN(one) ? other : one, Number.isNaN(other) ? one : other);
}

/** The scatter of the runs before one, from the differences between neighbors, so that a step adds nothing to it. */
function scatterBefore(store: Store, key: string, place: number): number {
  const { values } = lineOf(store, key, [Math.max(0, place - 3 * NOISE_RUNS), place]);
  const logs = [...values]
    .filter((value) => value > 0)
    .slice(-NOISE_RUNS)
    .map(Math.log);
  const steps = logs.slice(1).map((log, index) => log - (logs[index] ?? log));
  return logs.length < FEWEST_RUNS ? Number.NaN : robustSd(steps) / Math.SQRT2;
}

function differingFigures(series: Series, { before, now, noise }: Compared<Figure>): Differing {
  const ratio = before.value <= 0 || now.value <= 0 ? undefined : now.value / before.value;
  if (ratio === undefined) {
    // From 0 to more there is no ratio, but it is a change.
    const shift = now.value - before.value;
    return { ratio, difference: undefined, status: shift === 0 ? 'same' : differs(series, shift) };
  }
  return { ratio, difference: ratio - 1, status: statusOf(series, ratio, SPREADS * noise) };
}

function differs(series: Series, shift: number): ComparedSeries['status'] {
  const turn = turnOf(series, shift);
  return turn === 'changed' ? 'unknown' : turn;
}

function differingShares(before: Figure, now: Figure): Differing {
  const difference = now.value - before.value;
  const isSame = Math.abs(difference) < SAME_POINTS - ROUNDING;
  return { ratio: undefined, difference, status: isSame ? 'same' : difference > 0 ? 'worse' : 'better' };
}

/** Figures are kept with a few digits. */
const ROUNDING = 1e-6;

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
