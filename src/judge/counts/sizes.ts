import { ALL_OPERATIONS } from '../../model/metric.ts';
import { ALL_TIERS, type Policy, thresholdOf } from '../../model/policy.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import type { Run, RunInRounds } from '../../model/run/run.ts';
import type { Finding } from '../verdict/finding.ts';
import { ruledFinding } from './ruled.ts';

const METRIC = 'sizeMiB' as const;

const MIB = 2 ** 20;

type BuildSize = NonNullable<RoundsRecord['base']['sizes']>[string];

/** Size of the build of each service, for budgets and histories. */
export function headSizes({ suite, rounds, sizes = rounds?.head.sizes ?? {} }: Run) {
  return Object.entries(sizes).map(([service, { bytes }]) => {
    return { ...nameOf(suite, service), better: 'lower' as const, values: [bytes / MIB] };
  });
}

function nameOf(suite: Pick<Run['suite'], 'name'>, service: string) {
  return { cell: { suite: suite.name, service, operation: ALL_OPERATIONS, tier: ALL_TIERS }, metric: METRIC };
}

/** Services whose build grew or shrank by 1 MiB or more. */
export function judgedSizes({ rounds, suite }: RunInRounds, policy: Policy): readonly Finding[] {
  const changed = Object.entries(rounds.head.sizes ?? {}).flatMap(([service, head]) => {
    const base = rounds.base.sizes?.[service];
    return base === undefined || Math.abs(head.bytes - base.bytes) < MIB ? [] : [{ service, base, head }];
  });
  return changed.map(({ service, base, head }) => {
    const name = nameOf(suite, service);
    const estimate = base.bytes === 0 ? 0 : head.bytes / base.bytes - 1;
    return ruledFinding(name, policy, {
      ...{ base: [base.bytes / MIB], head: [head.bytes / MIB], change: { estimate } },
      verdict: estimate < 0 ? 'improved' : estimate < thresholdOf(policy, name) ? 'slower-within-limit' : 'regressed',
    });
  });
}

/** Layers of a build that are at least 1 MiB larger in head, largest growth first. */
export function grownLayers({ base, head }: RoundsRecord, service: string) {
  const [before, after] = [base, head].map(({ sizes }) => bytesByCommand(sizes?.[service]));
  return [...(after ?? [])]
    .map(([command, bytes]) => ({ command, head: bytes / MIB, base: (before?.get(command) ?? 0) / MIB }))
    .filter((layer) => layer.head - layer.base >= 1)
    .toSorted((left, right) => right.head - right.base - (left.head - left.base));
}

function bytesByCommand({ layers }: Pick<BuildSize, 'layers'> = { layers: [] }): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { command, bytes } of layers) {
    sums.set(command, (sums.get(command) ?? 0) + bytes);
  }
  return sums;
}
