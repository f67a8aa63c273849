import { median } from '../../foundation/statistics.ts';
import type { CellKey, MetricName } from '../../model/metric.ts';
import { presentProfileName } from '../../model/profiles.ts';
import { isInRounds } from '../../model/run/comparison.ts';
import type { KeptCounts } from '../../model/run/kept-counts.ts';
import type { Run } from '../../model/run/run.ts';
import type { RunnerFingerprint } from '../../model/runner.ts';

export interface StoredRun {
  readonly startedAt: string;
  readonly commit?: string | undefined;
  /** Kind of machine that a run was measured on: figures of two kinds have different levels. */
  readonly dirty: boolean;
  readonly stratum: Stratum;
  /** Measured configuration: figures of different ones are never compared. */
  readonly configuration: {
    readonly runtime: string;
    readonly profile: string;
    readonly configHash: string;
    readonly tools: string;
  };
  /** Median time of the fixed CPU loop; absent if the run had none. */
  readonly controlMs?: number | undefined;
  /** Kind of machine: CPU model, number of CPUs, and major version of the kernel. */
  readonly rounds: number;
  readonly note: string;
  /** Comparisons that were suspicious against the runs before; these values do not count as past, unless a new level begins with them. */
  readonly suspicious: readonly string[];
  /** By "service/operation/tier". */
  readonly cells: Readonly<Record<string, Readonly<Partial<Record<MetricName, number>>>>>;
  readonly counts?: readonly KeptCounts[] | undefined;
}

/** Kind of machine that a run was measured on: figures of two kinds have different levels. */
export interface Stratum {
  readonly cpuModel: string;
  readonly cores: number;
  readonly kernelMajor: string;
}

/** Stored runs of one suite, in order of time. */
export interface Baseline {
  readonly suite: string;
  readonly runs: readonly StoredRun[];
}

/** The same with each run once, in order of time, and only the newest 60. */
export function ordered(baseline: Baseline): Baseline {
  const once = new Map(baseline.runs.map((run) => [`${run.startedAt} ${run.commit ?? ''}`, run]));
  const runs = [...once.values()].sort((left, right) => Date.parse(left.startedAt) - Date.parse(right.startedAt));
  return { ...baseline, runs: runs.slice(-60) };
}

/** The kind of machine: CPU model, number of CPUs, and the kernel's first number. */
export function stratumOf({
  cpuModel,
  cores,
  kernel,
}: Pick<RunnerFingerprint, 'cpuModel' | 'cores' | 'kernel'>): Stratum {
  return { cpuModel, cores, kernelMajor: kernel.split('.')[0] ?? kernel };
}

/** Measured configuration. It includes the load tools, since another version shifts every figure. */
export function configurationOf(run: Run): StoredRun['configuration'] {
  return {
    runtime: run.runtime.name,
    profile: isInRounds(run) ? `${run.rounds.profile.name}, ${run.rounds.interleave}` : run.plan.profile.name,
    configHash: run.configHash,
    tools: toolsText(run.tools),
  };
}

/** Tools and their versions in one text, always in the same order. */
export function toolsText(tools: Run['tools']): string {
  return Object.entries(tools)
    .map(([tool, version]) => `${tool} ${version}`)
    .sort()
    .join(', ');
}

export function isSameStratum(one: Stratum, other: Stratum): boolean {
  return one.cpuModel === other.cpuModel && one.cores === other.cores && one.kernelMajor === other.kernelMajor;
}

export function isSameConfiguration(one: StoredRun['configuration'], other: StoredRun['configuration']): boolean {
  return (
    one.runtime === other.runtime &&
    presentProfileName(one.profile) === presentProfileName(other.profile) &&
    one.configHash === other.configHash &&
    one.tools === other.tools
  );
}

/** Time of the fixed CPU loop, as the median over the kept rounds; undefined if there was none. */
export function controlMsOf(run: Run): number | undefined {
  const kept = isInRounds(run) ? run.rounds.rounds.filter(({ outcome }) => outcome === 'kept') : [];
  return median(kept.flatMap(({ controlMs }) => (controlMs === undefined ? [] : [controlMs.before, controlMs.after])));
}

/** Key of a cell within a baseline, which belongs to one suite. */
export function placeOf({ service, operation, tier }: Omit<CellKey, 'suite'>): string {
  return `${service}/${operation}/${tier}`;
}

/** True if a stored cell only has its error rate: its other figures did not measure its service. */
export function isErrorsOnly(values: StoredRun['cells'][string]): boolean {
  return Object.keys(values).every((metric) => metric === 'errorRate');
}

/** Value with five digits: more than any measurement has. */
export function rounded(value: number): number {
  return Number(value.toPrecision(5));
}
