import { toolSamples } from '../../src/commands/runs/tool-samples.ts';

export const filesOf = (side: string, outputs: readonly unknown[]) =>
  outputs.map((output, index) => ({
    file: `${side}-${index + 1}`,
    text: typeof output === 'string' ? output : JSON.stringify(output),
  }));

/** The samples in outputs of both versions, in files that are called base-1, head-1 and so on. */
export const read = (base: readonly unknown[], head: readonly unknown[]) => {
  const { input, metrics } = toolSamples({ base: filesOf('base', base), head: filesOf('head', head) });
  return { input: input(), metrics: metrics() };
};

export const times = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index));

/** One benchmark of Go with a line for each of these times. */
export const go = (values: readonly number[], name = 'BenchmarkA-2') =>
  values.map((value) => `${name} 1000 ${value} ns/op`).join('\n');

/** Benchmarks of pytest, each with all its repetitions. */
export const pytest = (data: Readonly<Record<string, readonly number[]>>) => ({
  benchmarks: Object.entries(data).map(([name, all]) => ({ name, stats: { median: 9, data: all } })),
});

export const google = (time: number, unit: string) => ({
  benchmarks: [{ name: 'BM_A', run_type: 'iteration', real_time: time, time_unit: unit }],
});

export const jmh = (score: number, scoreUnit: string) => [
  { benchmark: 'A.run', mode: 'thrpt', primaryMetric: { score, scoreUnit } },
];
