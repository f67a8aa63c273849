/** Counters at one moment; the difference of two readings is what happened in between. */
export interface Reading {
  /** Unix time. */
  readonly atMs: number;
  readonly service: ServiceCounters;
  readonly loadCpuSeconds: number;
  /** Of what the service needs, all together; undefined where it needs nothing. */
  readonly needsCpuSeconds?: number | undefined;
  readonly host: HostCounters;
}

/** Undefined is what cannot be seen of a service that was not started from here. */
export interface ServiceCounters {
  readonly cpuSeconds: number | undefined;
  readonly memoryMiB: number | undefined;
  readonly peakMemoryMiB: number | undefined;
  /** Bytes of packets into and out of the service since the start, together: loopback does not tell them apart. */
  readonly wireBytes: number | undefined;
}

export interface HostCounters {
  /** CPU time of the whole machine that was not idle, over all cores, without steal. */
  readonly busySeconds: number;
  readonly stealSeconds: number;
  /** Time in which some task waited for a CPU; undefined where the kernel does not tell. */
  readonly cpuPressureSeconds: number | undefined;
  /** Of the network that the service listens in. */
  readonly listenOverflows: number;
  readonly timeWaitSockets: number;
}
