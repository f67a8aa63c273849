import { plainText, seedOf } from '../foundation/index.ts';
import { excessInFigures, type MicroBenchmarks } from '../model/index.ts';
import { criterion } from './criterion.ts';
import { goTest } from './go-test.ts';
import { googleBenchmark } from './google-benchmark.ts';
import { hyperfine } from './hyperfine.ts';
import { jmh } from './jmh.ts';
import { k6 } from './k6.ts';
import { pytestBenchmark } from './pytest-benchmark.ts';
import type { Adapter, ToolRun } from './tool-run.ts';

/** In the order in which a file is tried if nothing says which tool wrote it. */
const ADAPTERS = {
  'go-test': goTest,
  'pytest-benchmark': pytestBenchmark,
  'google-benchmark': googleBenchmark,
  jmh,
  criterion,
  k6,
  hyperfine,
} as const satisfies Record<string, Adapter>;

/** A benchmark tool whose output can be read. */
export type BenchmarkTool = keyof typeof ADAPTERS;

export const BENCHMARK_TOOLS = Object.keys(ADAPTERS) as readonly BenchmarkTool[];

/** The longest name of a benchmark; a longer one is cut and keeps what makes it another one. */
const LONGEST_NAME = 400;

/** Results in the output of a tool, all texts made harmless, or why there are none: "must be a list". */
export function readOutput(tool: BenchmarkTool, text: string): ToolRun | string {
  const adapter: Adapter = ADAPTERS[tool];
  const run = adapter(text);
  if (typeof run === 'string') {
    return run;
  }
  const { figures, failures, leftOut } = run;
  return figures.length + failures.length + leftOut.length === 0 ? `has no figures of ${tool}` : harmless(run);
}

/** Results in the output of whichever tool wrote it; undefined if none did. */
export function readAnyOutput(text: string): { readonly tool: BenchmarkTool; readonly run: ToolRun } | undefined {
  for (const tool of BENCHMARK_TOOLS) {
    const run = readOutput(tool, text);
    if (typeof run !== 'string') {
      return { tool, run };
    }
  }
  return undefined;
}

/** Micro-benchmarks in a file, for run.json, or a message for a file that has none. */
export function readMicroBenchmarks(text: string, file: string): MicroBenchmarks | string {
  const found = readAnyOutput(text);
  if (found === undefined) {
    return NO_FIGURES;
  }
  const { tool, run } = found;
  const figures = run.figures.map(({ repetitions: _repetitions, counts: _counts, ...figure }) => figure);
  const failures = run.failures.slice(0, MOST_NAMED);
  const leftOut = run.leftOut.filter(({ kind }) => kind === 'unread').map(({ name, why }) => ({ name, why }));
  return (
    excessInFigures(figures) ?? {
      ...{ file: plainText(file, LONGEST_NAME), tool, figures },
      ...(failures.length > 0 && { failures }),
      ...(leftOut.length > 0 && { leftOut: leftOut.slice(0, MOST_NAMED) }),
    }
  );
}

const MOST_NAMED = 1000;

/** Message for a file that no known tool wrote. */
export const NO_FIGURES = `has no figures of ${BENCHMARK_TOOLS.join(', ')}`;

function harmless(run: ToolRun): ToolRun {
  const seen = new Map<string, number>();
  return {
    ...run,
    figures: run.figures.map((figure) => {
      const named = { ...figure, name: identity(figure.name), metric: identity(figure.metric) };
      const key = JSON.stringify([named.name, named.metric, figure.unit]);
      const time = (seen.get(key) ?? 0) + 1;
      seen.set(key, time);
      const name = time === 1 ? named.name : `${named.name} (${time})`;
      return { ...named, name, unit: plainText(figure.unit, LONGEST_NAME) };
    }),
    failures: run.failures.map(({ name, why }) => ({ name: identity(name), why: plainText(why, LONGEST_NAME) })),
    leftOut: run.leftOut.map((left) => ({
      ...left,
      name: identity(left.name),
      ...(left.metric !== undefined && { metric: identity(left.metric) }),
      why: plainText(left.why, LONGEST_NAME),
    })),
  };
}

/** A name as one line of at most 400 characters: what is cut from it is in the number at its end. */
function identity(name: string): string {
  return name.length <= LONGEST_NAME
    ? plainText(name, LONGEST_NAME)
    : `${plainText(name, LONGEST_NAME - 20)} #${seedOf(name).toString(16)}`;
}
