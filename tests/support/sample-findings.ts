import type { Finding } from '../../src/judge/verdict/finding.ts';
import type { Acceptance } from '../../src/model/policy.ts';

/** The place of a made-up comparison; everything that is left out is REST's CPU time per request at saturation. */
export interface Place {
  readonly service?: string;
  readonly operation?: string;
  readonly tier?: string;
}

/** A cell of the made-up runs' suite. */
export function cellAt({ service = 'rest', operation = 'all', tier = 'saturation' }: Place = {}) {
  return { suite: 'users', service, operation, tier };
}

/** A comparison that shows no change; `change` says what differs. */
export function finding(change: Partial<Finding> = {}, place: Place = {}): Finding {
  return {
    cell: cellAt(place),
    metric: 'cpuMicrosPerRequest',
    better: 'lower',
    family: 'gate',
    verdict: 'unchanged',
    base: 211,
    head: 212,
    change: { estimate: 0.004, low: -0.008, high: 0.016 },
    threshold: 0.03,
    noise: { level: 'low', sd: 0.019 },
    detectable: 0.034,
    rounds: 10,
    adjustedP: 0.8,
    ...change,
  };
}

const ACCEPTANCE: Acceptance = {
  metric: 'cpuMicrosPerRequest',
  upTo: 0.08,
  until: '2026-12-24',
  why: 'Every answer is signed now.',
};

const REGRESSED = {
  verdict: 'regressed',
  head: 224,
  change: { estimate: 0.061, low: 0.052, high: 0.07 },
  adjustedP: 0.001,
} as const;

/** One finding of each kind, all of REST's CPU time per request at saturation. */
export const FINDINGS = {
  regressed: finding(REGRESSED),
  accepted: finding({ ...REGRESSED, accepted: ACCEPTANCE }),
  'slower-within-limit': finding({
    verdict: 'slower-within-limit',
    head: 215,
    change: { estimate: 0.019, low: 0.012, high: 0.027 },
    adjustedP: 0.004,
  }),
  unchanged: finding(),
  improved: finding({ verdict: 'improved', head: 198, change: { estimate: -0.062, low: -0.071, high: -0.05 } }),
  inconclusive: finding(
    {
      metric: 'latencyP95Ms',
      verdict: 'inconclusive',
      reason: 'too-noisy',
      base: 4.1,
      head: 4.4,
      change: { estimate: 0.062, low: -0.031, high: 0.164 },
      threshold: 0.1,
      noise: { level: 'high', sd: 0.11 },
      detectable: 0.21,
      moreRounds: 12,
      adjustedP: 0.3,
    },
    { tier: 'high' },
  ),
  'too few rounds': finding({
    verdict: 'inconclusive',
    reason: 'too-few-rounds',
    change: { estimate: 0.004 },
    moreRounds: undefined,
    detectable: undefined,
    rounds: 5,
    adjustedP: 1,
  }),
} as const satisfies Record<Finding['verdict'] | string, Finding>;

const OPERATIONS = ['all', 'GetUser', 'ListUsers'];
const TIERS = ['low', 'medium', 'high'];
const SATURATED = [
  { metric: 'cpuMicrosPerRequest', better: 'lower' },
  { metric: 'achievedRps', better: 'higher' },
  { metric: 'latencyP50Ms', better: 'lower' },
] as const;

/** So many comparisons as a full run of both services has, of all verdicts and both families. */
export function wideFindings(count: number): readonly Finding[] {
  const places = ['rest', 'grpc'].flatMap((service) => [
    ...SATURATED.map((signal) => ({
      ...signal,
      service,
      operation: 'all',
      tier: 'saturation',
      family: 'gate' as const,
    })),
    ...TIERS.flatMap((tier) =>
      OPERATIONS.flatMap((operation) =>
        (['latencyP50Ms', 'latencyP95Ms', 'latencyP99Ms'] as const).map((metric) => ({
          metric,
          better: 'lower' as const,
          service,
          operation,
          tier,
          family: metric === 'latencyP99Ms' ? ('watch' as const) : ('gate' as const),
        })),
      ),
    ),
  ]);
  return places.slice(0, count).map(({ service, operation, tier, ...signal }, index) => {
    const half = 0.01 + (index % 7) * 0.012;
    const estimate = ((index % 9) - 4) * 0.008;
    const said: Pick<Finding, 'verdict' | 'reason' | 'moreRounds'> =
      half > 0.06 ? { verdict: 'inconclusive', reason: 'too-noisy', moreRounds: 14 } : { verdict: 'unchanged' };
    return finding(
      {
        ...signal,
        ...said,
        base: signal.metric === 'achievedRps' ? 4490 : 1.2,
        head: signal.metric === 'achievedRps' ? 4490 * (1 + estimate) : 1.2 * (1 + estimate),
        change: { estimate, low: estimate - half, high: estimate + half },
        threshold: signal.metric === 'latencyP95Ms' ? 0.1 : 0.05,
        noise: { level: half > 0.06 ? 'high' : half > 0.03 ? 'medium' : 'low', sd: half },
        detectable: 0.02 + 2 * half,
      },
      { service, operation, tier },
    );
  });
}
