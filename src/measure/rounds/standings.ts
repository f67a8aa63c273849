import type { RoundRecord } from '../../model/run/run-rounds.ts';

/** Rounds of a service that count; the fewest of all services where none is named. */
export function keptRounds(records: readonly RoundRecord[], service?: string): number {
  if (service === undefined) {
    const services = [...new Set(records.map((record) => record.service))];
    return services.length === 0 ? 0 : Math.min(...services.map((name) => keptRounds(records, name)));
  }
  return records.filter((record) => record.service === service && record.outcome === 'kept').length;
}

/** A version that failed so often is not tried again; so is a service that failed so often in all. */
const MOST_FAILURES_OF_A_VERSION = 2;
const MOST_FAILURES = 4;

/** Whether a service is tried no more: one version failed again on the repeat, or failures do not end. */
export function isGivenUp(records: readonly RoundRecord[], service: string): boolean {
  const failures = records.filter((record) => record.service === service && record.outcome === 'failed');
  const of = (side: 'base' | 'head') => failures.filter(({ failure }) => failure?.side === side).length;
  const worst = Math.max(of('base'), of('head'));
  return worst >= MOST_FAILURES_OF_A_VERSION || failures.length >= MOST_FAILURES;
}
