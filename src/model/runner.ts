import * as z from 'zod';
import { count, text } from './fields.ts';

export const runnerSchema = z.object({
  cpuModel: text,
  cores: count,
  memoryMiB: count,
  platform: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,80}$/, 'a platform has 1 to 80 letters, digits, dots, dashes or underscores'),
  kernel: text,
  node: text,
  cgroup: z.enum(['v1', 'v2', 'none']),
  engine: text.optional(),
  /** For a GitHub runner: system and version, for example "ubuntu24-20261101.1". Untrusted text. */
  image: text.optional(),
  /** Cores for the service and the load tool; undefined in a cluster, where pods share the cores of a node. */
  serviceCore: count.optional(),
  loadCore: count.optional(),
  /** In a cluster, the median time of a TCP connection from the farthest load generator to the node of the services. */
  rttMs: z.number().nonnegative().optional(),
});

/** Machine of a run: everything that can affect results. */
export type RunnerFingerprint = Readonly<z.infer<typeof runnerSchema>>;

export function runnerClass(runner: RunnerFingerprint): string {
  return `${runner.platform}-${runner.cores}core`;
}

/** Counters at one moment; two readings differ by the use in between. */
export interface Reading {
  readonly atMs: number;
  /** Fields are undefined if they cannot be read for a service that was not started from here. */
  readonly service: {
    readonly cpuSeconds: number | undefined;
    readonly memoryMiB: number | undefined;
    readonly peakMemoryMiB: number | undefined;
    /** Bytes of packets into and out of the service since the start, together: loopback does not distinguish them. */
    readonly wireBytes: number | undefined;
  };
  /** CPU time of the load tool, or of the busiest of several load generators. */
  readonly loadCpuSeconds: number;
  /** CPU time of all needs together; undefined without needs. */
  readonly needsCpuSeconds?: number | undefined;
  /** Only for a service with several programs: each by name, including the entry. The service's own counters cover all together. */
  readonly members?: Readonly<Record<string, MemberCounters>> | undefined;
  readonly host: {
    /** CPU time of the whole machine that was not idle, over all cores, without steal. */
    readonly busySeconds: number;
    readonly stealSeconds: number;
    /** Time in which some task waited for a CPU; undefined if the kernel does not report it. */
    readonly cpuPressureSeconds: number | undefined;
    /** Connections refused by a full queue, in the service's network. */
    readonly listenOverflows: number;
    readonly timeWaitSockets: number;
  };
}

export interface MemberCounters {
  readonly cpuSeconds: number;
  readonly peakMemoryMiB: number;
  /** Bytes from and to other programs; for the entry without those of the load tool. Undefined if they cannot be distinguished. */
  readonly receivedBytes?: number | undefined;
  readonly sentBytes?: number | undefined;
}
