import { median } from '../../foundation/statistics.ts';
import { isErrorRate } from '../../model/metric.ts';
import { CRITICAL_VALUES } from './critical-values.ts';
import { type Levels, type LogSeries, levelsBetween, logSeries, ZERO } from './levels.ts';
import { changeP, firstAtLeast, middleOf, midRanksOf, midRanksWithin } from './rank-sum.ts';
import { clarityOf, clearSteps, FEWEST_A_SIDE, nearlyAsWell, parting } from './steps.ts';

/** Lasting change of the level of a series. */
export interface ChangePoint {
  /** Index in the series of the first value after the change. */
  readonly index: number;
  /** Median of up to 60 values before it, in their unit; with several strata, scaled to their common level. */
  readonly before: number;
  /** Median of up to 60 values from it on, likewise. */
  readonly after: number;
  /** Relative change of the level: 0.1 is 10% more. */
  readonly shift: number;
  /** Two-sided p-value that the values before and after it come from one distribution. */
  readonly p: number;
  readonly valuesAfter: number;
  /** True if fewer than 5 values follow, so that later ones may remove it: not for alerts. */
  readonly pending: boolean;
  /** Index of the value before or after it, if the change may equally begin there. */
  readonly neighbor?: number | undefined;
}

/** Windows of this many values, which overlap by half, detect short-lived changes. */
const WINDOW = 60;

const STEP = WINDOW / 2;

/** Number of values before the last two windows in the longest scan: a test uses 60 values per side, so more add little. */
const LOOK_BACK = 150;

const LONGEST = LOOK_BACK + WINDOW + STEP;

/**
 * Changes of level in a series of positive figures, in order of time, by a rank-CUSUM segmentation of their logarithms
 * (docs/statistics.md). Values that are null, not finite or not positive are left out; indexes refer to the series as given. `strata` has a
 * key for each value: each stratum is centered by its median, and one with fewer than 5 values in the searched stretch is left out. A
 * change before the last two windows is settled: later values never move or remove it. `smallest` is the smallest relative change that is
 * reported. Throws RangeError if values and strata differ in length.
 */
export function changePoints(
  values: readonly (number | null)[],
  strata?: readonly string[],
  smallest?: number,
): readonly ChangePoint[] {
  const plain = logSeries(values, strata, { smallest });
  const series = { ...plain, ranks: midRanksOf(plain.logs) };
  let found: readonly ChangePoint[] = [];
  for (let end = WINDOW + STEP; end < series.values.length; end += STEP) {
    found = searchTail(found, series, end).changes;
  }
  return searchEnd(found, series);
}

/**
 * Result of `changePoints` for a series, from the result for the series without its last value; only the end of the series is searched. For
 * several new values, call it once for each, or `changePoints`.
 */
export function rescan(
  previous: readonly ChangePoint[],
  values: readonly (number | null)[],
  options: { readonly strata?: readonly string[] | undefined; readonly smallest?: number | undefined } = {},
): readonly ChangePoint[] {
  return searchEnd(previous, logSeries(values, options.strata, { smallest: options.smallest, looked: LONGEST }));
}

/** Changes of a series, including a pending one at its end. */
function searchEnd(previous: readonly ChangePoint[], series: LogSeries): readonly ChangePoint[] {
  const { changes, levels, last } = searchTail(previous, series, series.values.length);
  const pending = pendingChange(levels, last);
  const all = pending === undefined ? changes : [...changes, { ...pointOf(pending, levels, series), pending: true }];
  return all.map((change) => ({ ...change, valuesAfter: series.values.length - series.indexes.indexOf(change.index) }));
}

interface Tail {
  /** Settled changes and those in the last two windows. */
  readonly changes: readonly ChangePoint[];
  readonly levels: Levels;
  /** Index in `levels` at which the last level begins. */
  readonly last: number;
}

/** Searches the series up to an index; only values since the last settled change, and at most `LOOK_BACK` before the tail, count. */
function searchTail(previous: readonly ChangePoint[], series: LogSeries, end: number): Tail {
  const edge = Math.max(0, STEP * (Math.floor((end - 1) / STEP) - 2));
  const settled = previous.filter(({ index }) => index < (series.indexes[edge] ?? 0));
  const since = series.indexes.indexOf(settled.at(-1)?.index ?? 0);
  const levels = levelsBetween(series, Math.max(0, since, edge - LOOK_BACK), end);
  const kept = keptChanges(levels, candidatesFrom(levels, edge), firstAtLeast(levels.places, edge));
  const changes = [...settled, ...kept.map((change) => pointOf(change, levels, series))];
  return { changes, levels, last: kept.at(-1)?.at ?? 0 };
}

/** Candidates from an index on, in the whole stretch and in each window: a change at the start of a window is only seen in another one. */
function candidatesFrom(levels: Levels, edge: number): readonly number[] {
  const from = (place: number) => firstAtLeast(levels.places, place);
  const stretches = [
    [0, levels.logs.length],
    [from(edge - STEP), from(edge + STEP)],
    [from(edge), from(edge + WINDOW)],
    [from(edge + STEP), levels.logs.length],
  ] as const;
  const candidates = [
    ...stretches.flatMap(([start, end]) => candidateSplits(levels, start, end)),
    ...clearSteps(levels, from(edge)),
  ];
  return [...new Set(candidates)].filter((at) => at >= from(edge)).sort((one, other) => one - other);
}

function pointOf({ from, at, to, shift, p }: LevelChange, levels: Levels, series: LogSeries): ChangePoint {
  const { values, logs, places } = levels;
  const near = nearlyAsWell(logs, { from, at, to });
  return {
    index: series.indexes[places[at] ?? 0] ?? 0,
    before: median(values.subarray(from, at)) ?? 0,
    after: median(values.subarray(at, to)) ?? 0,
    shift: Math.expm1(shift),
    p,
    valuesAfter: 0,
    pending: false,
    ...(near !== undefined && { neighbor: series.indexes[places[near] ?? 0] ?? 0 }),
  };
}

/** Candidates for changes of level, in ascending order: splits by binary segmentation that fewer than 1% of shuffled series exceed. */
function candidateSplits(levels: Levels, from: number, to: number): readonly number[] {
  const critical = CRITICAL_VALUES[to - from - 2 * FEWEST_A_SIDE];
  if (critical === undefined) {
    return [];
  }
  const { at: offset, size } = largestDeparture(midRanksWithin(levels.ranks, from, to));
  if (size <= critical) {
    return [];
  }
  const at = from + offset;
  return [...candidateSplits(levels, from, at), at, ...candidateSplits(levels, at, to)];
}

/** Split of ranks whose sums differ most from their expectation, in standard deviations. */
export function largestDeparture(ranks: Float64Array): { readonly at: number; readonly size: number } {
  const count = ranks.length;
  let sum = 0;
  let most = 0;
  let at = FEWEST_A_SIDE;
  for (let before = 1; before <= count - FEWEST_A_SIDE; before += 1) {
    sum += (ranks[before - 1] ?? 0) - (count + 1) / 2;
    const square = (sum * sum) / (before * (count - before));
    if (before >= FEWEST_A_SIDE && square > most) {
      most = square;
      at = before;
    }
  }
  return { at, size: Math.sqrt((12 * most) / (count + 1)) };
}

interface Named {
  readonly metric: string;
  readonly unit: string;
}

/**
 * Added to an error rate before its logarithm is taken, as 0 has none. From 0 the smallest change, 5% of it, is 0.1 percentage points, as
 * in the verdict on errors; from 50% it is 2.6.
 */
const ADDED = 0.02;

/** Figure in the form that is searched for change points; null if it has no logarithm. */
export function searchedValue(series: Named, value: number): number | null {
  if (isErrorRate(series)) {
    return value >= 0 ? value + ADDED : null;
  }
  return value >= 0 ? Math.max(ZERO, value) : null;
}

type Shift = Pick<ChangePoint, 'before' | 'after' | 'shift'>;

/**
 * Change point of searched figures, in the unit of the series. The shift of an error rate is a difference of shares; that of another series
 * from 0 is 1, since it has no ratio.
 */
export function shownPoint<Point extends Shift>(series: Named, point: Point): Point {
  const { before, after, shift } = point;
  if (isErrorRate(series)) {
    return { ...point, before: Math.max(0, before - ADDED), after: Math.max(0, after - ADDED), shift: shift * before };
  }
  if (before <= ZERO) {
    return { ...point, before: 0, shift: 1 };
  }
  return after <= ZERO ? { ...point, after: 0, shift: -1 } : point;
}

/** True if a change has no ratio, because one of its levels is 0. */
export function isFromOrToZero({ before, after }: Omit<Shift, 'shift'>): boolean {
  return before === 0 || after === 0;
}

/** Inverse of `shownPoint`. */
export function searchedPoint<Point extends Shift>(series: Named, point: Point): Point {
  if (isErrorRate(series)) {
    const [before, after] = [point.before + ADDED, point.after + ADDED];
    return { ...point, before, after, shift: point.shift / before };
  }
  const [before, after] = [Math.max(ZERO, point.before), Math.max(ZERO, point.after)];
  return isFromOrToZero(point) ? { ...point, before, after, shift: after / before - 1 } : point;
}

/** Maximum number of values on either side in a test: more distant ones may be of another level. */
const MAX_A_SIDE = 60;

/**
 * Limit of p: a tenth of the 0.1% of a single test, because the split was chosen among many. For a clear step that separates all values
 * 0.1% is enough.
 */
const P_LIMIT = { usual: 0.0001, apart: 0.001 };

/** Numbers of values after a split that a pending change can have: too few for the scans. */
const PENDING = [3, 4];

interface Split {
  readonly from: number;
  readonly at: number;
  readonly to: number;
}

interface LevelChange extends Split {
  readonly p: number;
  /** Hodges-Lehmann estimate: median of all differences between a value after the change and one before. */
  readonly shift: number;
}

/**
 * Significant changes among candidates in ascending order: the least credible candidate is removed until all that remain are significant.
 * Each is first moved to where the values part best, but not before `first`.
 */
function keptChanges(levels: Levels, candidates: readonly number[], first: number): readonly LevelChange[] {
  const places = movedToPartings(levels.logs, candidates, first);
  const splits = places
    .map((at, place) => splitAt(at, [places[place - 1] ?? 0, places[place + 1] ?? levels.logs.length]))
    .map((split) => ({ ...split, ...testOf(levels, split) }));
  const unsure = highest(splits, ({ doubt }) => doubt);
  if (unsure !== undefined && unsure.doubt >= 1) {
    return keptChanges(levels, without(places, unsure), first);
  }
  const changes = splits.map((split) => ({ ...split, shift: shiftOf(levels, split) }));
  const small = highest(changes, ({ shift }) => -Math.abs(shift));
  return small === undefined || isLarge(levels, small) ? changes : keptChanges(levels, without(places, small), first);
}

/** Ranks ignore distances, so a split may be off by some values. */
function movedToPartings(logs: Float64Array, candidates: readonly number[], first: number): readonly number[] {
  const moved: number[] = [];
  for (const [place, at] of candidates.entries()) {
    const { from, to } = splitAt(at, [moved.at(-1) ?? 0, candidates[place + 1] ?? logs.length]);
    const next = parting(logs, at, { from, to, first });
    if (next !== moved.at(-1)) {
      moved.push(next);
    }
  }
  return moved;
}

/** Most credible change among the last values since an index, which the scans do not see yet. */
function pendingChange(levels: Levels, since: number): LevelChange | undefined {
  const end = levels.logs.length;
  const changes = PENDING.filter((after) => end - after > since)
    .map((after) => splitAt(end - after, [since, end]))
    .map((split) => ({ ...split, shift: shiftOf(levels, split) }))
    // Few are large, and an exact p is expensive.
    .filter((change) => isLarge(levels, change))
    .map((split) => ({ ...split, ...testOf(levels, split) }))
    .filter(({ doubt }) => doubt < 1);
  return highest(changes, ({ p }) => -p);
}

/** Split at an index between two others (or the ends), with up to 60 values per side. */
function splitAt(at: number, [previous, next]: readonly [number, number]): Split {
  return { from: Math.max(previous, at - MAX_A_SIDE), at, to: Math.min(next, at + MAX_A_SIDE) };
}

/**
 * Test of a split; `doubt` is the multiple of the limit of p. A clear step is not discounted for autocorrelation: values within its sides
 * are far closer to each other.
 */
function testOf(
  { logs, independence }: Pick<Levels, 'logs' | 'independence'>,
  { from, at, to }: Split,
): { readonly p: number; readonly doubt: number } {
  const [left, right] = [logs.subarray(from, at), logs.subarray(at, to)];
  const isClear = clarityOf(left, right) > 0;
  const p = changeP(left, right, isClear ? 1 : independence());
  const areApart = Math.max(...left) < Math.min(...right) || Math.max(...right) < Math.min(...left);
  return { p, doubt: p / (isClear && areApart ? P_LIMIT.apart : P_LIMIT.usual) };
}

function isLarge({ smallest }: Pick<Levels, 'smallest'>, { shift }: Pick<LevelChange, 'shift'>): boolean {
  return Math.abs(shift) >= smallest;
}

function shiftOf({ logs }: Pick<Levels, 'logs'>, { from, at, to }: Split): number {
  const differences = new Float64Array((at - from) * (to - at));
  let count = 0;
  for (let before = from; before < at; before += 1) {
    for (let after = at; after < to; after += 1) {
      differences[count] = (logs[after] ?? 0) - (logs[before] ?? 0);
      count += 1;
    }
  }
  return middleOf(differences) ?? 0;
}

function highest<One>(all: readonly One[], score: (one: One) => number): One | undefined {
  return all.reduce<One | undefined>(
    (best, one) => (best === undefined || score(one) > score(best) ? one : best),
    undefined,
  );
}

function without(candidates: readonly number[], { at }: Split): readonly number[] {
  return candidates.filter((other) => other !== at);
}
