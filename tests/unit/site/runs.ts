import type { RunFacts } from '../../../site/model/runs.ts';
import type { HistoryChange } from '../../../src/history/store/changes.ts';
import type { HistoryEntry, Series } from '../../../src/history/store/entry.ts';
import type { SegmentRow } from '../../../src/history/store/index-file.ts';

export function aSeries(change: Partial<Series> = {}): Series {
  return {
    suite: 'users',
    service: 'rest',
    operation: 'all',
    tier: 'high',
    metric: 'latencyP95Ms',
    unit: 'ms',
    better: 'lower',
    ...change,
  };
}

/** The share of failed requests, which is 0 as a rule. */
export function anErrorRate(change: Partial<Series> = {}): Series {
  return aSeries({ metric: 'errorRate', unit: 'share', ...change });
}

export function aRun(change: Partial<RunFacts> = {}): RunFacts {
  return {
    run: 'r1',
    at: Date.parse('2026-11-21T10:00:00Z'),
    suite: 'users',
    kind: 'run',
    sha: '0123456789abcdef',
    subject: 'Cache users',
    pullRequest: undefined,
    tags: [],
    machine: 'A CPU, 2 cores',
    rounds: 3,
    outcome: 'passed',
    verdicts: [],
    seriesCount: 4,
    anchor: undefined,
    links: {},
    ...change,
  };
}

export function anEntry(run: string, at: string, change: Partial<HistoryEntry> = {}): HistoryEntry {
  return {
    run,
    at,
    suite: 'users',
    kind: 'run',
    series: [aSeries()],
    values: [10],
    spreads: [null],
    tags: [],
    tools: {},
    rounds: 1,
    verdicts: [],
    links: {},
    ...change,
  };
}

export function aChange(change: Partial<HistoryChange> = {}): HistoryChange {
  return {
    series: aSeries(),
    run: 'r1',
    at: '2026-11-21T10:00:00.000Z',
    before: 10,
    after: 12,
    shift: 0.2,
    p: 0.0001,
    runsAfter: 9,
    pending: false,
    ...change,
  };
}

/** A segment of a month with runs from one day to another. */
export function aSegment(from: string, to: string, runs = 10): SegmentRow {
  return {
    file: `${from.slice(0, 7)}.jsonl`,
    runs,
    bytes: 1,
    from: `${from}T00:00:00.000Z`,
    to: `${to}T00:00:00.000Z`,
  };
}
