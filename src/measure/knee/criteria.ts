import * as z from 'zod';
import { listOf } from '../../foundation/schema.ts';
import { HELD_SHARE } from '../../judge/reading/tier-comparison.ts';
import { count, text } from '../../model/fields.ts';
import { MARK_MEANINGS, type Mark } from '../../model/sample/mark.ts';

const share = z.number().nonnegative();

const observationSchema = z.object({
  /** undefined in a closed loop. */
  offeredRps: z.number().positive().optional(),
  /** Requests in flight at most. */
  workers: count,
  measuredSeconds: z.number().nonnegative(),
  requests: count,
  achievedRps: share,
  errorRate: share,
  latencyP50Ms: share.optional(),
  /** undefined with fewer than 100 answers. */
  latencyP99Ms: share.optional(),
  serviceCpuShare: share.optional(),
  loadCpuShare: share.optional(),
  marks: listOf(z.enum(Object.keys(MARK_MEANINGS) as [Mark, ...Mark[]])),
  /** How the service ended unexpectedly, if it did. */
  ended: text.optional(),
});

export type StepObservation = Readonly<z.infer<typeof observationSchema>>;

/** Why a rate was not sustained. `load-tool`: it was at its own limit, which says nothing about the service. */
const reason = z.enum(['ended', 'errors', 'rate', 'p99', 'load-tool']);

export type Reason = z.infer<typeof reason>;

export const stepSchema = observationSchema.extend({
  /**
   * `closed-loop`: for an estimate of the highest rate; `unloaded`: for the latency of a nearly idle service; `rise`: up to the first rate that is
   * not sustained; `between`: halving the gap; `again`: a repeated rate.
   */
  purpose: z.enum(['closed-loop', 'unloaded', 'rise', 'between', 'again']),
  /** `fresh`: the service was started for it. */
  start: z.enum(['fresh', 'same']),
  /** Rate that the search requested; `offeredRps` has whole numbers for each operation. undefined in a closed loop. */
  ratePerSecond: z.number().positive().optional(),
  /** undefined for a closed loop. */
  verdict: z.enum(['held', 'not-held', 'tool-limited', 'none']),
  reasons: listOf(reason),
});

export type Step = Readonly<z.infer<typeof stepSchema>>;

export const criteriaSchema = z.object({
  /** Least share of the offered rate that is answered. */
  heldShare: z.number(),
  /** Highest share of requests that fail. */
  errorShare: z.number(),
  /** The highest p99, if the user says one; else that of the service with little to do, */
  p99Ms: z.number().positive().optional(),
  /** a multiple of it, */
  p99Times: z.number(),
  /** Milliseconds that p99 must also grow by, since ten times very little is still very little. */
  p99LeastMs: z.number(),
  /** Share of the rate that is not sustained: the search ends where the highest sustained one is as near. */
  resolution: z.number(),
});

/** When a rate counts as sustained, and how narrow the gap to the next one has to be. */
export type Criteria = Readonly<z.infer<typeof criteriaSchema>>;

export const USUAL_CRITERIA: Criteria = {
  heldShare: HELD_SHARE,
  errorShare: 0.001,
  p99Times: 10,
  p99LeastMs: 5,
  resolution: 0.05,
};

/** The highest p99 at which a rate counts as sustained, in milliseconds; undefined before the service was seen nearly idle. */
export function p99LimitMs(criteria: Criteria, steps: readonly Step[]): number | undefined {
  if (criteria.p99Ms !== undefined) {
    return criteria.p99Ms;
  }
  const quiet = steps.flatMap(({ purpose, latencyP99Ms }) => (purpose === 'unloaded' ? (latencyP99Ms ?? []) : []));
  return quiet.length === 0 ? undefined : Math.max(criteria.p99LeastMs, criteria.p99Times * Math.min(...quiet));
}

export function judgedStep(
  seen: StepObservation,
  criteria: Criteria,
  limitMs: number | undefined,
): Pick<Step, 'verdict' | 'reasons'> {
  if (seen.offeredRps === undefined) {
    return { verdict: 'none', reasons: [] };
  }
  // For a service that is gone there is nothing else to say.
  if (seen.ended !== undefined) {
    return { verdict: 'not-held', reasons: ['ended'] };
  }
  const reasons = RULES.filter(({ fails }) => fails(seen, criteria, limitMs)).map(({ reason }) => reason);
  if (reasons.length === 0) {
    return { verdict: 'held', reasons };
  }
  // A tool that is late makes answers late; it does not make a service fail.
  const isTool = reasons.includes('load-tool') && !reasons.includes('errors');
  return { verdict: isTool ? 'tool-limited' : 'not-held', reasons };
}

const RULES: readonly {
  readonly reason: Reason;
  readonly fails: (seen: StepObservation, criteria: Criteria, limitMs: number | undefined) => boolean;
}[] = [
  { reason: 'load-tool', fails: ({ marks }) => marks.includes('generator-limited') },
  { reason: 'errors', fails: ({ errorRate }, { errorShare }) => errorRate > errorShare },
  {
    reason: 'p99',
    fails: ({ latencyP99Ms }, _, limitMs) => limitMs !== undefined && (latencyP99Ms ?? 0) > limitMs,
  },
  {
    reason: 'rate',
    // Unsent requests have no latency.
    fails: ({ achievedRps, offeredRps = 0, marks }, { heldShare }) =>
      achievedRps < heldShare * offeredRps || marks.includes('dropped'),
  },
];
