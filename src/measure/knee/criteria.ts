import * as z from 'zod';
import { listOf } from '../../foundation/schema.ts';
import { HELD_SHARE } from '../../judge/reading/tier-comparison.ts';
import { count, text } from '../../model/fields.ts';
import { MARK_MEANINGS, type Mark } from '../../model/sample/mark.ts';

const share = z.number().nonnegative();

const observationSchema = z.object({
  /** Undefined in a closed loop. */
  offeredRps: z.number().positive().optional(),
  /** Maximum number of requests in flight. */
  workers: count,
  measuredSeconds: z.number().nonnegative(),
  requests: count,
  achievedRps: share,
  errorRate: share,
  latencyP50Ms: share.optional(),
  /** Undefined with fewer than 100 responses. */
  latencyP99Ms: share.optional(),
  serviceCpuShare: share.optional(),
  loadCpuShare: share.optional(),
  marks: listOf(z.enum(Object.keys(MARK_MEANINGS) as [Mark, ...Mark[]])),
  /** Unexpected end of the service, if any. */
  ended: text.optional(),
});

export type StepObservation = Readonly<z.infer<typeof observationSchema>>;

/** Reason that a rate was not sustained. `load-tool`: it was at its own limit, which shows nothing about the service. */
const reason = z.enum(['ended', 'errors', 'rate', 'p99', 'load-tool']);

export type Reason = z.infer<typeof reason>;

export const stepSchema = observationSchema.extend({
  /**
   * `closed-loop`: estimates the highest rate; `unloaded`: measures the latency of a nearly idle service; `rise`: up to the first rate that is not
   * sustained; `between`: halves the gap; `again`: repeats a rate.
   */
  purpose: z.enum(['closed-loop', 'unloaded', 'rise', 'between', 'again']),
  /** `fresh`: started for this step. */
  start: z.enum(['fresh', 'same']),
  /** Rate that the search requested; `offeredRps` has whole numbers for each operation. Undefined in a closed loop. */
  ratePerSecond: z.number().positive().optional(),
  /** Undefined for a closed loop. */
  verdict: z.enum(['held', 'not-held', 'tool-limited', 'none']),
  reasons: listOf(reason),
});

export type Step = Readonly<z.infer<typeof stepSchema>>;

export const criteriaSchema = z.object({
  /** Smallest achieved share of the offered rate. */
  heldShare: z.number(),
  /** Largest share of failed requests. */
  errorShare: z.number(),
  /** Highest p99 set by the user; by default that of the nearly idle service, */
  p99Ms: z.number().positive().optional(),
  /** times this factor, */
  p99Times: z.number(),
  /** and at least this many milliseconds more, since ten times very little is still very little. */
  p99LeastMs: z.number(),
  /** Relative gap between the highest sustained rate and the lowest that is not, at which the search ends. */
  resolution: z.number(),
});

/** Criteria for a sustained rate, and for the gap to the next one. */
export type Criteria = Readonly<z.infer<typeof criteriaSchema>>;

export const USUAL_CRITERIA: Criteria = {
  heldShare: HELD_SHARE,
  errorShare: 0.001,
  p99Times: 10,
  p99LeastMs: 5,
  resolution: 0.05,
};

/** Highest p99 at which a rate counts as sustained, in milliseconds; undefined before the nearly idle service was measured. */
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
  // An ended service has no other reasons.
  if (seen.ended !== undefined) {
    return { verdict: 'not-held', reasons: ['ended'] };
  }
  const reasons = RULES.filter(({ fails }) => fails(seen, criteria, limitMs)).map(({ reason }) => reason);
  if (reasons.length === 0) {
    return { verdict: 'held', reasons };
  }
  // A late tool makes responses late; it does not make a service fail.
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
