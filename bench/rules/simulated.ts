import { seededRandom } from '../../src/foundation/random.ts';
import { quantile, sorted } from '../../src/foundation/statistics.ts';
import { noiseOf } from '../../src/judge/inference/detectable.ts';
import { logRatios } from '../../src/judge/inference/family-test.ts';
import { NOISE_KINDS, type NoiseKind, type Place } from './noise.ts';
import { FAMILY, LOOKS, placeOf, simulate } from './simulation.ts';
import type { Source } from './tally.ts';

/** A source of simulated pull requests for each kind of noise. */
export function simulatedSources(): readonly Source[] {
  return NOISE_KINDS.map((kind) => ({
    name: kind.name,
    about: aboutOf(kind),
    family: FAMILY,
    looks: LOOKS,
    draw: (random, slowdown) => simulate(kind, random, slowdown),
  }));
}

const PLACES: readonly Place[] = ['saturation', 'cpu', 'p50'];
const SAMPLE = 20;

/** The noise as it comes out, to be held against measured tables. */
function aboutOf(kind: NoiseKind): string {
  const random = seededRandom(1);
  const pulls = Array.from({ length: SAMPLE }, () => simulate(kind, random).rerun);
  const sds = PLACES.map((place) => {
    const noise = pulls.flatMap((comparisons) =>
      comparisons
        .filter((_, index) => placeOf(index) === place)
        .map((paired) => noiseOf(logRatios(paired, paired.base.length))),
    );
    return `${place} ${(100 * (quantile(sorted(noise), 0.5) ?? 0)).toFixed(1)}%`;
  });
  return `${kind.name}: ${FAMILY} comparisons, robust sd of log(head/base) of one round: ${sds.join(', ')}`;
}
