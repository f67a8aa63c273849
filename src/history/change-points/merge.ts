import type { Levels } from './levels.ts';
import { changeP, middleOf } from './rank-sum.ts';
import { clarityOf, parting } from './steps.ts';

/** Maximum number of values on either side in a test: more distant ones may be of another level. */
const MOST_A_SIDE = 60;

/**
 * Limit of p: a tenth of the 0.1% of a single test, because the split was chosen among many. For a clear step that separates all values
 * 0.1% is enough.
 */
const P_LIMIT = { usual: 0.0001, apart: 0.001 };

/** Numbers of values after a split that a pending change can have: too few for the scans. */
const PENDING = [3, 4];

/** Split at `at`, tested with the values in `from` to `at` and `at` to `to`. */
interface Split {
  readonly from: number;
  readonly at: number;
  readonly to: number;
}

/** Split that is significant and large enough. */
export interface LevelChange extends Split {
  readonly p: number;
  /** Hodges-Lehmann estimate: median of all differences between a value after the change and one before. */
  readonly shift: number;
}

/**
 * Significant changes among candidates in ascending order: the least credible candidate is removed until all that remain are significant.
 * Each is first moved to where the values part best, but not before `first`.
 */
export function keptChanges(levels: Levels, candidates: readonly number[], first: number): readonly LevelChange[] {
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
export function pendingChange(levels: Levels, since: number): LevelChange | undefined {
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
  return { from: Math.max(previous, at - MOST_A_SIDE), at, to: Math.min(next, at + MOST_A_SIDE) };
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
  return { p, doubt: p / (isClear && areApart(left, right) ? P_LIMIT.apart : P_LIMIT.usual) };
}

function areApart(left: Float64Array, right: Float64Array): boolean {
  return Math.max(...left) < Math.min(...right) || Math.max(...right) < Math.min(...left);
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
