import { isGate, type Policy, thresholdOf } from '../../model/policy.ts';
import type { Calibration } from '../../model/run/record.ts';
import { roundsWanted } from '../inference/detectable.ts';
import type { Compared } from '../verdict/finding.ts';
import { noiseIn } from '../verdict/findings.ts';
import { logComparison } from '../verdict/series.ts';

/** How the comparisons would be judged. */
export interface Judging {
  readonly policy: Policy;
  /** Rounds of a comparison of full length. */
  readonly mostRounds: number;
}

type Noise = Calibration['comparisons'][number];

/** Slowdowns that a calibration says how many rounds of, relative. */
const CALIBRATED_EFFECTS: readonly number[] = [0.03, 0.05, 0.1, 0.2];

/** More rounds than this are hopeless in a pull request. */
const MOST_ROUNDS_WANTED = 100;

/** The noise of every comparison, and what it lets be seen how soon: the gate family first, then the watch family. */
export function noisesOf(compared: readonly Compared[], judging: Judging): readonly Noise[] {
  return (['gate', 'watch'] as const).flatMap((family) => {
    const own = compared.filter((one) => isGate(judging.policy, one, one.gate) === (family === 'gate'));
    return own.map((one) => ({ ...rowOf(one, own.length, judging), family }));
  });
}

function rowOf(compared: Compared, familySize: number, { policy, mostRounds }: Judging): Omit<Noise, 'family'> {
  const { differences } = logComparison(compared);
  const threshold = thresholdOf(policy, compared);
  const { alpha, floor } = policy;
  const judged = { differences, alpha, familySize, floor, threshold };
  return {
    cell: compared.cell,
    metric: compared.metric,
    threshold,
    rounds: differences.length,
    ...noiseIn(differences),
    detectable: smallestWithin(mostRounds, (effect) => roundsWanted(judged, effect)),
    wanted: CALIBRATED_EFFECTS.map((effect) => {
      // What stays within the threshold never fails: how soon the test sees it says what a lower one would bring.
      const rounds = roundsWanted({ ...judged, threshold: effect > threshold ? threshold : floor }, effect);
      return { effect, rounds: rounds > MOST_ROUNDS_WANTED ? undefined : rounds };
    }),
  };
}

/** Nobody needs a test for a service that has become eleven times as slow. */
const LARGEST_EFFECT = 10;

/** Reports show tenths of a per cent. */
const PRECISION = 5e-4;

/** The smallest effect that wants at most so many rounds, by halving; undefined where even the largest wants more. */
function smallestWithin(rounds: number, wanted: (effect: number) => number): number | undefined {
  if (wanted(LARGEST_EFFECT) > rounds) {
    return undefined;
  }
  let [low, high] = [0, LARGEST_EFFECT];
  while (high - low > PRECISION) {
    const middle = (low + high) / 2;
    if (wanted(middle) <= rounds) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}
