import { median } from '../../foundation/index.ts';
import { stratumOf, studentQuantile } from '../../judge/index.ts';
import { ALL_OPERATIONS, type KnownNoise, type NoisePlace } from '../../model/index.ts';
import type { AnchoredRun } from './anchored-runs.ts';

/** Older runs say less of the machines of today. */
const NEWEST = 20;

/** Fewer do not tell a usual run from an odd one. */
const FEWEST = 3;

/**
 * The noise of one round by metric of each service, as the newest anchored runs on this kind of machine have it: each interval of a ratio is
 * a 95 % interval of so many rounds, which gives the standard deviation of one (Student's t). Undefined for fewer than three such runs. A
 * chained ratio has the noise of its links, too, and is left out.
 */
export function storedNoise(
  runs: readonly AnchoredRun[],
  { runner, runtime, profile, interleave }: NoisePlace,
): KnownNoise | undefined {
  const kind = JSON.stringify(stratumOf(runner));
  const own = runs
    .filter(({ anchor, measured: { settings, rounds } }) => {
      const isAlike = settings?.runtime === runtime && settings.profile === `${profile}, ${interleave}`;
      return anchor.through === undefined && isAlike && rounds > 1;
    })
    .filter(({ measured }) => measured.runner !== undefined && JSON.stringify(stratumOf(measured.runner)) === kind)
    .slice(-NEWEST);
  if (own.length < FEWEST) {
    return undefined;
  }
  const deviations = new Map<string, number[]>();
  for (const { ratios, measured } of own) {
    for (const { service, operation, tier, metric, spread } of ratios) {
      if (operation === ALL_OPERATIONS) {
        const place = JSON.stringify([service, tier, metric]);
        deviations.set(place, [...(deviations.get(place) ?? []), deviationOf(spread, measured.rounds)]);
      }
    }
  }
  const rows = [...deviations].map(([place, all]) => {
    const [service = '', tier = '', metric = ''] = JSON.parse(place) as readonly string[];
    return { service, tier, metric, sd: median(all) ?? 0 };
  });
  return { rows, source: `${own.length} stored runs on this kind of machine` };
}

/** Of one round, if half of the 95 % interval of this many is so wide. */
function deviationOf(spread: number, rounds: number): number {
  return (spread * Math.sqrt(rounds)) / studentQuantile(0.975, rounds - 1);
}
