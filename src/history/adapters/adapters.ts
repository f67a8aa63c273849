import { criterion } from './criterion.ts';
import { goTest } from './go-test.ts';
import { googleBenchmark } from './google-benchmark.ts';
import { hyperfine } from './hyperfine.ts';
import { jmh } from './jmh.ts';
import { k6 } from './k6.ts';
import { pytestBenchmark } from './pytest-benchmark.ts';
import type { Adapter, ToolRun } from './results.ts';

/** Tried in this order if the tool is not known. */
const ADAPTERS = {
  'go-test': goTest,
  'pytest-benchmark': pytestBenchmark,
  'google-benchmark': googleBenchmark,
  jmh,
  criterion,
  k6,
  hyperfine,
} as const satisfies Record<string, Adapter>;

export type BenchmarkTool = keyof typeof ADAPTERS;

export const BENCHMARK_TOOLS = Object.keys(ADAPTERS) as readonly BenchmarkTool[];

/** Results in the output of a tool, or the reason why there are none, such as "must be a list". */
export function readOutput(tool: BenchmarkTool, text: string): ToolRun | string {
  const run = ADAPTERS[tool](text);
  const isEmpty =
    typeof run !== 'string' && [run.figures, run.failures, run.leftOut].every(({ length }) => length === 0);
  return isEmpty ? `has no figures of ${tool}` : run;
}

const MAX_FIGURES = 10_000;

/** Results in the output of any known tool, or the reason why there are none. */
export function readAnyOutput(text: string): { readonly tool: BenchmarkTool; readonly run: ToolRun } | string {
  for (const tool of BENCHMARK_TOOLS) {
    const run = readOutput(tool, text);
    if (typeof run !== 'string') {
      const { length } = run.figures;
      return length > MAX_FIGURES ? `has ${length} figures; the limit is ${MAX_FIGURES}` : { tool, run };
    }
  }
  return `has no figures of ${BENCHMARK_TOOLS.join(', ')}`;
}
