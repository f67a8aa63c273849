import type { Levels } from './levels.ts';
import { changeP, middleOf } from './rank-sum.ts';
import { clarityOf, parting } from './steps.ts';

/** How many values on either side of a change speak for it: later ones may be of another level. */
const MOST_A_SIDE = 60;

/**
 * A tenth of the 0.1% of a single test, since the place was chosen among many. If a step is clear and all values after it are
 * beyond all before, few of them are enough.
 */
const P_LIMIT = { usual: 0.0001, apart: 0.001 };

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

/**
 * The candidates (in ascending order) that are changes, each moved to where values part but not before `first`, after the least credible was
 * dropped again and again.
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

/** Ranks do not see how far a value is away, so a split may be some values off. */
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

/** The most credible change among the last values since a place, if any: what the scans cannot see yet. */
export function pendingChange(levels: Levels, since: number): LevelChange | undefined {
  const end = levels.logs.length;
  const changes = PENDING.filter((after) => end - after > since)
    .map((after) => splitAt(end - after, [since, end]))
    .map((split) => ({ ...split, shift: shiftOf(levels, split) }))
    // Few are large, and an exact p takes longest.
    .filter((change) => isLarge(levels, change))
    .map((split) => ({ ...split, ...testOf(levels, split) }))
    .filter(({ doubt }) => doubt < 1);
  return highest(changes, ({ p }) => -p);
}

/** The split at a place between two others (or the ends), with up to 60 values a side. */
function splitAt(at: number, [previous, next]: readonly [number, number]): Split {
  return { from: Math.max(previous, at - MOST_A_SIDE), at, to: Math.min(next, at + MOST_A_SIDE) };
}

interface Tested {
  readonly p: number;
  /** Its p as a multiple of the limit. */
  readonly doubt: number;
}

/** Of a clear step autocorrelation takes nothing off: within its sides the values are far closer to each other. */
function testOf({ logs, independence }: Pick<Levels, 'logs' | 'independence'>, { from, at, to }: Split): Tested {
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
