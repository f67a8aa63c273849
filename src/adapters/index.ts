export {
  BENCHMARK_TOOLS,
  type BenchmarkTool,
  NO_FIGURES,
  readAnyOutput,
  readMicroBenchmarks,
  readOutput,
} from './adapters.ts';
export { BIGGER, type GabBench, gabDirection, readBenches, SMALLER } from './github-action-benchmark.ts';
export {
  type FailedCounts,
  jsonIn,
  type LeftOut,
  type ToolFailure,
  type ToolFigure,
  type ToolRun,
} from './tool-run.ts';
export { type Direction, directionOf, factorBetween } from './units.ts';
