import { mean, median, standardDeviation } from '../../src/foundation/statistics.ts';
import { mannWhitneyP } from '../../src/judge/inference/counts.ts';
import { studentTail } from '../../src/judge/inference/distributions.ts';
import type { Paired } from '../../src/judge/inference/family-test.ts';

/** How other tools decide: which comparisons they would call slower. */
export interface Peer {
  readonly name: string;
  readonly slower: (comparisons: readonly Seen[]) => readonly number[];
}

/** Input of the peers for one comparison: none of them knows rounds, so all slots of a side are one sample. */
export interface Seen {
  readonly medianRatio: number;
  readonly meanRatio: number;
  /** Welch's, positive where head's mean is higher, and its two-sided p. */
  readonly t: number;
  readonly tP: number;
  /** Two-sided, of Mann and Whitney, and whether head has the higher ranks. */
  readonly rankP: number;
  readonly isRankedHigher: boolean;
}

/**
 * The peers' rules, each at its most favorable: all of them get interleaved rounds with fresh processes, which few of
 * their users have, and the median of many rounds where the tool has one value.
 */
export const PEERS: readonly Peer[] = [
  // github-action-benchmark: `alert-threshold` is 200% by default, and 110% where its users set it.
  { name: 'ratio of medians > 200%', slower: where(({ medianRatio }) => medianRatio > 2) },
  { name: 'ratio of medians > 110%', slower: where(({ medianRatio }) => medianRatio > 1.1) },
  { name: "Welch's t, p < .05", slower: where(({ t, tP }) => t > 0 && tP < 0.05) },
  { name: 'Mann-Whitney, p < .05', slower: where(({ isRankedHigher, rankP }) => isRankedHigher && rankP < 0.05) },
  { name: 'Mann-Whitney + Holm', slower: holm },
  // golang.org/x/perf/cmd/benchstat: the two-sided Mann-Whitney test at 0.05, then the difference of the medians.
  { name: 'benchstat', slower: where(({ medianRatio, rankP }) => medianRatio > 1 && rankP < 0.05) },
  // Treeherder's perfalert and its settings: t above 7 and a change of the means of at least 2%. Its weights, which
  // fall with the distance from the change, would only add noise where rounds are interleaved.
  { name: 'Perfherder (t > 7, 2%)', slower: where(({ meanRatio, t }) => meanRatio >= 1.02 && t > 7) },
];

/** Samples of the first rounds of comparisons for the peers; the values are those measured, not their logarithms. */
export function seenOf(comparisons: readonly Paired[], rounds: number): readonly Seen[] {
  const firstOf = (logs: Paired['base']) =>
    logs.slice(0, rounds).flatMap((log) => (log === undefined ? [] : [Math.exp(log)]));
  return comparisons.map(({ base, head }) => see(firstOf(base), firstOf(head)));
}

function see(base: readonly number[], head: readonly number[]): Seen {
  const [before, now] = [momentsOf(base), momentsOf(head)];
  const squaredError = before.squaredError + now.squaredError;
  const difference = now.mean - before.mean;
  const t = difference === 0 ? 0 : difference / Math.sqrt(squaredError);
  // Welch and Satterthwaite; with no variance at all any difference is beyond doubt.
  const degrees = squaredError ** 2 / (before.squaredError ** 2 / before.degrees + now.squaredError ** 2 / now.degrees);
  const wins = head.reduce((sum, value) => sum + base.filter((other) => value > other).length, 0);
  const losses = head.reduce((sum, value) => sum + base.filter((other) => value < other).length, 0);
  return {
    medianRatio: now.median / before.median,
    meanRatio: now.mean / before.mean,
    t,
    tP: squaredError === 0 ? Number(difference === 0) : 2 * studentTail(Math.abs(t), degrees),
    rankP: mannWhitneyP(base, head),
    isRankedHigher: wins > losses,
  };
}

function momentsOf(values: readonly number[]) {
  return {
    mean: mean(values) ?? Number.NaN,
    median: median(values) ?? Number.NaN,
    squaredError: (standardDeviation(values) ?? Number.NaN) ** 2 / values.length,
    degrees: values.length - 1,
  };
}

function where(isSlower: (seen: Seen) => boolean): Peer['slower'] {
  return (comparisons) => comparisons.flatMap((seen, index) => (isSlower(seen) ? [index] : []));
}

/** Holm, "A simple sequentially rejective multiple test procedure" (1979): 5% over the family, two-sided. */
function holm(comparisons: readonly Seen[]): readonly number[] {
  const order = comparisons
    .map(({ rankP, isRankedHigher }, index) => ({ rankP, isRankedHigher, index }))
    .sort((left, right) => left.rankP - right.rankP);
  const firstKept = order.findIndex(({ rankP }, place) => rankP > 0.05 / (order.length - place));
  const rejected = firstKept === -1 ? order : order.slice(0, firstKept);
  return rejected.flatMap(({ isRankedHigher, index }) => (isRankedHigher ? [index] : []));
}
