import type { Alert, AlertStatus } from '../../src/history/alerts/alert-status.ts';
import type { Series } from '../../src/history/store/entry.ts';
import { sampleSeries } from './sample-history.ts';

/** A change for the worse that began with run-30; only what differs has to be said. */
export function sampleAlert(change: Partial<Alert> = {}, series: Partial<Series> = {}): Alert {
  return {
    id: { series: '0123456789ab', run: 'run-30' },
    kind: 'change',
    series: sampleSeries(series),
    run: 'run-30',
    at: '2026-11-01T10:00:00.000Z',
    commit: 'c'.repeat(40),
    subject: 'Parse twice',
    before: 812,
    after: 1010,
    shift: 0.244,
    runs: 5,
    ...change,
  };
}

/** What stands with those alerts, each at the run that it names. */
export function sampleStanding(...alerts: readonly Alert[]): AlertStatus {
  return { alerts, places: new Set(alerts.map(({ id }) => `${id.series} ${id.run}`)) };
}
