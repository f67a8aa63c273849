import { counted, formatChange, formatCount } from '../../foundation/numbers.ts';
import { countedFindings } from '../../judge/counts/counted.ts';
import { ALL_OPERATIONS, formatMetric, memberOf } from '../../model/metric.ts';
import { referenceOf } from '../../model/run/comparison.ts';
import { type CountedStart, countedWindows } from '../../model/run/instructions.ts';
import type { RunInRounds } from '../../model/run/run.ts';

export const COUNTED_NAMES = {
  instructionsPerRequest: 'instructions/request',
  syscallsPerRequest: 'system calls/request',
  allocationsPerRequest: 'allocations/request',
} as const;

/** Label for the log: a version of a service, or a service and the reference of all. */
export function countedLabel(
  { service, side }: Pick<CountedStart, 'service' | 'side'>,
  { versus }: Pick<RunInRounds['rounds'], 'versus'>,
): string {
  if (versus === undefined) {
    return `${service}, ${side}`;
  }
  return side === 'head' ? service : `${referenceOf(versus, service)} (reference of ${service})`;
}

export function windowsLine(start: CountedStart, comparing: Pick<RunInRounds['rounds'], 'versus'>): string {
  const { operations, warmFrom, longWarmUps = 0 } = start;
  const parts = operations.map((one) => {
    const { instructions } = countedWindows(start, one);
    const perRequest = instructions.map((count) => formatCount(Math.round(count / one.requests)));
    return `${one.operation} ${perRequest.join(' ')}`;
  });
  const after = [`${warmFrom} windows`, ...(longWarmUps === 0 ? [] : [counted(longWarmUps, 'long warm-up')])];
  const warm = warmFrom === undefined ? 'not steady' : `warm after ${after.join(' and ')}`;
  return `${countedLabel(start, comparing)}, start ${start.start}: instructions per request by window: ${parts.join('; ')} (${warm})`;
}

const VERDICTS = {
  regressed: 'regressed',
  'slower-within-limit': 'more, below the threshold',
  unchanged: 'unchanged',
  improved: 'improved',
  inconclusive: 'varies too much for its threshold, not gating',
} as const;

/** Verdicts on the counts of a service, for the log: for the whole, and for each operation that is worse. For two services, the difference between them. */
export function verdictLines(run: RunInRounds, service: string): readonly string[] {
  const { versus } = run.rounds;
  return countedFindings(run, run.rounds.policy)
    .filter(({ cell }) => cell.service === service)
    .filter(({ cell, metric, verdict }) => {
      const isWhole = cell.operation === ALL_OPERATIONS && metric === 'instructionsPerRequest';
      return isWhole || (verdict === 'regressed' && versus === undefined);
    })
    .map(({ cell, metric, base, head, change, verdict }) => {
      const place = cell.operation === ALL_OPERATIONS ? service : `${service}, ${memberOf(cell) ?? cell.operation}`;
      const values = `${formatMetric(metric, base)} → ${formatMetric(metric, head)}`;
      const reported = `${COUNTED_NAMES[metric]} ${values} (${formatChange(change.estimate)})`;
      return versus === undefined
        ? `${place}: ${reported}: ${VERDICTS[verdict]}`
        : `${place} against ${referenceOf(versus, service)}: ${reported}`;
    });
}

export function countsSoFar(run: RunInRounds): { readonly text: string; readonly hasRegressed: boolean } {
  const findings = countedFindings(run, run.rounds.policy);
  return {
    text: run.rounds.head.services.flatMap((service) => verdictLines(run, service)).join('; '),
    hasRegressed: findings.some(({ verdict }) => verdict === 'regressed'),
  };
}
