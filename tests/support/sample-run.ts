import type { MainRun, Run } from '../../src/model/run/run.ts';
import type { Judgment } from '../../src/report/views/judgment.ts';
import { type CellShape, MEASURED_SECONDS, OPERATIONS, type ServiceName, samplesAt, TIERS } from './sample-cells.ts';

/** What to make up; everything has a believable default. */
export interface SampleRunOptions {
  readonly services?: readonly ServiceName[];
  readonly rounds?: number;
  /** Cells to be left out, as "service/tier". */
  readonly without?: readonly string[];
  readonly change?: Partial<MainRun>;
  /** Cells that differ from the default, by "service/tier". */
  readonly shapes?: Readonly<Record<string, Partial<CellShape>>>;
}

const TITLES: Readonly<Record<ServiceName, string>> = {
  rest: 'REST (Flask, gunicorn)',
  'rest-development': "REST (Flask's development server)",
  grpc: 'gRPC (grpcio)',
};

/** A run that could have been measured; the same options always give the same run. */
export function sampleRun(options: SampleRunOptions = {}): MainRun {
  const services = options.services ?? ['rest', 'grpc'];
  const rounds = options.rounds ?? 1;
  const places = Array.from({ length: rounds }, (_, index) => index + 1).flatMap((round) =>
    services.flatMap((service) =>
      [...TIERS.map(({ name }) => name), 'saturation'].map((tier) => ({ service, tier, round })),
    ),
  );
  const without = new Set(options.without ?? []);
  const measured = places.filter(({ service, tier }) => !without.has(`${service}/${tier}`));
  return {
    ...frame(services, rounds),
    samples: measured.flatMap((place) => samplesAt(place, options.shapes?.[`${place.service}/${place.tier}`])),
    ...options.change,
  };
}

/** A run of three rounds whose services take so many times the usual CPU time. */
export function slowerRun(factor: number, startedAt: string): MainRun {
  const run = sampleRun({ rounds: 3 });
  const samples = run.samples.map((sample) => ({
    ...sample,
    values: { ...sample.values, cpuMicrosPerRequest: factor * (sample.values.cpuMicrosPerRequest ?? 1) },
  }));
  return { ...run, startedAt, samples };
}

/** A run without a baseline. */
export function sampleJudgment(options: SampleRunOptions = {}): Judgment {
  return { run: sampleRun(options), against: undefined };
}

/** The run held against 30 stored runs: a suspicion, nothing seen, advice, another machine, a new cell, and so on. */
export function judgedAgainstBaseline(run: Run = sampleRun()): Judgment {
  const cell = { suite: 'users', service: 'rest', operation: 'all', tier: 'saturation' };
  const comparison = (before: number, now: number) => ({ cell, before, now, change: now / before - 1 });
  const judged = { kind: 'judged', family: 'gate', threshold: 0.03, runs: 30, strata: 1 } as const;
  const cpu = { ...comparison(213, 235), metric: 'cpuMicrosPerRequest' } as const;
  const rate = { ...comparison(4620, 4490), metric: 'achievedRps' } as const;
  const p50 = { ...comparison(11.1, 11.2), metric: 'latencyP50Ms' } as const;
  const p95 = { ...comparison(17.1, 17.9), metric: 'latencyP95Ms' } as const;
  return {
    run,
    against: {
      file: 'baselines',
      store: 'wiregauge baseline update',
      counts: [],
      past: {
        stored: 33,
        configured: 31,
        onMachine: 30,
        stratum: { cpuModel: 'Intel(R) Xeon(R) Processor @ 2.60GHz', cores: 2, kernelMajor: '6' },
        unlike: [],
        newest: {
          startedAt: '2026-11-02T08:15:00Z',
          commit: '4f2d9c1b7a6e5d4c3b2a19087f6e5d4c3b2a1908',
          note: 'measured on a quiet machine',
        },
      },
      confirmationBase: '4f2d9c1b7a6e5d4c3b2a19087f6e5d4c3b2a1908',
      verdicts: [
        { ...judged, comparison: cpu, status: 'suspicious', bound: 223, detectable: 0.061 },
        { ...judged, comparison: rate, status: 'inconclusive', bound: 4420, detectable: 0.059 },
        {
          ...judged,
          comparison: p50,
          status: 'within-bound',
          bound: 11.4,
          detectable: 0.042,
          drift: { per30Runs: 0.021, p: 0.0042 },
        },
        { ...judged, comparison: p95, status: 'inconclusive', family: 'watch', bound: 19.2, detectable: 0.16 },
        {
          ...judged,
          kind: 'advisory',
          reason: 'few-runs',
          comparison: {
            ...p50,
            cell: { ...cell, tier: 'low', operation: 'GetUser' },
            before: 0.5,
            now: 0.51,
            change: 0.02,
          },
          status: 'inconclusive',
          bound: 0.56,
          detectable: 0.18,
          runs: 14,
        },
        {
          kind: 'other-runner',
          comparison: { ...p50, cell: { ...cell, tier: 'high' }, before: 1.3, now: 1.92, change: 1.92 / 1.3 - 1 },
        },
        {
          kind: 'collecting',
          comparison: { ...p95, cell: { ...cell, tier: 'high' }, before: 9.1, now: 9, change: 9 / 9.1 - 1 },
          runs: 3,
        },
        {
          kind: 'stated',
          comparison: {
            cell: { ...cell, tier: 'high' },
            metric: 'errorRate',
            before: 0,
            now: 0.02,
            change: undefined,
          },
        },
        { kind: 'unmeasured', cell: { ...cell, service: 'grpc' }, reason: 'new', runs: 0 },
      ],
    },
  };
}

function frame(services: readonly ServiceName[], rounds: number): Omit<MainRun, 'samples'> {
  return {
    schema: 2,
    wiregauge: '0.1.0',
    startedAt: '2026-11-21T00:43:00Z',
    commit: { head: '1df183b0c4a7e2f9d8b6a5c4e3f2019876543210', dirty: false },
    configHash: '9b1c7d3e',
    seed: 20261121,
    runner: {
      cpuModel: 'Intel(R) Xeon(R) Processor @ 2.60GHz',
      cores: 2,
      memoryMiB: 7936,
      platform: 'linux-x64',
      kernel: '6.18.0',
      node: 'v20.20.2',
      cgroup: 'v2',
      engine: 'Docker 28.5.1',
      serviceCore: 0,
      loadCore: 1,
    },
    limits: { cpus: 1, memoryMiB: 512 },
    runtime: { name: 'docker', reason: 'the Docker engine answers and builds the images' },
    tools: { ghz: '0.121.0', vegeta: '12.13.0' },
    suite: {
      name: 'users',
      title: 'One User Service, REST against gRPC',
      operations: OPERATIONS.map(({ name, share }) => ({ name, share })),
      tiers: TIERS,
      published: {
        source: 'Comparison of REST (Flask) and gRPC (grpcio) User Services, slides, CASE 2026',
        note: 'Another machine, Flask’s development server, and Locust as the load tool.',
        figures: [
          { service: 'rest', tier: 'low', metric: 'latencyMeanMs', text: '5 ms' },
          { service: 'grpc', tier: 'low', metric: 'latencyMeanMs', text: '<1 ms' },
          { service: 'rest', tier: 'low', metric: 'achievedRps', text: '329.6/s' },
          { service: 'grpc', tier: 'low', metric: 'achievedRps', text: '333.7/s' },
          { service: 'rest', tier: 'high', metric: 'latencyP90Ms', text: '6,600 ms' },
          { service: 'grpc', tier: 'high', metric: 'latencyP90Ms', text: '<1 ms' },
          { service: 'rest', tier: 'high', metric: 'achievedRps', text: '614.5/s' },
          { service: 'grpc', tier: 'high', metric: 'achievedRps', text: '2,275.1/s' },
        ],
      },
    },
    services: services.map((name) => ({
      name,
      title: TITLES[name],
      protocol: name === 'grpc' ? 'grpc' : 'rest',
      environment: name === 'grpc' ? { WORKER_THREADS: '10' } : { WORKERS: '1', WORKER_CLASS: 'gevent' },
    })),
    plan: {
      profile: {
        name: 'default',
        rampScale: 1,
        warmupSeconds: 2,
        measureSeconds: MEASURED_SECONDS,
        saturationSeconds: 8,
        rounds,
      },
      modes: ['open', 'saturate'],
      plannedSeconds: 212,
    },
    spent: { totalSeconds: 231, overheadSeconds: 24 },
    complete: true,
    failures: [],
  };
}
