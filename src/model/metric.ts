/** Every metric that a sample can carry. A new metric is one more row. */
export const METRICS = {
  latencyMeanMs: { title: 'mean latency', unit: 'ms', better: 'lower' },
  latencyP50Ms: { title: 'p50 latency', unit: 'ms', better: 'lower' },
  latencyP90Ms: { title: 'p90 latency', unit: 'ms', better: 'lower' },
  latencyP95Ms: { title: 'p95 latency', unit: 'ms', better: 'lower' },
  latencyP99Ms: { title: 'p99 latency', unit: 'ms', better: 'lower' },
  latencyP999Ms: { title: 'p99.9 latency', unit: 'ms', better: 'lower' },
  latencyMinMs: { title: 'min latency', unit: 'ms', better: 'lower' },
  latencyMaxMs: { title: 'max latency', unit: 'ms', better: 'lower' },
  latencySdMs: { title: 'standard deviation of latency', unit: 'ms', better: 'lower' },
  recordedP50Ms: { title: 'p50 as the load tool recorded it', unit: 'ms', better: 'lower' },
  recordedP99Ms: { title: 'p99 as the load tool recorded it', unit: 'ms', better: 'lower' },
  lagP99Ms: { title: 'p99 of sending late', unit: 'ms', better: 'lower' },
  lagMaxMs: { title: 'longest sending late', unit: 'ms', better: 'lower' },
  achievedRps: { title: 'achieved rate', unit: '1/s', better: 'higher' },
  errorRate: { title: 'error rate', unit: 'share', better: 'lower' },
  cpuMicrosPerRequest: { title: 'service CPU time per request', unit: 'µs', better: 'lower' },
  serviceCpuShare: { title: "share of the service's core in use", unit: 'share', better: 'lower' },
  loadCpuShare: { title: "share of the load tool's core in use", unit: 'share', better: 'lower' },
  peakMemoryMiB: { title: 'peak memory of the service', unit: 'MiB', better: 'lower' },
  wireBytesPerRequest: { title: 'bytes on the wire per request, both ways', unit: 'B', better: 'lower' },
} as const satisfies Record<string, Metric>;

export interface Metric {
  readonly title: string;
  readonly unit: 'ms' | '1/s' | 'share' | 'µs' | 'MiB' | 'B';
  readonly better: 'lower' | 'higher';
}

export type MetricName = keyof typeof METRICS;

/** The names of all metrics, in the order in which reports show them. */
export const METRIC_NAMES = Object.keys(METRICS) as readonly MetricName[];
