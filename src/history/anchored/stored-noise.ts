import { median } from '../../foundation/statistics.ts';
import { studentQuantile } from '../../judge/inference/distributions.ts';
import { isSameStratum, stratumOf } from '../../judge/stored/stored-run.ts';
import { ALL_OPERATIONS } from '../../model/metric.ts';
import type { KnownNoise, NoisePlace } from '../../model/run/calibration.ts';
import type { AnchoredRun } from './anchored-runs.ts';

const NEWEST = 20;

const FEWEST = 3;

/**
 * Noise of one round by service, tier and metric: the median over the newest anchored runs on the same kind of machine. Undefined for fewer
 * than three such runs. Chained ratios are left out, because their intervals include the noise of the links.
 */
export function storedNoise(
  runs: readonly AnchoredRun[],
  { runner, runtime, profile, interleave }: NoisePlace,
): KnownNoise | undefined {
  const kind = stratumOf(runner);
  const isAlike = ({ anchor, measured }: AnchoredRun) =>
    anchor.through === undefined &&
    measured.rounds > 1 &&
    measured.settings?.runtime === runtime &&
    measured.settings.profile === `${profile}, ${interleave}` &&
    measured.runner !== undefined &&
    isSameStratum(stratumOf(measured.runner), kind);
  const own = runs.filter(isAlike).slice(-NEWEST);
  if (own.length < FEWEST) {
    return undefined;
  }
  const deviations = new Map<string, number[]>();
  for (const { ratios, measured } of own) {
    for (const { service, operation, tier, metric, spread } of ratios) {
      if (operation === ALL_OPERATIONS) {
        const place = JSON.stringify([service, tier, metric]);
        // From half of the 95% interval of all rounds, by Student's t.
        const deviation = (spread * Math.sqrt(measured.rounds)) / studentQuantile(0.975, measured.rounds - 1);
        deviations.set(place, [...(deviations.get(place) ?? []), deviation]);
      }
    }
  }
  const rows = [...deviations].map(([place, all]) => {
    const [service = '', tier = '', metric = ''] = JSON.parse(place) as readonly string[];
    return { service, tier, metric, sd: median(all) ?? 0 };
  });
  return { rows, source: `${own.length} stored runs on this kind of machine` };
}
