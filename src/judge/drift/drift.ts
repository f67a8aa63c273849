import { ALL_OPERATIONS } from '../../model/metric.ts';
import { isAbout, type Policy } from '../../model/policy.ts';
import type { AnchoredRatio, AnchorRecord } from '../../model/run/anchor.ts';
import { type AnswerBy, type Finding, type KnownChange, limitAnswer, worseness } from '../verdict/finding.ts';

/**
 * Drift of the head of an anchored comparison from the anchor, by metric of each service, all operations together. If the base is a later commit than
 * the anchor, the ratio of head and base is multiplied by that of base and anchor. Without either ratio there is no drift.
 */
export function driftAnswers(
  findings: readonly Finding[],
  anchor: AnchorRecord,
  policy: Pick<Policy, 'drift' | 'proof'>,
): readonly AnswerBy<'drift'>[] {
  return findings.flatMap((finding) => {
    const own = ratioOf(finding);
    const link = anchor.through === undefined ? undefined : ratioFor(finding, anchor.through.ratios);
    if (own === undefined || (anchor.through !== undefined && link === undefined)) {
      return [];
    }
    const { cell, metric, better } = finding;
    const ratio = link === undefined ? own : chained(link, own);
    const change = changeOfRatio(ratio);
    const limit = policy.drift.findLast((line) => isAbout(line, finding))?.limit;
    const best = better === 'lower' ? change.low : change.high;
    // Significantly worse than the anchor; by the strict proof, the whole interval exceeds the limit.
    const isOver =
      limit !== undefined &&
      worseness(finding, change.estimate) >= limit &&
      worseness(finding, best) > (policy.proof === 'strict' ? limit : 0);
    return limitAnswer('drift', { cell, metric, better, change, ratio, limit }, isOver);
  });
}

/** Two successive ratios: they multiply, and the half intervals of their logarithms add in quadrature, since they were measured independently. */
export function chained(first: AnchoredRatio, second: AnchoredRatio): AnchoredRatio {
  return { ...second, ratio: first.ratio * second.ratio, spread: Math.hypot(first.spread, second.spread) };
}

export function changeOfRatio({ ratio, spread }: Pick<AnchoredRatio, 'ratio' | 'spread'>): KnownChange {
  const change = (logarithm: number) => Math.expm1(Math.log(ratio) + logarithm);
  return { estimate: ratio - 1, low: change(-spread), high: change(spread) };
}

/** Ratio of head and base in a finding; undefined for single operations, and without an interval. */
export function ratioOf({ cell, metric, change }: Finding): AnchoredRatio | undefined {
  const { estimate, low, high } = change;
  const { service, operation, tier } = cell;
  const isKnown = low !== undefined && high !== undefined && low > -1 && estimate > -1;
  if (operation !== ALL_OPERATIONS || !isKnown) {
    return undefined;
  }
  const spread = (Math.log1p(high) - Math.log1p(low)) / 2;
  return { service, operation, tier, metric, ratio: 1 + estimate, spread };
}

export function ratioFor(
  { cell, metric }: Pick<Finding, 'cell' | 'metric'>,
  ratios: readonly AnchoredRatio[],
): AnchoredRatio | undefined {
  const { service, operation, tier } = cell;
  return ratios.find(
    (one) => one.metric === metric && one.service === service && one.operation === operation && one.tier === tier,
  );
}

/** Policy of an anchored comparison: its rows fail nothing, since most of the change since the release is not new. */
export function anchoredPolicy(policy: Policy): Policy {
  const { thresholds, drift, alpha, floor, proof } = policy;
  const silenced = [...thresholds.filter(({ threshold }) => threshold !== undefined), { gate: false }];
  return {
    alpha,
    floor,
    proof,
    drift,
    inconclusive: 'pass',
    answers: 'ignore',
    thresholds: silenced,
    budgets: [],
    accepted: [],
  };
}
