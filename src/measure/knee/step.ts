import { z } from 'zod';
import { listOf } from '../../foundation/list-schema.ts';
import { MARK_MEANINGS } from '../../model/reading-marks.ts';
import type { Mark } from '../../model/sample.ts';

const count = z.number().int().nonnegative();
const share = z.number().nonnegative();

/** What was seen of a service under one load. */
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
  /** How the service ended by itself, where it did. */
  ended: z.string().max(2000).optional(),
});

/** What was seen of a service under one load. */
export type Observation = Readonly<z.infer<typeof observationSchema>>;

/** Why a rate was not held. `load-tool`: it was at its own limit, which says nothing about the service. */
const reason = z.enum(['ended', 'errors', 'rate', 'p99', 'load-tool']);

/** Why a rate was not held. */
export type Reason = z.infer<typeof reason>;

/** One load of a search, and what it says of its rate. */
export const stepSchema = observationSchema.extend({
  /**
   * `closed-loop`: for an estimate of the highest rate; `unloaded`: for the latency of a service that has little to do; `rise`: up to the
   * first rate that is not held; `between`: halving the gap; `again`: a rate that was played before.
   */
  purpose: z.enum(['closed-loop', 'unloaded', 'rise', 'between', 'again']),
  /** Whether the service was started for it. */
  start: z.enum(['fresh', 'same']),
  /** As the search asked for it; `offeredRps` has whole numbers for each operation. undefined in a closed loop. */
  ratePerSecond: z.number().positive().optional(),
  /** Of a closed loop nothing is said. */
  verdict: z.enum(['held', 'not-held', 'tool-limited', 'none']),
  reasons: listOf(reason),
});

/** One load of a search, and what it says of its rate. */
export type Step = Readonly<z.infer<typeof stepSchema>>;
