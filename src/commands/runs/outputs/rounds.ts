import type { FailedCounts } from '../../../adapters/index.ts';
import { median } from '../../../foundation/index.ts';
import { FEWEST_ROUNDS } from '../../../judge/index.ts';
import type { Side } from '../../../model/index.ts';
import { isInBoth, shortName, type ToolBenchmark } from './benchmarks.ts';

/** One figure of one benchmark by round; undefined if a round lacks it. */
export interface InRounds extends Omit<ToolBenchmark, 'base' | 'head'> {
  readonly base: readonly (number | undefined)[];
  readonly head: readonly (number | undefined)[];
  /** Of a share, what each round of both versions counted. */
  readonly counts: readonly Readonly<Record<Side, FailedCounts>>[];
  /** The repetitions of the version with fewer, if the rounds are made of them and these are too few. */
  readonly tooFew?: number | undefined;
}

/** The benchmarks as rounds of both versions. */
export interface BenchmarkRounds {
  readonly count: number;
  readonly of: readonly InRounds[];
  readonly remarks: readonly string[];
}

const ASSUMED =
  'Assumed: the files were measured in turns, in the given order, and chance decided which version came first in each turn. Only then does the false-alarm rate hold.';

/** Of several files a side: file n of both is round n, with the median of its repetitions. */
export function roundsOfFiles(benchmarks: readonly ToolBenchmark[]): BenchmarkRounds {
  const medians = (files: ToolBenchmark['base']) => files.map((file) => median(file?.values ?? []));
  const of = benchmarks.map((one) => ({
    ...one,
    base: medians(one.base),
    head: medians(one.head),
    counts: countsOf(one),
  }));
  return { count: of[0]?.base.length ?? 0, of, remarks: [ASSUMED] };
}

/** More rounds than these see little more, and the repetitions of some tools are thousands. */
const MOST_PAIRS = 40;

/**
 * Of one file a side: repetition n of both is round n. Every benchmark has the same number of rounds, as the test needs it: that of the
 * shortest one that has enough for a verdict. If another one has more repetitions, neighbors are a round together, in both versions the
 * same number of them.
 */
export function roundsOfRepetitions(benchmarks: readonly ToolBenchmark[]): BenchmarkRounds {
  const lengths = benchmarks.filter(isInBoth).map(shorter);
  const enough = lengths.filter((length) => length >= FEWEST_ROUNDS);
  const count = Math.min(MOST_PAIRS, enough.length > 0 ? Math.min(...enough) : Math.max(1, ...lengths));
  const of = benchmarks.map((one): InRounds => {
    const kept = isInBoth(one) ? shorter(one) : undefined;
    const rounds = ([file]: ToolBenchmark['base']) => grouped((file?.values ?? []).slice(0, kept), count);
    const tooFew = kept !== undefined && kept < count ? kept : undefined;
    return { ...one, base: rounds(one.base), head: rounds(one.head), counts: countsOf(one), tooFew };
  });
  const isGrouped = lengths.some((length) => length > count);
  return { count, of, remarks: [...(isGrouped ? [groupedRemark(count)] : []), ...surplusRemark(benchmarks)] };
}

function shorter({ base: [base], head: [head] }: ToolBenchmark): number {
  return Math.min(base?.values.length ?? 0, head?.values.length ?? 0);
}

function countsOf({ base, head }: ToolBenchmark): InRounds['counts'] {
  return base.flatMap((file, place) => {
    const [before, now] = [file?.counts, head[place]?.counts];
    return before === undefined || now === undefined ? [] : [{ base: before, head: now }];
  });
}

/** The medians of groups of neighbors, which have nearly the same size. */
function grouped(values: readonly number[], groups: number): readonly (number | undefined)[] {
  const start = (group: number) => Math.floor((group * values.length) / groups);
  return Array.from({ length: groups }, (_, group) => median(values.slice(start(group), start(group + 1))));
}

function groupedRemark(count: number): string {
  return `If a benchmark has more than ${count} repetitions, a round is the median of neighboring ones.`;
}

/** The repetitions for which the other version has no partner. */
function surplusRemark(benchmarks: readonly ToolBenchmark[]): readonly string[] {
  const left = benchmarks.filter(isInBoth).flatMap(({ name, metric, base: [base], head: [head] }) => {
    const surplus = (base?.values.length ?? 0) - (head?.values.length ?? 0);
    const side = surplus > 0 ? 'base' : 'head';
    const count = Math.abs(surplus);
    return count === 0 ? [] : [{ count, text: `the last ${count} of ${shortName(name)}, ${metric}, in the ${side}` }];
  });
  const [most] = left.toSorted((one, other) => other.count - one.count);
  const others = left.length > 1 ? `, and of ${left.length - 1} more` : '';
  return most === undefined
    ? []
    : [`Repetitions were left out, because the other version has fewer: ${most.text}${others}.`];
}
