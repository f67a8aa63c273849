import { ALL_OPERATIONS, formatMetric } from '../../model/metric.ts';
import { ALL_TIERS, isGate, type Policy, thresholdOf } from '../../model/policy.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { AcceptedRegression, Finding } from '../verdict/finding.ts';

const METRIC = 'sizeMiB';

const MIB = 2 ** 20;

type BuildSize = NonNullable<RoundsRecord['base']['sizes']>[string];

/** Services whose build grew or shrank by 1 MiB or more, and which layers did. */
export function judgedSizes(
  { rounds, suite }: RunInRounds,
  policy: Policy,
): { readonly findings: readonly Exclude<Finding, AcceptedRegression>[]; readonly remarks: readonly string[] } {
  const changed = Object.entries(rounds.head.sizes ?? {}).flatMap(([service, head]) => {
    const base = rounds.base.sizes?.[service];
    return base === undefined || Math.abs(head.bytes - base.bytes) < MIB ? [] : [{ service, base, head }];
  });
  return {
    findings: changed.map(({ service, base, head }) => {
      const name = { cell: { suite: suite.name, service, operation: ALL_OPERATIONS, tier: ALL_TIERS }, metric: METRIC };
      const threshold = thresholdOf(policy, name);
      const estimate = base.bytes === 0 ? 0 : head.bytes / base.bytes - 1;
      return {
        ...name,
        better: 'lower',
        family: isGate(policy, name, true) ? 'gate' : 'watch',
        ...{ base: base.bytes / MIB, head: head.bytes / MIB, change: { estimate }, threshold },
        ...{ noise: { level: 'low', sd: 0 }, rounds: 1, adjustedP: estimate > 0 ? 0 : 1 },
        verdict: estimate < 0 ? 'improved' : estimate < threshold ? 'slower-within-limit' : 'regressed',
      };
    }),
    remarks: changed.flatMap(({ service, base, head }) =>
      grownLayers(base, head).map((words) => `${service}: ${words}.`),
    ),
  };
}

/** Layers that grew most. */
const MOST_LAYERS = 3;

function grownLayers(base: BuildSize, head: BuildSize): readonly string[] {
  const [before, after] = [base, head].map(bytesByCommand);
  return [...(after ?? [])]
    .map(([command, bytes]) => ({ command, bytes, was: before?.get(command) ?? 0 }))
    .filter(({ bytes, was }) => bytes - was >= MIB)
    .toSorted((left, right) => right.bytes - right.was - (left.bytes - left.was))
    .slice(0, MOST_LAYERS)
    .map(({ command, bytes, was }) => {
      const [from, to] = [was, bytes].map((one) => formatMetric(METRIC, one / MIB));
      return `the layer \`${command.replaceAll('`', "'")}\` has ${was === 0 ? `${to}, and is new` : `${from} → ${to}`}`;
    });
}

function bytesByCommand({ layers }: BuildSize): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { command, bytes } of layers) {
    sums.set(command, (sums.get(command) ?? 0) + bytes);
  }
  return sums;
}
