import { median } from '../statistics.ts';
import type { Levels } from './levels.ts';
import { changeP } from './rank-sum.ts';

/** How many values on either side of a change speak for it: later ones may be of another level. */
const MOST_A_SIDE = 60;

/** A tenth of the 0.1 % of a single test, since the place was chosen among many. */
const P_LIMIT = 0.0001;

/** Smaller changes are not worth a line: 5 % up, or the same way back. */
const SMALLEST = Math.log(1.05);

/** So many values after a place can already be beyond chance, while the scans still wait for more. */
const PENDING = [3, 4];

/** A place between logarithms, and the values on either side of it that are tested: `from` up to `at`, and on to `to`. */
interface Split {
  readonly from: number;
  readonly at: number;
  readonly to: number;
  readonly p: number;
}

/** A split that is beyond chance and large enough to care. */
export interface Change extends Split {
  /** The Hodges-Lehmann estimate: the median of all differences between a value after the change and one before. */
  readonly shift: number;
}

/** The candidates (in ascending order) that are changes, after the least credible was dropped again and again. */
export function keptChanges(levels: Levels, candidates: readonly number[]): readonly Change[] {
  const splits = candidates.map((at, place) =>
    splitAt(levels, at, [candidates[place - 1] ?? 0, candidates[place + 1] ?? levels.logs.length]),
  );
  const unsure = highest(splits, ({ p }) => p);
  if (unsure !== undefined && unsure.p >= P_LIMIT) {
    return keptChanges(levels, without(candidates, unsure));
  }
  const changes = splits.map((split) => ({ ...split, shift: shiftOf(levels.logs, split) }));
  const small = highest(changes, ({ shift }) => -Math.abs(shift));
  return small === undefined || isLarge(small) ? changes : keptChanges(levels, without(candidates, small));
}

/** The most credible change among the last values since a place, if any: what the scans cannot see yet. */
export function pendingChange(levels: Levels, since: number): Change | undefined {
  const splits = PENDING.filter((after) => levels.logs.length - after > since)
    .map((after) => splitAt(levels, levels.logs.length - after, [since, levels.logs.length]))
    .filter(({ p }) => p < P_LIMIT)
    .map((split) => ({ ...split, shift: shiftOf(levels.logs, split) }));
  return highest(splits.filter(isLarge), ({ p }) => -p);
}

/** The split at a place between two others (or the ends), tested on up to 60 values a side. */
function splitAt({ logs, independence }: Levels, at: number, [previous, next]: readonly [number, number]): Split {
  const from = Math.max(previous, at - MOST_A_SIDE);
  const to = Math.min(next, at + MOST_A_SIDE);
  return { from, at, to, p: changeP(logs.subarray(from, at), logs.subarray(at, to), independence) };
}

function isLarge({ shift }: Change): boolean {
  return Math.abs(shift) >= SMALLEST;
}

function shiftOf(logs: Float64Array, { from, at, to }: Split): number {
  const after = logs.subarray(at, to);
  const differences = new Float64Array((at - from) * after.length);
  for (let before = from; before < at; before += 1) {
    const value = logs[before] ?? 0;
    differences.set(
      after.map((other) => other - value),
      (before - from) * after.length,
    );
  }
  return median(differences) ?? 0;
}

/** The first of those with the highest score. */
function highest<One>(all: readonly One[], score: (one: One) => number): One | undefined {
  return all.reduce<One | undefined>(
    (best, one) => (best === undefined || score(one) > score(best) ? one : best),
    undefined,
  );
}

function without(candidates: readonly number[], { at }: Split): readonly number[] {
  return candidates.filter((other) => other !== at);
}
