import { seededRandom } from '../../foundation/random.ts';
import { finite, sorted } from '../../foundation/statistics.ts';
import type { Look } from '../../model/rounds.ts';
import { completeRounds, type Rounds, roundScores, type Statistic } from './scores.ts';
import { allSwaps, drawnSwaps, EXHAUSTIVE_ROUNDS, type Swaps, shareAtLeast, swappedSums, TIE } from './swaps.ts';

/**
 * One comparison: logarithms by round, signed so that positive is worse. All comparisons of a family have the same rounds; a round is undefined if
 * the comparison lacks it, and then has no effect in any swap.
 */
export interface Paired extends Rounds {
  /** Fixed by the kind of comparison before measuring; default: ranks. */
  readonly statistic?: Statistic | undefined;
}

/** log(head / base) of the first rounds, except those that lack a version. */
export function logRatios({ base, head }: Rounds, rounds = base.length): readonly number[] {
  return completeRounds({ base: base.slice(0, rounds), head }).map((one) => one.head - one.base);
}

export interface FamilyRule {
  /** Change that is ignored, relative: 0.01 is +1%. */
  readonly floor: number;
  /** Probability that unchanged code shows any significant comparison over all looks, at most. */
  readonly alpha: number;
  /** Looks in ascending order of rounds. */
  readonly looks: readonly Look[];
  readonly seed: number;
  /** Random swaps at looks of more than 13 rounds; default: 20,000. */
  readonly swaps?: number;
}

interface FamilyResult {
  /** Rounds of the first look at which it was significant; undefined if none. */
  readonly significantAt: readonly (number | undefined)[];
  readonly adjustedP: readonly number[];
}

/**
 * Comparisons of a family that are worse than the floor, with the look that shows it: label swaps within rounds, the maximum over the family, alpha
 * spent over the looks. Where no comparison changed, the probability of any significant one over all looks is at most alpha, for any number of
 * rounds and any dependence between rounds and between comparisons: it requires only a fair coin and a fresh start in every round. If some did
 * change, the same bound for the others is proven for one look, and simulated for several. A look's finding does not depend on later looks. Exact
 * up to 13 rounds, by random swaps of the seed above. Throws a RangeError for values that are not finite, rounds that do not align and looks that
 * are out of order.
 */
export function testFamily(comparisons: readonly Paired[], rule: FamilyRule): FamilyResult {
  checkRule(rule);
  checkRounds(comparisons, rule.looks.at(-1)?.rounds ?? 0);
  const family: Family = {
    comparisons,
    rule,
    significantAt: comparisons.map(() => undefined),
    adjustedP: comparisons.map(() => 1),
  };
  const isExact = ({ rounds }: Look) => rounds <= EXHAUSTIVE_ROUNDS;
  const crossed = lookExactly(family, rule.looks.filter(isExact));
  lookByDraw(
    family,
    rule.looks.filter((look) => !isExact(look)),
    crossed,
  );
  return { significantAt: family.significantAt, adjustedP: family.adjustedP };
}

/**
 * Looks of a run with n rounds. At the last of them, the rest of alpha is spent at the rounds reached: valid if the clock or the plan ended the
 * run, and not the results of the rounds.
 */
export function looksFor(planned: readonly Look[], reached: number, isFinal: boolean): readonly Look[] {
  const looks = planned.filter(({ rounds }) => rounds <= reached);
  if (!isFinal || reached < 1 || (looks.at(-1)?.spent ?? 0) >= 1) {
    return looks;
  }
  return [...looks.filter(({ rounds }) => rounds < reached), { rounds: reached, spent: 1 }];
}

function checkRule({ floor, alpha, looks }: FamilyRule): void {
  const isShare = (value: number, below: number) => value >= 0 && value <= below;
  const inOrder = looks.every(({ rounds, spent }, index) => {
    const before = looks[index - 1] ?? { rounds: 0, spent: 0 };
    return Number.isInteger(rounds) && rounds > before.rounds && spent >= before.spent && isShare(spent, 1);
  });
  if (!inOrder || !isShare(alpha, 0.5) || !(floor > -1 && floor < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`no rule to test by: floor ${floor}, alpha ${alpha}, looks ${JSON.stringify(looks)}`);
  }
}

function checkRounds(comparisons: readonly Paired[], rounds: number): void {
  for (const { base, head } of comparisons) {
    if (base.length !== head.length || base.length < rounds) {
      throw new RangeError(`${base.length} rounds of base and ${head.length} of head for a look at ${rounds}`);
    }
    finite(base, 'a logarithm of base');
    finite(head, 'a logarithm of head');
  }
}

interface Family {
  readonly comparisons: readonly Paired[];
  readonly rule: FamilyRule;
  readonly significantAt: (number | undefined)[];
  adjustedP: readonly number[];
}

/** Swaps that several looks share. */
interface Stage {
  readonly swaps: Swaps;
  /** 1 if a swap has crossed the threshold of an earlier look: it has raised its alarm and cannot raise another. */
  readonly crossed: Uint8Array;
  /** Share of the swaps that crossed in the stage before, as counted there. */
  readonly crossedBefore: number;
}

function lookExactly(family: Family, looks: readonly Look[]): Uint8Array {
  const swaps = allSwaps(looks.at(-1)?.rounds ?? 0);
  const crossed = new Uint8Array(swaps.count);
  lookAll(family, looks, { swaps, crossed, crossedBefore: 0 });
  return crossed;
}

/** Continues the exact looks with random swaps; the share that has crossed comes from there, without a draw. */
function lookByDraw(family: Family, looks: readonly Look[], crossedExactly: Uint8Array): void {
  const rounds = looks.at(-1)?.rounds;
  if (rounds === undefined) {
    return;
  }
  const swaps = drawnSwaps(rounds, family.rule.swaps ?? 20_000, seededRandom(family.rule.seed));
  const [first = new Uint8Array(swaps.count), second = new Uint8Array(swaps.count)] = swaps.blocks;
  const crossed = first.map((byte, swap) => {
    const index = (byte | ((second[swap] ?? 0) << 8)) % crossedExactly.length;
    return crossedExactly[index] ?? 0;
  });
  lookAll(family, looks, { swaps, crossed, crossedBefore: countOf(crossedExactly) / crossedExactly.length });
}

function lookAll(family: Family, looks: readonly Look[], stage: Stage): void {
  const { comparisons, rule, significantAt } = family;
  const crossedAtStart = countOf(stage.crossed);
  for (const look of looks) {
    const scores = comparisons.map((one) => scoresOfFirst(look.rounds, one, rule));
    const shown = stepDown(scores, stage.swaps);
    const share = rule.alpha * look.spent - stage.crossedBefore;
    const mayCross = Math.floor(share * stage.swaps.count + TIE) - (countOf(stage.crossed) - crossedAtStart);
    const bound = boundOf(shown, stage, mayCross);
    shown.observed.forEach((observed, index) => {
      significantAt[index] ??= observed > bound + TIE ? look.rounds : undefined;
    });
    markCrossed(stage.crossed, shown.maxima, bound);
    family.adjustedP = shown.adjustedP;
  }
}

function scoresOfFirst(rounds: number, { base, head, statistic = 'ranks' }: Paired, { floor }: FamilyRule) {
  return roundScores({ base: base.slice(0, rounds), head: head.slice(0, rounds) }, Math.log1p(floor), statistic);
}

/** Value that at most this many of the swaps that have not crossed exceed; ties do not exceed it. */
function boundOf({ maxima }: Shown, { crossed }: Stage, mayCross: number): number {
  const left = sorted(maxima.filter((_, swap) => crossed[swap] === 0));
  return left[left.length - 1 - Math.max(0, mayCross)] ?? Number.POSITIVE_INFINITY;
}

function markCrossed(crossed: Uint8Array, maxima: Float64Array, bound: number): void {
  maxima.forEach((maximum, swap) => {
    if (maximum > bound + TIE) {
      crossed[swap] = 1;
    }
  });
}

function countOf(marks: Uint8Array): number {
  return marks.reduce((count, mark) => count + mark, 0);
}

interface Shown {
  /** Measured sum of the scores of each comparison. */
  readonly observed: readonly number[];
  /** Largest sum of the family for each swap. */
  readonly maxima: Float64Array;
  /** Step-down maxT, by comparison. */
  readonly adjustedP: readonly number[];
}

/**
 * Compares the scores of a family (by comparison, by round) with the swaps. Adjusted p after Westfall and Young, "Resampling-Based Multiple
 * Testing" (1993), algorithm 2.8: the share of swaps in which any comparison ranked at or below this one reaches its statistic, and never less
 * than that of a higher-ranked comparison.
 */
function stepDown(scores: readonly Float64Array[], swaps: Swaps): Shown {
  const observed = scores.map((byRound) => byRound.reduce((sum, score) => sum + score, 0));
  const ascending = scores.map((_, index) => index).sort((left, right) => at(observed, left) - at(observed, right));
  const maxima = new Float64Array(swaps.count).fill(Number.NEGATIVE_INFINITY);
  const adjustedP = observed.map(() => 1);
  for (const index of ascending) {
    raise(maxima, swappedSums(scores[index] ?? [], swaps));
    adjustedP[index] = shareAtLeast(maxima, at(observed, index));
  }
  let highest = 0;
  for (const index of ascending.reverse()) {
    highest = Math.max(highest, at(adjustedP, index));
    adjustedP[index] = highest;
  }
  return { observed, maxima, adjustedP };
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? Number.NaN;
}

function raise(maxima: Float64Array, sums: Float64Array): void {
  for (let swap = 0; swap < maxima.length; swap += 1) {
    const sum = sums[swap] ?? 0;
    if (sum > (maxima[swap] ?? 0)) {
      maxima[swap] = sum;
    }
  }
}
