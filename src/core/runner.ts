/** What machine a run was measured on: whatever of it can move a number. */
export interface RunnerFingerprint {
  readonly cpuModel: string;
  readonly cores: number;
  readonly memoryMiB: number;
  readonly platform: string;
  readonly kernel: string;
  readonly node: string;
  readonly cgroup: 'v1' | 'v2' | 'none';
  readonly engine?: string | undefined;
  /** Cores that the service and the load tool were kept to. */
  readonly serviceCore: number;
  readonly loadCore: number;
}

/** The runner class that baselines are kept by, for example "linux-x64-2core". */
export function runnerClass(runner: RunnerFingerprint): string {
  return `${runner.platform}-${runner.cores}core`;
}
