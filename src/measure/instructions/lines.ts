import { formatChange, formatCount } from '../../foundation/index.ts';
import { countedFindings } from '../../judge/index.ts';
import {
  ALL_OPERATIONS,
  type CountedStart,
  countedWindows,
  formatMetric,
  type RunInRounds,
} from '../../model/index.ts';
import { COUNTED_NAMES } from './head-counts.ts';

/** What the windows of a start counted, for the log. */
export function windowsLine(start: CountedStart): string {
  const { service, side, operations, warmFrom } = start;
  const parts = operations.map((one) => {
    const { instructions } = countedWindows(start, one);
    const perRequest = instructions.map((count) => formatCount(Math.round(count / one.requests)));
    return `${one.operation} ${perRequest.join(' ')}`;
  });
  const warm = warmFrom === undefined ? 'not steady' : `warm after ${warmFrom} windows`;
  return `${service}, ${side}, start ${start.start}: instructions per request by window: ${parts.join('; ')} (${warm})`;
}

const VERDICTS = {
  regressed: 'regressed',
  'slower-within-limit': 'more, below the threshold',
  unchanged: 'unchanged',
  improved: 'improved',
  inconclusive: 'varies too much for its threshold, not gating',
} as const;

/** What the counts of a service say, for the log: of the whole, and of each operation that is worse. */
export function verdictLines(run: RunInRounds, service: string): readonly string[] {
  return countedFindings(run, run.rounds.policy)
    .filter(({ cell }) => cell.service === service)
    .filter(({ cell, metric, verdict }) => {
      const isWhole = cell.operation === ALL_OPERATIONS && metric === 'instructionsPerRequest';
      return isWhole || verdict === 'regressed';
    })
    .map(({ cell, metric, base, head, change, verdict }) => {
      const place = cell.operation === ALL_OPERATIONS ? service : `${service}, ${cell.operation}`;
      const values = `${formatMetric(metric, base)} → ${formatMetric(metric, head)}`;
      return `${place}: ${COUNTED_NAMES[metric]} ${values} (${formatChange(change.estimate)}): ${VERDICTS[verdict]}`;
    });
}
