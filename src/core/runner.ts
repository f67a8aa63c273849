import { z } from 'zod';

const count = z.number().int().nonnegative();
const text = z.string().max(2000);

/** The layout of a runner in a file. */
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
  serviceCore: count,
  loadCore: count,
});

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
