import { median } from '../../foundation/statistics.ts';
import { isGate, type Policy } from '../../model/policy.ts';
import { acceptedRuns } from './candidates.ts';
import type { MeasuredCell } from './cells.ts';
import type { HistoryVerdict } from './comparison.ts';
import { placeOf, type StoredRun } from './stored-run.ts';

/** The newest runs that count, as for other figures. */
const MOST_RUNS = 30;

/** Smaller error rates are stated and never suspicious. */
const LEAST_RATE = 0.05;

/** So few failed requests are no rate yet. */
const FEWEST_FAILED = 10;

/** So many times the largest error rate of the past is beyond what the past explains. */
const TIMES = 10;

/**
 * The error rate from which a run is suspicious: 5%, and ten times the largest one of the past, or half the way from there to 100%
 * if that is less.
 */
export function errorRateLimit(largest: number): number {
  return Math.max(LEAST_RATE, Math.min(TIMES * largest, (1 + largest) / 2));
}

/**
 * The error rate of a cell against the past. The rule needs neither logarithms nor a spread, so one earlier run is enough, and one of
 * another kind of machine too: a fast machine fails no more requests than a slow one. Nothing if no request failed, now or usually.
 */
export function errorVerdict(
  { cell, values, failed }: MeasuredCell,
  past: readonly StoredRun[],
  policy: Policy,
): readonly HistoryVerdict[] {
  const now = values.errorRate;
  const name = { cell, metric: 'errorRate' } as const;
  const rates = acceptedRuns(past, name)
    .flatMap(({ cells }) => cells[placeOf(cell)]?.errorRate ?? [])
    .slice(-MOST_RUNS);
  const before = median(rates);
  if (now === undefined || before === undefined || (before === 0 && now === 0)) {
    return [];
  }
  const comparison = { ...name, before, now, change: undefined };
  const largest = Math.max(...rates);
  const limit = errorRateLimit(largest);
  const isSuspicious = now >= limit && now > largest && failed >= FEWEST_FAILED;
  const family = isGate(policy, name, true) ? 'gate' : 'watch';
  return isSuspicious
    ? [{ kind: 'errors', comparison, standing: 'suspicious', family, limit, runs: rates.length }]
    : [{ kind: 'stated', comparison }];
}
