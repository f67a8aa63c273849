import { mean, standardDeviation } from '../../src/foundation/statistics.ts';
import { keptCells } from '../../src/model/run/comparison.ts';
import type { RunInRounds } from '../../src/model/run/run.ts';
import type { BlockSums, Sample } from '../../src/model/run/sample.ts';

/** Where the noise of one figure of one cell comes from; standard deviations of log(head / base). */
export interface Components {
  readonly service: string;
  readonly operation: string;
  readonly tier: string;
  readonly figure: Figure;
  readonly rounds: number;
  /** Deviation of each version in each round. */
  readonly blocks: number;
  /** Deviation of one round, over all its blocks. */
  readonly round: number;
  /** Deviation of one block from the other version's block of the same number. */
  readonly block: number;
  /** Deviation of a round by its blocks alone: `block / sqrt(blocks)`. */
  readonly within: number;
  /** The rest: what two starts of the same build differ by. */
  readonly between: number;
}

type Figure = 'CPU per request' | 'requests/s' | 'mean latency';

/** Two sums whose ratio is a figure. */
type Ratio = (sums: BlockSums) => readonly [readonly number[] | undefined, readonly number[] | undefined];

const FIGURES: Readonly<Record<Figure, Ratio>> = {
  'CPU per request': ({ cpuSeconds, answers }) => [cpuSeconds, answers],
  'requests/s': ({ requests, seconds }) => [requests, seconds],
  'mean latency': ({ latencyMs, requests }) => [latencyMs, requests],
};

/** Fewer rounds show no variance. */
const FEWEST_ROUNDS = 3;

/**
 * The components of variance of each cell of a comparison, by the analysis of variance of one factor (starts) with blocks as
 * replicates: the variance between rounds, less what the blocks leave in it. Cells without blocks, and figures with a block that has no
 * logarithm, are left out.
 */
export function variancesOf(run: RunInRounds): readonly Components[] {
  return keptCells(run).flatMap(({ cell, base, head }) =>
    (Object.keys(FIGURES) as Figure[]).flatMap((figure) => {
      const rounds = base.flatMap((before, round) => {
        const [one, other] = [ratiosOf(before, figure), ratiosOf(head[round], figure)];
        return one === undefined || other === undefined || one.length !== other.length ? [] : [{ one, other }];
      });
      const { service, operation, tier } = cell;
      return rounds.length < FEWEST_ROUNDS ? [] : [{ service, operation, tier, figure, ...componentsOf(rounds) }];
    }),
  );
}

/** Numerator and denominator of each block. */
type Ratios = readonly (readonly [number, number])[];

function ratiosOf(sample: Sample | undefined, figure: Figure): Ratios | undefined {
  const [above, below] = sample?.blockSums === undefined ? [] : FIGURES[figure](sample.blockSums);
  const pairs = above?.map((value, block): readonly [number, number] => [value, below?.[block] ?? 0]);
  return pairs?.every((pair) => pair.every((value) => value > 0)) === true && pairs.length > 1 ? pairs : undefined;
}

function componentsOf(rounds: readonly { readonly one: Ratios; readonly other: Ratios }[]) {
  const shifts = rounds.map(({ one, other }) => logOfSums(other) - logOfSums(one));
  const spreads = rounds.map(({ one, other }) =>
    deviation(one.map((pair, block) => logOf(other[block]) - logOf(pair))),
  );
  const blocks = rounds[0]?.one.length ?? 0;
  const block = Math.sqrt(mean(spreads.map((spread) => spread ** 2)) ?? 0);
  const [round, within] = [deviation(shifts), block / Math.sqrt(blocks)];
  return {
    rounds: rounds.length,
    blocks,
    round,
    block,
    within,
    between: Math.sqrt(Math.max(0, round ** 2 - within ** 2)),
  };
}

function logOf([above, below]: readonly [number, number] = [1, 1]): number {
  return Math.log(above / below);
}

function logOfSums(ratios: Ratios): number {
  const sum = (place: 0 | 1) => ratios.reduce((total, pair) => total + pair[place], 0);
  return Math.log(sum(0) / sum(1));
}

function deviation(values: readonly number[]): number {
  return standardDeviation(values) ?? 0;
}
