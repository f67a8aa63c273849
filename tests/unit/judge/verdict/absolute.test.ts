import { describe, expect, test } from 'vitest';
import type { CellErrors, HeadReading } from '../../../../src/judge/verdict/finding.ts';
import { judged, made } from './made-input.ts';

const CELL = { suite: 'users', service: 'rest', operation: 'all', tier: 'high' };

/** So many requests in every round and version, of which so many failed. */
function errors(rounds: number, base: number, head: number): CellErrors {
  const round = { base: { failed: base, requests: 2000 }, head: { failed: head, requests: 2000 } };
  return { cell: CELL, rounds: Array.from({ length: rounds }, () => round) };
}

describe('errors', () => {
  test.each([
    ['fail where the head alone has them', errors(10, 0, 20), 'regressed'],
    ['fail where the head has more', errors(10, 10, 40), 'regressed'],
    ['pass where both have them', errors(10, 20, 20), 'unchanged'],
    ['pass where the base has them', errors(10, 20, 0), 'unchanged'],
    ['pass where there are none', errors(10, 0, 0), 'unchanged'],
    ['pass below one in a thousand', errors(10, 0, 1), 'unchanged'],
  ] as const)('%s', (_what, counts, verdict) => {
    const result = judged([made()], {}, { errors: [counts] });

    expect(result.errors.map((one) => one.verdict)).toEqual([verdict]);
    expect(result.exitCode).toBe(verdict === 'regressed' ? 1 : 0);
  });

  test('say their rates and their p', () => {
    const [finding] = judged([made()], {}, { errors: [errors(10, 2, 20)] }).errors;

    expect(finding).toEqual({ cell: CELL, baseRate: 0.001, headRate: 0.01, p: 2 ** -10, verdict: 'regressed' });
  });

  test('are noted where they stand out in too few rounds for the test', () => {
    const result = judged([made({ rounds: 8 })], {}, { errors: [errors(8, 0, 200)] });

    expect(result.errors[0]?.verdict).toBe('unchanged');
    expect(result.notes).toEqual([
      "rest at high: 10.0 % of the head's requests failed and 0 % of the base's, in too few rounds to judge.",
    ]);
  });
});

describe('budgets', () => {
  const reading = (change: Partial<HeadReading>): HeadReading => ({
    cell: CELL,
    metric: 'latencyP95Ms',
    better: 'lower',
    values: [48, 52, 49, 90, 40],
    ...change,
  });
  const rate = reading({ metric: 'achievedRps', better: 'higher', values: [3900, 4100, 4000] });

  test.each([
    { what: 'within a latency', read: reading({}), limit: 50, found: 49, verdict: 'within' },
    { what: 'over a latency', read: reading({}), limit: 48, found: 49, verdict: 'over' },
    { what: 'within a rate', read: rate, limit: 3999, found: 4000, verdict: 'within' },
    { what: 'under a rate', read: rate, limit: 4001, found: 4000, verdict: 'over' },
  ])("hold the head's median: $what", ({ read, limit, found, verdict }) => {
    const budgets = [{ service: 'rest', metric: read.metric, limit }];

    const result = judged([made()], { budgets }, { readings: [read] });

    expect(result.budgets).toEqual([{ cell: CELL, metric: read.metric, limit, found, verdict }]);
    expect(result).toMatchObject(
      verdict === 'over' ? { exitCode: 1, outcome: 'regressed' } : { exitCode: 0, outcome: 'passed' },
    );
  });

  test('say when they match nothing', () => {
    const budgets = [{ operation: 'GetUsr', metric: 'latencyP95Ms', limit: 50 }];

    const { notes } = judged([made()], { budgets }, { readings: [reading({})] });

    expect(notes).toEqual(['The budget for latencyP95Ms of */GetUsr/* matches nothing.']);
  });
});
