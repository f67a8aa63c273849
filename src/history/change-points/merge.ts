import type { Levels } from './levels.ts';
import { changeP, middleOf } from './rank-sum.ts';

/** How many values on either side of a change speak for it: later ones may be of another level. */
const MOST_A_SIDE = 60;

/** A tenth of the 0.1 % of a single test, since the place was chosen among many. */
const P_LIMIT = 0.0001;

/** So many values after a place can already be beyond chance, while the scans still wait for more. */
const PENDING = [3, 4];

/** A place between logarithms, and the values on either side of it that are tested: `from` up to `at`, and on to `to`. */
interface Split {
  readonly from: number;
  readonly at: number;
  readonly to: number;
}

/** A split that is beyond chance and large enough to care. */
export interface LevelChange extends Split {
  readonly p: number;
  /** The Hodges-Lehmann estimate: the median of all differences between a value after the change and one before. */
  readonly shift: number;
}

/** The candidates (in ascending order) that are changes, after the least credible was dropped again and again. */
export function keptChanges(levels: Levels, candidates: readonly number[]): readonly LevelChange[] {
  const splits = candidates
    .map((at, place) => splitAt(at, [candidates[place - 1] ?? 0, candidates[place + 1] ?? levels.logs.length]))
    .map((split) => ({ ...split, p: pOf(levels, split) }));
  const unsure = highest(splits, ({ p }) => p);
  if (unsure !== undefined && unsure.p >= P_LIMIT) {
    return keptChanges(levels, without(candidates, unsure));
  }
  const changes = splits.map((split) => ({ ...split, shift: shiftOf(levels, split) }));
  const small = highest(changes, ({ shift }) => -Math.abs(shift));
  return small === undefined || isLarge(levels, small) ? changes : keptChanges(levels, without(candidates, small));
}

/** The most credible change among the last values since a place, if any: what the scans cannot see yet. */
export function pendingChange(levels: Levels, since: number): LevelChange | undefined {
  const end = levels.logs.length;
  const changes = PENDING.filter((after) => end - after > since)
    .map((after) => splitAt(end - after, [since, end]))
    .map((split) => ({ ...split, shift: shiftOf(levels, split) }))
    // Few are large, and an exact p takes longest.
    .filter((change) => isLarge(levels, change))
    .map((split) => ({ ...split, p: pOf(levels, split) }));
  return highest(
    changes.filter(({ p }) => p < P_LIMIT),
    ({ p }) => -p,
  );
}

/** The split at a place between two others (or the ends), with up to 60 values a side. */
function splitAt(at: number, [previous, next]: readonly [number, number]): Split {
  return { from: Math.max(previous, at - MOST_A_SIDE), at, to: Math.min(next, at + MOST_A_SIDE) };
}

function pOf({ logs, independence }: Levels, { from, at, to }: Split): number {
  return changeP(logs.subarray(from, at), logs.subarray(at, to), independence());
}

function isLarge({ smallest }: Levels, { shift }: Pick<LevelChange, 'shift'>): boolean {
  return Math.abs(shift) >= smallest;
}

function shiftOf({ logs }: Levels, { from, at, to }: Split): number {
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
