export { BENCHMARK_TOOLS, type BenchmarkTool, readAnyOutput, readOutput } from './adapters.ts';
export { BIGGER, type GabBench, gabDirection, readBenches, SMALLER } from './github-action-benchmark.ts';
export { jsonIn } from './json.ts';
export type { LeftOut, ToolFailure, ToolFigure } from './results.ts';
export { type Direction, directionOf, factorBetween } from './units.ts';
