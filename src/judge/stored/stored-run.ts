import { median } from '../../foundation/statistics.ts';
import type { MetricName } from '../../model/metric.ts';
import { presentProfileName } from '../../model/profiles.ts';
import { isInRounds } from '../../model/run/comparison.ts';
import type { KeptCounts } from '../../model/run/kept-counts.ts';
import type { Run } from '../../model/run/run.ts';
import type { RunnerFingerprint } from '../../model/runner.ts';

export interface StoredRun {
  readonly startedAt: string;
  readonly commit?: string | undefined;
  /** True if files had been changed since the commit. */
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

/** Each run once, in order of time, and only the newest 60. */
export function ordered(runs: readonly StoredRun[]): readonly StoredRun[] {
  const once = new Map(runs.map((run) => [`${run.startedAt} ${run.commit ?? ''}`, run]));
  return [...once.values()].sort((left, right) => Date.parse(left.startedAt) - Date.parse(right.startedAt)).slice(-60);
}

type Machine = Pick<RunnerFingerprint, 'cpuModel' | 'cores' | 'kernel'>;

export function stratumOf({ cpuModel, cores, kernel }: Machine): Stratum {
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

/** One difference between a run and a stored one. */
export interface Unlike {
  readonly what: string;
  readonly here: string;
  readonly stored: string;
}

type Configuration = StoredRun['configuration'];

export function configurationDifferences(here: Configuration, stored: Configuration): readonly Unlike[] {
  return unlike({
    runtime: [here.runtime, stored.runtime],
    profile: [presentProfileName(here.profile), presentProfileName(stored.profile)],
    'configuration of the suite': [here.configHash, stored.configHash],
    'load tools': [here.tools, stored.tools],
  });
}

export function machineDifferences(here: Stratum, stored: Stratum): readonly Unlike[] {
  return unlike({
    'CPU model': [here.cpuModel, stored.cpuModel],
    'CPU cores': [String(here.cores), String(stored.cores)],
    kernel: [here.kernelMajor, stored.kernelMajor],
  });
}

function unlike(pairs: Readonly<Record<string, readonly [here: string, stored: string]>>): readonly Unlike[] {
  return Object.entries(pairs).flatMap(([what, [here, stored]]) => (here === stored ? [] : [{ what, here, stored }]));
}

export function isSameStratum(one: Stratum, other: Stratum): boolean {
  return machineDifferences(one, other).length === 0;
}

/** Time of the fixed CPU loop, as the median over the kept rounds; undefined if there was none. */
export function controlMsOf(run: Run): number | undefined {
  const kept = isInRounds(run) ? run.rounds.rounds.filter(({ outcome }) => outcome === 'kept') : [];
  return median(kept.flatMap(({ controlMs }) => (controlMs === undefined ? [] : [controlMs.before, controlMs.after])));
}

/** True if a stored cell only has its error rate: its other figures did not measure its service. */
export function isErrorsOnly(values: StoredRun['cells'][string]): boolean {
  return Object.keys(values).every((metric) => metric === 'errorRate');
}

/** Value with five digits: more than any measurement has. */
export function rounded(value: number): number {
  return Number(value.toPrecision(5));
}
