import type { SourceText } from '../../config/yaml/frame.ts';
import { ConfigError } from '../../foundation/errors.ts';
import { counted } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import { plainText } from '../../foundation/text.ts';
import { type BenchmarkTool, readAnyOutput } from '../../history/adapters/adapters.ts';
import type { LeftOut, ToolFailure, ToolFigure } from '../../history/adapters/results.ts';
import { factorBetween } from '../../history/adapters/units.ts';
import { FEWEST_ROUNDS } from '../../judge/inference/location.ts';
import type { Side } from '../../model/rounds.ts';
import { MAX_ROUNDS } from './samples.ts';

type Both<Of> = Readonly<Record<Side, Of>>;

/** Outputs of a benchmark tool by version, in the order of measurement. */
export type ToolOutputs = Both<readonly SourceText[]>;

/** Figure of a benchmark in all files; undefined for a file that lacks it. */
interface ToolBenchmark extends Pick<ToolFigure, 'name' | 'metric' | 'unit' | 'better'> {
  readonly base: readonly (InFile | undefined)[];
  readonly head: readonly (InFile | undefined)[];
}

type InFile = Pick<ToolFigure, 'values' | 'counts'>;

export interface ToolBenchmarks {
  readonly tool: BenchmarkTool;
  readonly benchmarks: readonly ToolBenchmark[];
  /** Failures by version, once for each file. */
  readonly failures: Both<readonly ToolFailure[]>;
  readonly leftOut: Both<readonly LeftOut[]>;
}

/** Benchmarks in all outputs. Throws ConfigError with the files if one is from an unknown tool, or if they do not match. */
export function readBenchmarks(sources: ToolOutputs): ToolBenchmarks {
  checkFiles(sources);
  const outputs = { base: sources.base.map(outputOf), head: sources.head.map(outputOf) };
  const files = [...outputs.base, ...outputs.head];
  const [first, ...others] = files;
  const other = others.find(({ tool }) => tool !== first?.tool);
  if (first === undefined || other !== undefined) {
    const texts = [first, other].map((output) => `${output?.file} is an output of ${output?.tool}`);
    throw refusal('WG-404', texts.join(', and '), 'Pass outputs of the same tool to --base and --head.');
  }
  const found = new Map<string, ToolBenchmark>();
  const none = sources.base.map(() => undefined);
  for (const side of ['base', 'head'] as const) {
    for (const [place, output] of outputs[side].entries()) {
      for (const figure of output.run.figures) {
        const { name, metric, unit, better, counts } = figure;
        const key = JSON.stringify([name, metric]);
        const known = found.get(key) ?? { name, metric, unit, better, base: none, head: none };
        const values = valuesIn(known.unit, figure, output);
        found.set(key, { ...known, [side]: known[side].with(place, { values, counts }) });
      }
    }
  }
  const benchmarks = [...found.values()];
  if (!benchmarks.some(isInBoth) && files.every(({ run }) => run.failures.length + run.leftOut.length === 0)) {
    const examples = [outputs.base[0], outputs.head[0]].map(
      (output) => `${output?.file} has ${shortName(output?.run.figures[0]?.name ?? '')}`,
    );
    throw refusal(
      'WG-406',
      `base and head have no benchmark in common: ${examples.join(', ')}`,
      'Measure the same benchmarks, with the same names, in both versions.',
    );
  }
  const both = <Of>(read: (output: Output) => readonly Of[]): Both<readonly Of[]> => ({
    base: outputs.base.flatMap(read),
    head: outputs.head.flatMap(read),
  });
  const [failures, leftOut] = [both(({ run }) => run.failures), both(({ run }) => run.leftOut)];
  return { tool: first.tool, benchmarks, failures, leftOut };
}

function refusal(code: 'WG-100' | 'WG-101' | 'WG-404' | 'WG-406', what: string, next: string): ConfigError {
  return new ConfigError(what, { code, next });
}

function isInBoth({ base, head }: ToolBenchmark): boolean {
  return [base, head].every((side) => side.some((file) => file !== undefined));
}

export function shortName(name: string): string {
  return plainText(name, 80);
}

/** Throws ConfigError unless both sides have the same number of files, each given once. */
function checkFiles({ base, head }: ToolOutputs): void {
  const files = [...base, ...head].map(({ file }) => file);
  const twice = files.find((file, index) => files.indexOf(file) < index);
  const wrong =
    (base.length !== head.length && `--base has ${counted(base.length, 'file')}, but --head has ${head.length}`) ||
    (base.length > MAX_ROUNDS && `--base has ${base.length} files; the limit is ${MAX_ROUNDS}`) ||
    (twice !== undefined && `${twice} is given twice`);
  if (wrong) {
    const next =
      'Pass each file once, and as many for the head as for the base: the first of both are round 1, and so on.';
    throw refusal('WG-101', wrong, next);
  }
}

type Output = SourceText & Exclude<ReturnType<typeof readAnyOutput>, string>;

function outputOf({ file, text }: SourceText): Output {
  const found = readAnyOutput(text);
  if (typeof found === 'string') {
    const next =
      'Pass the complete, unchanged output of one tool; if it has too many benchmarks, measure fewer at a time.';
    throw refusal('WG-100', `${file}: ${found}`, next);
  }
  return { file, text, ...found };
}

function valuesIn(unit: string, figure: ToolFigure, { file, text }: Output): readonly number[] {
  const { name, metric, values, repetitions = values } = figure;
  const factor = factorBetween(figure.unit, unit);
  if (factor === undefined) {
    const place = `${file}:${lineOf(text, name)}`;
    throw refusal(
      'WG-404',
      `${place}: the ${metric} of ${shortName(name)} is in ${figure.unit}, and in ${unit} in an earlier file`,
      'Measure both versions with the same unit for each metric of a benchmark.',
    );
  }
  return factor === 1 ? repetitions : repetitions.map((value) => value * factor);
}

/** First line of a file with the name of a benchmark, or with its longest word: an adapter may extend the tool's name. */
function lineOf(text: string, name: string): number {
  const words = [name, ...name.split(' ').toSorted((one, other) => other.length - one.length)];
  const at = words.map((word) => text.indexOf(word)).find((place) => place !== -1) ?? 0;
  return text.slice(0, at).split('\n').length;
}

/** Figure of a benchmark by round; undefined if a round lacks it. */
export interface InRounds extends Pick<ToolFigure, 'name' | 'metric' | 'unit' | 'better'> {
  readonly base: readonly (number | undefined)[];
  readonly head: readonly (number | undefined)[];
  /** Counts of each round, for a share. */
  readonly counts: readonly Both<NonNullable<ToolFigure['counts']>>[];
  /** Repetitions of the version with fewer, if rounds consist of them and these are too few. */
  readonly tooFew?: number | undefined;
}

export interface BenchmarkRounds {
  readonly count: number;
  readonly of: readonly InRounds[];
  readonly remarks: readonly string[];
}

const ASSUMED =
  'Assumed: the files were measured in turns, in the given order, and chance decided which version came first in each turn. Only then does the false-alarm rate hold.';

/** Rounds of several files per side: file n of both sides is round n, with the median of its repetitions. */
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

/** Limit of rounds: more add little, and some tools repeat thousands of times. */
const MAX_PAIRS = 40;

/**
 * Rounds of one file per side: repetition n of both is round n. All benchmarks have the same number of rounds, as the test requires: that of the
 * shortest one with enough for a verdict. Neighboring repetitions of longer ones form a round, the same number in both versions.
 */
export function roundsOfRepetitions(benchmarks: readonly ToolBenchmark[]): BenchmarkRounds {
  const lengths = benchmarks.filter(isInBoth).map(shorter);
  const enough = lengths.filter((length) => length >= FEWEST_ROUNDS);
  const count = Math.min(MAX_PAIRS, enough.length > 0 ? Math.min(...enough) : Math.max(1, ...lengths));
  const of = benchmarks.map((one): InRounds => {
    const kept = isInBoth(one) ? shorter(one) : undefined;
    const rounds = ([file]: ToolBenchmark['base']) => grouped((file?.values ?? []).slice(0, kept), count);
    const tooFew = kept !== undefined && kept < count ? kept : undefined;
    return { ...one, base: rounds(one.base), head: rounds(one.head), counts: countsOf(one), tooFew };
  });
  const isGrouped = lengths.some((length) => length > count);
  const remark = `If a benchmark has more than ${count} repetitions, a round is the median of neighboring ones.`;
  return { count, of, remarks: [...(isGrouped ? [remark] : []), ...surplusRemark(benchmarks)] };
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

/** Medians of groups of neighbors of nearly equal size. */
function grouped(values: readonly number[], groups: number): readonly (number | undefined)[] {
  const start = (group: number) => Math.floor((group * values.length) / groups);
  return Array.from({ length: groups }, (_, group) => median(values.slice(start(group), start(group + 1))));
}

/** Remark on repetitions without a counterpart in the other version. */
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
