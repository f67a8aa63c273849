import { seededRandom } from '../../../../src/foundation/random.ts';
import type { Compared } from '../../../../src/judge/verdict/finding.ts';

/** Rounds to make up; head is the same build as base but for the slowdown of the first service. */
export interface RoundsToMake {
  readonly rounds: number;
  /** Standard deviation of log(head / base) of one round. */
  readonly sd: number;
  readonly seed: number;
  readonly slowdown?: number;
}

const PLACES = [
  { operation: 'all', tier: 'saturation', metric: 'cpuMicrosPerRequest', better: 'lower', gate: true },
  { operation: 'all', tier: 'saturation', metric: 'achievedRps', better: 'higher', gate: true },
  { operation: 'GetUser', tier: 'low', metric: 'latencyP50Ms', better: 'lower', gate: true, ifSeen: true },
  { operation: 'ListUsers', tier: 'low', metric: 'latencyP50Ms', better: 'lower', gate: true, ifSeen: true },
  { operation: 'GetUser', tier: 'low', metric: 'latencyP99Ms', better: 'lower', gate: false },
] as const;

/** Rounds of two services as a comparison of versions would have recorded them. */
export function recordedRounds({ rounds, sd, seed, slowdown = 0 }: RoundsToMake): readonly Compared[] {
  const random = seededRandom(seed);
  return ['rest', 'grpc'].flatMap((service) =>
    PLACES.map(({ operation, tier, metric, better, gate, ...ifSeen }): Compared => {
      const change = service === 'rest' ? Math.log1p(slowdown) : 0;
      const measure = (log: number) => 200 * Math.exp(log + (sd / Math.SQRT2) * normal(random));
      return {
        cell: { suite: 'users', service, operation, tier },
        metric,
        better,
        gate,
        ...ifSeen,
        base: Array.from({ length: rounds }, () => measure(0)),
        head: Array.from({ length: rounds }, () => measure(better === 'lower' ? change : -change)),
      };
    }),
  );
}

/** Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
