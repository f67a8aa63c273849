import { median } from '../../foundation/statistics.ts';
import { isGate, type Policy, thresholdOf } from '../../model/policy.ts';
import { type Finding, noiseFrom } from '../verdict/finding.ts';

export interface StartFigure extends Pick<Finding, 'cell'> {
  readonly base: readonly number[];
  readonly head: readonly number[];
}

interface Ruled extends Pick<StartFigure, 'base' | 'head'>, Pick<Finding, 'verdict'> {
  /** Default: the relative difference of the medians. */
  readonly change?: Partial<Finding['change']>;
  /** Noise; 0 if exact. */
  readonly sd?: number;
}

/** Finding of a figure with its own rule, for which lower is better. Without a clear result it cannot fail a pull request. */
export function ruledFinding(
  name: Pick<Finding, 'cell' | 'metric'>,
  policy: Policy,
  { verdict, sd = 0, change, ...values }: Ruled,
): Finding {
  const [base, head] = [median(values.base) ?? 0, median(values.head) ?? 0];
  const family = isGate(policy, name, true) ? 'gate' : 'watch';
  const isOpen = verdict === 'inconclusive';
  const isWorse = verdict === 'regressed' || verdict === 'slower-within-limit';
  return {
    ...{ ...name, better: 'lower', family: isOpen ? 'watch' : family, base, head },
    change: { estimate: head / base - 1, ...change },
    rounds: Math.min(values.base.length, values.head.length),
    threshold: thresholdOf(policy, name),
    ...{ noise: noiseFrom(sd), adjustedP: isWorse ? 0 : 1, verdict },
    ...(isOpen && { reason: family === 'gate' ? 'not-seen' : 'too-noisy' }),
  };
}
