import {
  type BenchmarkTool,
  factorBetween,
  type LeftOut,
  NO_FIGURES,
  readAnyOutput,
  type ToolFailure,
  type ToolFigure,
} from '../../../adapters/index.ts';
import type { SourceText } from '../../../config/index.ts';
import { ConfigError, counted, plainText } from '../../../foundation/index.ts';
import type { Side } from '../../../model/index.ts';
import { MOST_ROUNDS } from '../samples.ts';

type Both<Of> = Readonly<Record<Side, Of>>;

/** The outputs of a benchmark tool of each version, in the order in which they were measured. */
export type ToolOutputs = Both<readonly SourceText[]>;

/** Values of a figure in one file. */
interface InFile extends Pick<ToolFigure, 'counts'> {
  readonly values: readonly number[];
}

/** One figure of one benchmark in all files. */
export interface ToolBenchmark extends Pick<ToolFigure, 'name' | 'metric' | 'unit' | 'better'> {
  /** What each file has of it; undefined if a file lacks it. */
  readonly base: readonly (InFile | undefined)[];
  readonly head: readonly (InFile | undefined)[];
}

/** What the outputs hold, all of the same tool. */
export interface ToolBenchmarks {
  readonly tool: BenchmarkTool;
  readonly benchmarks: readonly ToolBenchmark[];
  /** Of each version, once for each file. */
  readonly failures: Both<readonly ToolFailure[]>;
  readonly leftOut: Both<readonly LeftOut[]>;
}

/** The benchmarks in all outputs. Throws ConfigError, naming the files, if one is of no known tool, or if they do not fit together. */
export function readBenchmarks(sources: ToolOutputs): ToolBenchmarks {
  checkFiles(sources);
  const outputs = { base: sources.base.map(outputOf), head: sources.head.map(outputOf) };
  const tool = toolOf([...outputs.base, ...outputs.head]);
  const found = new Map<string, ToolBenchmark>();
  const none = sources.base.map(() => undefined);
  for (const side of ['base', 'head'] as const) {
    for (const [place, output] of outputs[side].entries()) {
      for (const figure of output.figures) {
        const { name, metric, unit, better, counts, repetitions, values } = figure;
        const known = found.get(keyOf(figure)) ?? { name, metric, unit, better, base: none, head: none };
        const scaled = inUnit(known.unit, { ...figure, values: repetitions ?? values }, output.file);
        found.set(keyOf(figure), { ...known, [side]: known[side].with(place, { values: scaled, counts }) });
      }
    }
  }
  const benchmarks = [...found.values()];
  const all = <Key extends 'failures' | 'leftOut'>(key: Key) => ({
    base: outputs.base.flatMap((output): readonly Output[Key][number][] => output[key]),
    head: outputs.head.flatMap((output): readonly Output[Key][number][] => output[key]),
  });
  const [failures, leftOut] = [all('failures'), all('leftOut')];
  const others = [failures, leftOut].flatMap(({ base, head }): readonly unknown[] => [...base, ...head]);
  if (!benchmarks.some(isInBoth) && others.length === 0) {
    throw nothingShared(outputs);
  }
  return { tool, benchmarks, failures, leftOut };
}

/** Whether both versions have it, in any of their files. */
export function isInBoth({ base, head }: ToolBenchmark): boolean {
  return [base, head].every((side) => side.some((file) => file !== undefined));
}

/** The name of a benchmark in a sentence. */
export function shortName(name: string): string {
  return plainText(name, 80);
}

/** With files for one side only, or one that is given twice, the rounds would not be those that the user thinks of. */
function checkFiles({ base, head }: ToolOutputs): void {
  const files = [...base, ...head].map(({ file }) => file);
  const twice = files.find((file, index) => files.indexOf(file) < index);
  const wrong =
    (base.length !== head.length && `--base has ${counted(base.length, 'file')}, but --head has ${head.length}`) ||
    (base.length > MOST_ROUNDS && `--base has ${base.length} files; the limit is ${MOST_ROUNDS}`) ||
    (twice !== undefined && `${twice} is given twice`);
  if (wrong) {
    throw new ConfigError(wrong, {
      code: 'WG-101',
      next: 'Pass each file once, and as many for the head as for the base: the first of both are round 1, and so on.',
    });
  }
}

interface Output {
  readonly file: string;
  readonly tool: BenchmarkTool;
  readonly figures: readonly ToolFigure[];
  readonly failures: readonly ToolFailure[];
  readonly leftOut: readonly LeftOut[];
}

const MOST_RESULTS = 10_000;

function outputOf({ file, text }: SourceText): Output {
  const found = readAnyOutput(text);
  const { length = 0 } = found?.run.figures ?? [];
  if (found === undefined || length > MOST_RESULTS) {
    const why = found === undefined ? NO_FIGURES : `has ${length} figures; the limit is ${MOST_RESULTS}`;
    throw new ConfigError(`${file}: ${why}`, {
      code: 'WG-100',
      next: 'Pass the complete, unchanged output of one tool; if it has too many benchmarks, measure fewer at a time.',
    });
  }
  const { figures, failures, leftOut } = found.run;
  const output = { file, tool: found.tool, figures, failures, leftOut };
  checkUnits(output);
  return output;
}

function toolOf(outputs: readonly Output[]): BenchmarkTool {
  const [tool, ...others] = new Set(outputs.map((output) => output.tool));
  if (tool === undefined || others.length > 0) {
    const first = [tool, ...others].map((one) => outputs.find((output) => output.tool === one));
    const texts = first.map((output) => `${output?.file} is an output of ${output?.tool}`);
    throw new ConfigError(texts.join(', and '), {
      code: 'WG-404',
      next: 'Pass outputs of the same tool to --base and --head.',
    });
  }
  return tool;
}

/** Equal for figures that are compared with each other. */
function keyOf({ name, metric }: Pick<ToolFigure, 'name' | 'metric'>): string {
  return JSON.stringify([name, metric]);
}

/** Throws ConfigError if a file has the same figure in two units. */
function checkUnits({ file, figures }: Output): void {
  const units = new Map<string, string>();
  for (const figure of figures) {
    const known = units.get(keyOf(figure));
    if (known !== undefined) {
      throw twoUnits(file, figure, `in ${known} too`);
    }
    units.set(keyOf(figure), figure.unit);
  }
}

/** The repetitions in the unit that the benchmark has in earlier files. */
function inUnit(unit: string, figure: ToolFigure, file: string): readonly number[] {
  const factor = factorBetween(figure.unit, unit);
  if (factor === undefined) {
    throw twoUnits(file, figure, `in ${unit} in an earlier file`);
  }
  return factor === 1 ? figure.values : figure.values.map((value) => value * factor);
}

function twoUnits(file: string, { name, metric, unit }: ToolFigure, other: string): ConfigError {
  return new ConfigError(`${file}: the ${metric} of ${shortName(name)} is in ${unit}, and ${other}`, {
    code: 'WG-404',
    next: 'Measure both versions with the same unit for each metric of a benchmark.',
  });
}

function nothingShared({ base, head }: Both<readonly Output[]>): ConfigError {
  const examples = [base, head].flatMap((outputs) =>
    outputs.slice(0, 1).map(({ file, figures: [figure] }) => `${file} has ${shortName(figure?.name ?? '')}`),
  );
  return new ConfigError(`base and head have no benchmark in common: ${examples.join(', ')}`, {
    code: 'WG-406',
    next: 'Measure the same benchmarks, with the same names, in both versions.',
  });
}
