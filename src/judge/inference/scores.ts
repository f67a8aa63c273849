import { quantile, sorted } from '../../foundation/statistics.ts';
import { FEWEST_ROUNDS, midRanks } from './location.ts';

/** Logarithms of one metric by round; undefined if a round lacks it. */
export interface Rounds {
  readonly base: readonly (number | undefined)[];
  readonly head: readonly (number | undefined)[];
}

/**
 * Statistic of a round. "differences": head minus base in that round, for metrics whose noise both versions of a round share. "ranks": the difference
 * of their ranks among all values, for metrics with independent noise, since an outlier then spoils one of 2n ranks and not a whole pair.
 */
export type Statistic = 'differences' | 'ranks';

/**
 * Score of each round of one comparison, scaled to a sum of squares of 1; the floor is a logarithm and subtracted from head. Exchanging the labels of
 * a round, after the floor is subtracted, only changes the sign of its score. A round that lacks a side scores 0; so do all rounds if fewer than 8
 * are complete or nothing differs.
 */
export function roundScores(rounds: Rounds, floor: number, statistic: Statistic): Float64Array {
  const scores = new Float64Array(rounds.base.length);
  const complete = completeRounds(rounds);
  if (complete.length < FEWEST_ROUNDS) {
    return scores;
  }
  const floored = complete.map(({ round, base, head }) => ({ round, base, head: head - floor }));
  const rises = RISES[statistic](floored);
  const length = Math.sqrt(rises.reduce((sum, rise) => sum + rise * rise, 0));
  floored.forEach(({ round }, index) => {
    scores[round] = length === 0 ? 0 : (rises[index] ?? 0) / length;
  });
  return scores;
}

interface Pair {
  readonly round: number;
  readonly base: number;
  readonly head: number;
}

/** Rounds that have both sides. */
export function completeRounds({ base, head }: Rounds): readonly Pair[] {
  return base.flatMap((before, round) => {
    const now = head[round];
    return before === undefined || now === undefined ? [] : [{ round, base: before, head: now }];
  });
}

const RISES: Readonly<Record<Statistic, (pairs: readonly Pair[]) => readonly number[]>> = {
  differences: cutDifferences,
  ranks: rankRises,
};

/** A difference counts up to this many times the median absolute difference: for normal noise up to two standard deviations. */
const MAX_MEDIANS = 3;

/**
 * Differences, each clipped to a bound (Huber's psi). The bound depends on the sizes only, which no exchange of labels changes, so the test stays
 * exact; it uses the median, which tolerates up to half of the rounds being disturbed. Nothing is clipped if half of the differences are 0.
 */
function cutDifferences(pairs: readonly Pair[]): readonly number[] {
  const differences = pairs.map(({ base, head }) => head - base);
  const middle = quantile(sorted(differences.map(Math.abs)), 0.5) ?? 0;
  const bound = middle === 0 ? Number.POSITIVE_INFINITY : MAX_MEDIANS * middle;
  return differences.map((difference) => Math.max(-bound, Math.min(bound, difference)));
}

function rankRises(pairs: readonly Pair[]): readonly number[] {
  const { ranks } = midRanks([...pairs.map(({ base }) => base), ...pairs.map(({ head }) => head)]);
  return pairs.map((_, index) => (ranks[pairs.length + index] ?? 0) - (ranks[index] ?? 0));
}
