import * as z from 'zod';
import { listOf } from '../../foundation/schema.ts';
import { type Step, stepSchema } from './criteria.ts';
import { AGREEING, betweenRate, isToolsOnly, type RateLevel, rateLevels, type Search } from './next-step.ts';

const count = z.number().int().nonnegative();

const endSchema = z.object({
  offeredRps: z.number(),
  achievedRps: z.number(),
  errorRate: z.number(),
  /** Highest of a sustained rate, lowest of another. */
  latencyP99Ms: z.number().optional(),
  reasons: stepSchema.shape.reasons,
  ended: z.string().max(2000).optional(),
  steps: count,
});

export type GapEnd = Readonly<z.infer<typeof endSchema>>;

/**
 * Result of a search. `found`: between which rates the knee is. `at-least`: every rate was sustained up to the end or up to the limit of the load
 * tool. `none`: no rate was sustained. `inconclusive`: steps at one rate contradict each other, or the search was ended before they could.
 * `unmeasured`: no rate was tried.
 */
export const conclusionSchema = z.object({
  kind: z.enum(['found', 'at-least', 'none', 'inconclusive', 'unmeasured']),
  /** The highest rate that all of its steps sustained, */
  held: endSchema.optional(),
  /** and the lowest above it that none of them did. */
  notHeld: endSchema.optional(),
  /** Rates between them whose steps contradict each other. */
  contested: listOf(z.object({ offeredRps: z.number(), held: count, steps: count })),
});

export type Conclusion = Readonly<z.infer<typeof conclusionSchema>>;

export function concluded(search: Pick<Search, 'criteria' | 'playable'>, steps: readonly Step[]): Conclusion {
  const levels = rateLevels(steps);
  const held = levels.findLast(({ failed }) => failed === 0);
  const above = levels.filter(({ rate }) => held === undefined || rate > held.rate);
  const failed = above.find((level) => level.held === 0);
  const torn = above.filter(({ rate, held: some }) => some > 0 && (failed === undefined || rate < failed.rate));
  const ends = {
    ...(held !== undefined && { held: endOf(held) }),
    ...(failed !== undefined && { notHeld: endOf(failed) }),
    contested: torn.map(({ steps: own, held: some }) => ({ offeredRps: offered(own), held: some, steps: own.length })),
  };
  return { kind: levels.length === 0 ? 'unmeasured' : kindOf(search, held, failed, torn.length > 0), ...ends };
}

function kindOf(
  search: Pick<Search, 'criteria' | 'playable'>,
  held: RateLevel | undefined,
  failed: RateLevel | undefined,
  isTorn: boolean,
): Conclusion['kind'] {
  if (isTorn) {
    return 'inconclusive';
  }
  if (held === undefined) {
    return failed !== undefined && failed.failed >= AGREEING && !isToolsOnly(failed) ? 'none' : 'inconclusive';
  }
  if (failed === undefined || isToolsOnly(failed)) {
    return 'at-least';
  }
  const isNear = betweenRate(search, { held, failed }) === undefined;
  return isNear && held.held >= AGREEING && failed.failed >= AGREEING ? 'found' : 'inconclusive';
}

function endOf({ steps, failed }: RateLevel): GapEnd {
  const p99 = steps.flatMap(({ latencyP99Ms }) => latencyP99Ms ?? []);
  const rates = steps.map(({ achievedRps }) => achievedRps);
  const ended = steps.find((step) => step.ended !== undefined)?.ended;
  // If none says something of the service, the load tool's limit is what is known.
  const own = steps.filter(({ verdict }) => verdict === 'not-held');
  return {
    offeredRps: offered(steps),
    achievedRps: failed > 0 ? Math.max(...rates) : Math.min(...rates),
    errorRate: Math.max(...steps.map(({ errorRate }) => errorRate)),
    ...(p99.length > 0 && { latencyP99Ms: failed > 0 ? Math.min(...p99) : Math.max(...p99) }),
    reasons: [...new Set((own.length > 0 ? own : steps).flatMap(({ reasons }) => reasons))],
    ...(ended !== undefined && { ended }),
    steps: steps.length,
  };
}

function offered(steps: readonly Step[]): number {
  return steps[0]?.offeredRps ?? 0;
}
