import { SIDES } from '../../model/fields.ts';
import { ALL_OPERATIONS } from '../../model/metric.ts';
import { ALL_TIERS, type Policy, thresholdOf } from '../../model/policy.ts';
import type { CallsStart } from '../../model/run/calls.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { Finding, HeadReading } from '../verdict/finding.ts';
import { ruledFinding, type StartFigure } from './ruled.ts';

const METRIC = 'allocatedBytesPerRequest';

/** Starts of each version that a difference requires. */
const FEWEST_STARTS = 2;

/** Starts of one version have differed by 0.2 to 2%. */
const CLEAR = 0.03;

/** Figures of each service that were read in both versions. */
export function allocatedFigures(
  { name: suite }: { readonly name: string },
  starts: readonly CallsStart[],
): readonly StartFigure[] {
  return [...new Set(starts.map(({ service }) => service))].flatMap((service) => {
    const [base, head] = SIDES.map((side) =>
      starts.filter((one) => one.service === service && one.side === side).flatMap(({ allocated }) => allocated ?? []),
    );
    const cell = { suite, service, operation: ALL_OPERATIONS, tier: ALL_TIERS };
    return base?.[0] === undefined || head?.[0] === undefined ? [] : [{ cell, base, head }];
  });
}

/** True if versions differ by more than the starts of one version usually do. */
export function differsClearly(figure: StartFigure): boolean {
  const { low, high } = rangeOf(figure);
  return low > CLEAR || high < -CLEAR;
}

/** Lowest and highest change among all pairs of starts. */
function rangeOf({ base, head }: StartFigure) {
  return { low: Math.min(...head) / Math.max(...base) - 1, high: Math.max(...head) / Math.min(...base) - 1 };
}

export function allocatedReadings({ suite, calls }: RunInRounds): readonly HeadReading[] {
  return allocatedFigures(suite, calls?.starts ?? []).map(({ cell, head }) => {
    return { cell, metric: METRIC, better: 'lower', values: head };
  });
}

/** Findings: a regression if each start of head allocates more than each start of base, by the threshold, in at least two starts. */
export function judgedAllocated(run: RunInRounds, policy: Policy): readonly Finding[] {
  return allocatedFigures(run.suite, run.calls?.starts ?? []).map((figure) => {
    const { cell, base, head } = figure;
    const name = { cell, metric: METRIC };
    const change = rangeOf(figure);
    const verdict = verdictOf(change, thresholdOf(policy, name), Math.min(base.length, head.length));
    return ruledFinding(name, policy, { base, head, change, verdict });
  });
}

function verdictOf({ low, high }: ReturnType<typeof rangeOf>, threshold: number, starts: number) {
  if (starts >= FEWEST_STARTS && low > CLEAR) {
    return low >= threshold ? 'regressed' : 'slower-within-limit';
  }
  const least = Math.max(threshold, CLEAR);
  if (starts >= FEWEST_STARTS && high <= -least) {
    return 'improved';
  }
  return high < least ? 'unchanged' : 'inconclusive';
}
