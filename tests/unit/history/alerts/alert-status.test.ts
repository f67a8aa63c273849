import { describe, expect, test } from 'vitest';
import { isReportedAlert, statusIn } from '../../../../src/history/alerts/alert-status.ts';
import { changesOf } from '../../../../src/history/store/changes.ts';
import { anchorUnit, type HistoryEntry } from '../../../../src/history/store/entry.ts';
import { sampleEntries, sampleEntry, sampleSeries } from '../../../support/sample-history.ts';

/** Levels that scatter by about one per cent. */
const level = (middle: number, runs: number) =>
  Array.from({ length: runs }, (_, run) => middle * (1 + ((run * 7) % 5) / 200));

const newestFirst = (entries: readonly HistoryEntry[]) => entries.toReversed();

const alertsOf = (values: readonly number[], change: Partial<HistoryEntry> = {}) => {
  const entries = sampleEntries(values).map((entry) => ({ ...entry, ...change }));
  return statusIn(newestFirst(entries), changesOf(entries));
};

describe('what of a suite is worse', () => {
  test('is nothing in a history that keeps its level', () => {
    expect(alertsOf(level(100, 40)).alerts).toEqual([]);
  });

  test('is a change for the worse that five runs bear out, with its first run', () => {
    expect(alertsOf([...level(100, 30), ...level(120, 4)]).alerts).toEqual([]);
    expect(alertsOf([...level(100, 30), ...level(120, 6)]).alerts).toMatchObject([
      { kind: 'change', run: 'run-30', commit: 'a'.repeat(40), runs: 6, series: { metric: 'cpuMicrosPerRequest' } },
    ]);
  });

  test('is not a change for the better, in either direction', () => {
    const rate = [sampleSeries({ metric: 'throughput', unit: 'req/s', better: 'higher' })];

    expect(alertsOf([...level(120, 30), ...level(100, 8)]).alerts).toEqual([]);
    expect(alertsOf([...level(100, 30), ...level(120, 8)], { series: rate }).alerts).toEqual([]);
    expect(alertsOf([...level(120, 30), ...level(100, 8)], { series: rate }).alerts).toHaveLength(1);
  });

  test('is gone once a later change took all of it back, and not while some of it is left', () => {
    const worse = [...level(100, 30), ...level(140, 20)];

    expect(alertsOf([...worse, ...level(120, 10)]).alerts).toMatchObject([{ run: 'run-30' }]);
    expect(alertsOf([...worse, ...level(100, 10)]).alerts).toEqual([]);
  });

  test('is the newest of several changes for the worse', () => {
    expect(alertsOf([...level(100, 30), ...level(120, 20), ...level(150, 8)]).alerts).toMatchObject([
      { run: 'run-50' },
    ]);
  });

  test('is nothing of a series that none of the last 30 runs has', () => {
    const old = sampleEntries([...level(100, 30), ...level(120, 8)]);
    const renamed = sampleEntries(level(90, 31), '2026-06-01T00:00:00.000Z').map((entry) => ({
      ...entry,
      run: `new-${entry.run}`,
      series: [sampleSeries({ service: 'api' })],
    }));
    const entries = [...old, ...renamed];

    expect(statusIn(newestFirst(entries), changesOf(entries)).alerts).toEqual([]);
    expect(statusIn(newestFirst(entries.slice(0, -2)), changesOf(entries)).alerts).toHaveLength(1);
  });
});

const anchored = (day: number, isOver: boolean, anchor = 'v1.4.0') =>
  sampleEntry({
    run: `anchored-${day}`,
    at: new Date(Date.UTC(2026, 0, day)).toISOString(),
    kind: 'anchored',
    series: [sampleSeries({ unit: anchorUnit(anchor) })],
    values: [isOver ? 1.06 : 1.02],
    anchor: { name: anchor, commit: 'b'.repeat(40) },
    verdicts: isOver ? [{ series: 0, verdict: 'regressed', change: 0.06, low: 0.05, high: 0.07 }] : [],
  });

const drifts = (...entries: readonly HistoryEntry[]) => statusIn(newestFirst(entries), []).alerts;

describe('a drift over its limit', () => {
  test('stands from the first run that is over it', () => {
    expect(drifts(anchored(1, false), anchored(2, true))).toMatchObject([
      { kind: 'drift', id: { run: 'drift' }, run: 'anchored-2', after: 1.06, runs: 1 },
    ]);
  });

  test('is gone after five runs within the limit, so that one at the limit does not come and go', () => {
    const calm = (runs: number) => Array.from({ length: runs }, (_, run) => anchored(3 + run, false));

    expect(drifts(anchored(1, true), anchored(2, true), ...calm(4))).toMatchObject([{ run: 'anchored-2', runs: 5 }]);
    expect(drifts(anchored(1, true), anchored(2, true), ...calm(5))).toEqual([]);
  });

  test('ends with its anchor', () => {
    expect(drifts(anchored(1, true), anchored(2, false, 'v1.5.0'))).toEqual([]);
  });
});

describe('a planted slowdown', () => {
  const plant = (day: number, seconds: number | null) =>
    sampleEntry({
      run: `plant-${day}`,
      at: new Date(Date.UTC(2026, 0, day)).toISOString(),
      kind: 'plant',
      series: [sampleSeries({ metric: 'planted 5% slowdown', unit: 's' })],
      values: [seconds],
      plant: { cpu: 0.05 },
      verdicts: seconds === null ? [{ series: 0, verdict: 'regressed' }] : [],
    });

  test('is an alert if the newest one was not found', () => {
    expect(drifts(plant(1, 170), plant(2, null))).toMatchObject([
      { kind: 'plant', id: { run: 'plant' }, run: 'plant-2', shift: 0.05 },
    ]);
    expect(drifts(plant(1, null), plant(2, 170))).toEqual([]);
  });
});

describe('an alert that was reported', () => {
  test('is reported with its run, and also if its change point moved to the neighboring run', () => {
    const before = alertsOf([...level(100, 30), ...level(120, 6)]);
    const [alert] = before.alerts;
    if (alert === undefined) {
      throw new Error('there is one');
    }
    const moved = { ...alert.id, run: 'run-29' };
    const other = { ...alert.id, series: '0'.repeat(12) };

    expect(isReportedAlert(alert, [alert.id], before)).toBe(true);
    expect(isReportedAlert(alert, [moved], before)).toBe(true);
    expect(isReportedAlert(alert, [other], before)).toBe(false);
  });

  test('is another one if the earlier change point still stands', () => {
    const later = alertsOf([...level(100, 30), ...level(120, 20), ...level(150, 8)]);
    const [alert] = later.alerts;
    if (alert === undefined) {
      throw new Error('there is one');
    }

    expect(isReportedAlert(alert, [{ ...alert.id, run: 'run-30' }], later)).toBe(false);
  });
});
