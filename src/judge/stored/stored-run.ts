import { median } from '../../foundation/statistics.ts';
import type { MetricName } from '../../model/metric.ts';
import type { Run } from '../../model/run/run.ts';
import type { RunnerFingerprint } from '../../model/runner.ts';
import type { StoredRun, Stratum } from './baseline.ts';
import { type MeasuredCell, measuredCells } from './measured-cells.ts';

/** Digits that a stored value keeps: more than any measurement has. */
const DIGITS = 5;

/** A run as a baseline keeps it: medians over its rounds, without the cells that say nothing of the service. */
export function storedRunOf(run: Run, note: string): StoredRun {
  const cells = measuredCells(run).filter(({ spoiled }) => spoiled === undefined);
  const controlMs = controlMsOf(run);
  return {
    startedAt: run.startedAt,
    ...(run.commit.head !== undefined && { commit: run.commit.head }),
    dirty: run.commit.dirty,
    stratum: stratumOf(run.runner),
    configuration: configurationOf(run),
    ...(controlMs !== undefined && { controlMs: rounded(controlMs) }),
    rounds: cells.reduce((fewest, { rounds }) => Math.min(fewest, rounds), cells[0]?.rounds ?? 1),
    note,
    suspicious: [],
    cells: Object.fromEntries(cells.map((cell) => [placeOf(cell.cell), roundedValues(cell)])),
  };
}

/** The kind of machine: CPU model, number of CPUs, and the kernel's first number. */
export function stratumOf({
  cpuModel,
  cores,
  kernel,
}: Pick<RunnerFingerprint, 'cpuModel' | 'cores' | 'kernel'>): Stratum {
  return { cpuModel, cores, kernelMajor: kernel.split('.')[0] ?? kernel };
}

/** What was measured and how. The load tools belong to it, since another version of one moves every figure. */
export function configurationOf({ runtime, plan, rounds, configHash, tools }: Run): StoredRun['configuration'] {
  return {
    runtime: runtime.name,
    profile: rounds === undefined ? plan.profile.name : `${rounds.profile.name}, ${rounds.interleave}`,
    configHash,
    tools: toolsText(tools),
  };
}

/** Tools and their versions in one text, always in the same order. */
export function toolsText(tools: Run['tools']): string {
  return Object.entries(tools)
    .map(([tool, version]) => `${tool} ${version}`)
    .sort()
    .join(', ');
}

/** Whether two runs are of the same kind of machine. */
export function isSameStratum(one: Stratum, other: Stratum): boolean {
  return one.cpuModel === other.cpuModel && one.cores === other.cores && one.kernelMajor === other.kernelMajor;
}

/** Whether two runs measured the same in the same way. */
export function isSameConfiguration(one: StoredRun['configuration'], other: StoredRun['configuration']): boolean {
  return (
    one.runtime === other.runtime &&
    one.profile === other.profile &&
    one.configHash === other.configHash &&
    one.tools === other.tools
  );
}

/** The time of the fixed CPU loop, as the median over the kept rounds; undefined where there was none. */
export function controlMsOf({ rounds }: Run): number | undefined {
  const kept = rounds?.rounds.filter(({ outcome }) => outcome === 'kept') ?? [];
  return median(kept.flatMap(({ controlMs }) => (controlMs === undefined ? [] : [controlMs.before, controlMs.after])));
}

/** Names a cell within a baseline, which is of one suite. */
export function placeOf({ service, operation, tier }: MeasuredCell['cell']): string {
  return `${service}/${operation}/${tier}`;
}

function roundedValues({ values }: MeasuredCell): Partial<Record<MetricName, number>> {
  return Object.fromEntries(Object.entries(values).map(([metric, value]) => [metric, rounded(value)]));
}

/** The value with as many digits as are stored. */
export function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
