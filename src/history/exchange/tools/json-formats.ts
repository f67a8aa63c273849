import { z } from 'zod';
import { listOf } from '../../../foundation/index.ts';
import { betterOf, type ToolFigure, type ToolRun, together } from './tool-figures.ts';

const number = z.number();

const values = listOf(number);

/** What is malformed of the single repetitions takes nothing from the figure of all. */
const repetitionsSchema = values.optional().catch(undefined);

/** The JSON of pytest-benchmark (`--benchmark-json`): the median of each benchmark, in seconds. */
export const pytestBenchmark = z
  .object({
    datetime: z.string().optional(),
    commit_info: z.object({ id: z.string().nullish() }).optional(),
    benchmarks: listOf(
      z.object({
        fullname: z.string().optional(),
        name: z.string(),
        stats: z.object({ median: number, data: repetitionsSchema }),
      }),
    ),
  })
  .transform(
    ({ datetime, commit_info: commit, benchmarks }): ToolRun => ({
      at: datetime === undefined || /(Z|[+-]\d\d:?\d\d)$/.test(datetime) ? datetime : `${datetime}Z`,
      commit: commit?.id ?? undefined,
      figures: benchmarks.map(({ fullname, name, stats }) => ({
        ...time(fullname ?? name, 's', [stats.median]),
        ...withRepetitions(stats.data),
      })),
    }),
  );

/** The JSON of Google Benchmark (`--benchmark_format=json`): real and CPU time, and rates. Its own means of repetitions are passed over. */
export const googleBenchmark = z
  .object({
    context: z.object({ date: z.string().optional() }).optional(),
    benchmarks: listOf(
      z.object({
        name: z.string(),
        run_name: z.string().optional(),
        run_type: z.string().optional(),
        real_time: number.optional(),
        cpu_time: number.optional(),
        time_unit: z.string().default('ns'),
        items_per_second: number.optional(),
        bytes_per_second: number.optional(),
      }),
    ),
  })
  .transform(
    ({ context, benchmarks }): ToolRun => ({
      at: context?.date,
      figures: together(
        benchmarks
          .filter((one) => one.run_type !== 'aggregate')
          .flatMap((one) => {
            const name = one.run_name ?? one.name;
            return [
              ...figure({ name, metric: 'time', unit: one.time_unit, value: one.real_time }),
              ...figure({ name, metric: 'cpu-time', unit: one.time_unit, value: one.cpu_time }),
              ...figure({ name, metric: 'throughput', unit: 'items/s', value: one.items_per_second }),
              ...figure({ name, metric: 'bytes', unit: 'B/s', value: one.bytes_per_second }),
            ];
          }),
      ),
    }),
  );

const jmhMetric = z.object({
  score: z.union([number, z.string()]),
  scoreUnit: z.string(),
  /** By fork. */
  rawData: listOf(values).optional().catch(undefined),
});

/** The JSON of JMH (`-rf json`): the score of each benchmark, and of its profilers. A score of "NaN" is passed over. */
export const jmh = listOf(
  z.object({
    benchmark: z.string(),
    mode: z.string(),
    params: z.record(z.string(), z.string()).default({}),
    primaryMetric: jmhMetric,
    secondaryMetrics: z.record(z.string(), jmhMetric).default({}),
  }),
).transform((benchmarks): ToolRun => {
  const figures = benchmarks.flatMap(({ benchmark, mode, params, primaryMetric, secondaryMetrics }) => {
    const given = Object.entries(params).map(([key, value]) => `${key}=${value}`);
    const name = [benchmark, mode, ...given].join(' ');
    const metric = mode === 'thrpt' ? 'throughput' : 'time';
    const all = [[metric, primaryMetric] as const, ...Object.entries(secondaryMetrics)];
    return all.flatMap(([what, { score, scoreUnit, rawData }]) =>
      figure({
        name,
        metric: what,
        unit: scoreUnit,
        value: typeof score === 'number' ? score : undefined,
        repetitions: rawData?.flat(),
        better: scoreUnit.startsWith('ops/') ? 'higher' : 'lower',
      }),
    );
  });
  return { figures };
});

/** A line of the JSON of cargo-criterion (`--message-format=json`). Lines of other kinds are passed over. */
export const criterionLines = listOf(
  z.object({
    reason: z.string().optional(),
    id: z.string().optional(),
    typical: z.object({ estimate: number, unit: z.string() }).optional(),
  }),
).transform(
  (lines): ToolRun => ({
    figures: lines.flatMap(({ reason, id, typical }) =>
      reason === 'benchmark-complete' && id !== undefined && typical !== undefined
        ? [time(id, typical.unit, [typical.estimate])]
        : [],
    ),
  }),
);

const trend = z.record(z.string(), z.union([number, z.null()]));

/** The summary of k6: of `--summary-export`, where a metric has its values itself, or of `handleSummary`, where they are in `values`. */
export const k6 = z
  .object({ metrics: z.record(z.string(), z.looseObject({ values: trend.optional() })) })
  .transform(({ metrics }): ToolRun => {
    const figures = Object.entries(metrics).flatMap(([name, metric]) => {
      const found: Readonly<Record<string, unknown>> = metric.values ?? metric;
      return K6_VALUES.filter(({ of }) => of.test(name)).flatMap(({ key, ...what }) => {
        const value = found[key] ?? (key === 'rate' && what.unit === '' ? found['value'] : undefined);
        return figure({ name, ...what, value: typeof value === 'number' ? value : undefined });
      });
    });
    return { figures };
  });

/** The values of k6 that compare runs: not the longest of all, and no count that follows from how long a run was. */
const K6_VALUES = [
  { of: /_duration(\{|$)/, key: 'med', metric: 'p50', unit: 'ms', better: 'lower' },
  { of: /_duration(\{|$)/, key: 'p(90)', metric: 'p90', unit: 'ms', better: 'lower' },
  { of: /_duration(\{|$)/, key: 'p(95)', metric: 'p95', unit: 'ms', better: 'lower' },
  { of: /_duration(\{|$)/, key: 'p(99)', metric: 'p99', unit: 'ms', better: 'lower' },
  {
    of: /^(http_reqs|iterations|ws_msgs_(sent|received))(\{|$)/,
    key: 'rate',
    metric: 'rate',
    unit: '1/s',
    better: 'higher',
  },
  { of: /^http_req_failed(\{|$)/, key: 'rate', metric: 'errorRate', unit: '', better: 'lower' },
] as const satisfies readonly {
  readonly of: RegExp;
  readonly key: string;
  readonly metric: string;
  readonly unit: string;
  readonly better: ToolFigure['better'];
}[];

/** The JSON of hyperfine (`--export-json`): the times of each command, in seconds. */
export const hyperfine = z
  .object({
    results: listOf(
      z.object({
        command: z.string(),
        times: values.optional(),
        median: number,
      }),
    ),
  })
  .transform(
    ({ results }): ToolRun => ({
      figures: results.map(({ command, times = [], median }) =>
        time(command, 's', times.length > 0 ? times : [median]),
      ),
    }),
  );

function time(name: string, unit: string, measured: readonly number[]): ToolFigure {
  return { name, metric: 'time', unit, better: 'lower', values: measured };
}

interface Found {
  readonly name: string;
  readonly metric: string;
  readonly unit: string;
  readonly value: number | undefined;
  readonly repetitions?: readonly number[] | undefined;
  /** Left out if the unit says it. */
  readonly better?: ToolFigure['better'];
}

/** No figure if there is no value. */
function figure({ name, metric, unit, value, repetitions, better = betterOf(unit) }: Found): readonly ToolFigure[] {
  return value === undefined ? [] : [{ name, metric, unit, better, values: [value], ...withRepetitions(repetitions) }];
}

function withRepetitions(found: readonly number[] = []): Pick<ToolFigure, 'repetitions'> {
  return found.length === 0 ? {} : { repetitions: found };
}
