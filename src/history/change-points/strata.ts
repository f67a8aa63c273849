import { isCounted } from '../../model/metric.ts';
import { counterLevel } from '../../model/run/instructions.ts';
import { anchorOf, type HistoryEntry, type Series } from '../store/entry.ts';

/** What a figure depends on besides the code: of ratios nothing, since both versions met the same machine. */
export function stratumIn(entry: HistoryEntry): (series: Series) => string {
  if (entry.kind === 'anchored') {
    return () => '';
  }
  const machine =
    entry.runner === undefined
      ? ''
      : JSON.stringify([entry.runner.cpuModel, entry.runner.cores, entry.runner.kernel.split('.')[0]]);
  return (series) => (isCounted(series.metric) ? counterName(entry, series) : machine);
}

/** Counts do not depend on the machine, but on what counted. */
function counterName({ counts = [] }: HistoryEntry, { service }: Series): string {
  const own = counts.find((one) => one.service === service);
  return own === undefined ? '' : counterLevel(own.fingerprint);
}

/** From which relative change on a line is worth a mark, if that is not what it is for times: counts and ratios show one that time does not. */
export function smallestIn({ series }: { readonly series: Series }): number | undefined {
  if (isCounted(series.metric)) {
    return SMALLEST_OF_COUNTS;
  }
  return anchorOf(series) === undefined ? undefined : SMALLEST_OF_RATIOS;
}

/** Below it the intervals of most ratios to an anchor hide a change. */
const SMALLEST_OF_RATIOS = 0.01;

/** Half of what fails a comparison. */
const SMALLEST_OF_COUNTS = 0.005;
