import { midRanks } from './mid-ranks.ts';

/** With fewer rounds no verdict is possible. */
export const FEWEST_ROUNDS = 8;

/** Logarithms of one metric by round; undefined where a round lacks it. */
interface Rounds {
  readonly base: readonly (number | undefined)[];
  readonly head: readonly (number | undefined)[];
}

/**
 * What each round says of one comparison, scaled to a sum of squares of 1: how many ranks head, less the floor (a log),
 * stands above base among all values of both. Exchanging the labels of a round changes the sign of its score and nothing
 * else. A round that lacks a side scores 0; so do all rounds where fewer than 8 are complete or nothing differs.
 * Pooled ranks, not differences per round, because an outlier then spoils one of 2n ranks and not a whole pair.
 */
export function rankScores({ base, head }: Rounds, floor: number): Float64Array {
  const scores = new Float64Array(base.length);
  const complete = completeRounds(base, head);
  if (complete.length < FEWEST_ROUNDS) {
    return scores;
  }
  const { ranks } = midRanks([...complete.map((pair) => pair.base), ...complete.map((pair) => pair.head - floor)]);
  const rises = complete.map((_, index) => (ranks[complete.length + index] ?? 0) - (ranks[index] ?? 0));
  const length = Math.sqrt(rises.reduce((sum, rise) => sum + rise * rise, 0));
  complete.forEach(({ round }, index) => {
    scores[round] = length === 0 ? 0 : (rises[index] ?? 0) / length;
  });
  return scores;
}

function completeRounds(base: Rounds['base'], head: Rounds['head']) {
  return base.flatMap((before, round) => {
    const now = head[round];
    return before === undefined || now === undefined ? [] : [{ round, base: before, head: now }];
  });
}
