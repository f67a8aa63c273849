import { COUNTED, isCounted } from '../../model/metric.ts';
import { usualThreshold } from '../../model/policy.ts';
import { counterLevel } from '../../model/run/instructions.ts';
import { anchorOf, type HistoryEntry, type Series } from '../store/entry.ts';

/**
 * Key of what a value depends on in addition to the code: the machine, or the counter for counts. Empty for ratios, since both versions ran on the
 * same machine.
 */
export function stratumIn(entry: HistoryEntry): (series: Series) => string {
  if (entry.kind === 'anchored') {
    return () => '';
  }
  const machine =
    entry.runner === undefined
      ? ''
      : JSON.stringify([entry.runner.cpuModel, entry.runner.cores, entry.runner.kernel.split('.')[0]]);
  return ({ metric, service }) => {
    if (isOfMachine(metric)) {
      return machine;
    }
    if (!COUNTED.some((one) => one === metric)) {
      return '';
    }
    // Counts do not depend on the machine, but on the counter.
    const counts = entry.counts?.find((one) => one.service === service);
    return counts === undefined ? '' : counterLevel(counts.fingerprint);
  };
}

/** True if a metric depends on the machine: memory growth depends on its allocator and its speed, other counts on neither. */
export function isOfMachine(metric: string): boolean {
  return !isCounted(metric) || metric === 'memoryGrowthPerRequest';
}

/** Smallest relative change to report for a series; undefined for the default. Counts and ratios show smaller changes than times. */
export function smallestIn({ series }: { readonly series: Series }): number | undefined {
  if (isCounted(series.metric)) {
    return Math.max(SMALLEST_OF_COUNTS, usualThreshold(series, series.metric) / 2);
  }
  return anchorOf(series) === undefined ? undefined : SMALLEST_OF_RATIOS;
}

/** Smaller changes are within the interval of most ratios to an anchor. */
const SMALLEST_OF_RATIOS = 0.01;

/** Least such change of counts: half the threshold of a comparison, but at least this. */
const SMALLEST_OF_COUNTS = 0.005;
