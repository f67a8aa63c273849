import { describe, expect, test } from 'vitest';
import type { CellErrors, HeadReading } from '../../../../src/judge/verdict/finding.ts';
import { notesOf } from '../../../../src/report/views/notes.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { judged, made } from './made-input.ts';

const CELL = { suite: 'users', service: 'rest', operation: 'all', tier: 'high' };

/** So many requests in every round and version, of which so many failed. */
function errors(rounds: number, base: number, head: number): CellErrors {
  const round = { base: { failed: base, requests: 2000 }, head: { failed: head, requests: 2000 } };
  return { cell: CELL, rounds: Array.from({ length: rounds }, () => round) };
}

function mixed(one: CellErrors, other: CellErrors): CellErrors {
  return { cell: CELL, rounds: [...one.rounds, ...other.rounds] };
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

    expect(listsOf(result).errors.map((one) => one.verdict)).toEqual([verdict]);
    expect(result.exitCode).toBe(verdict === 'regressed' ? 1 : 0);
  });

  test('say their rates and their p', () => {
    const [finding] = listsOf(judged([made()], {}, { errors: [errors(10, 2, 20)] })).errors;

    expect(finding).toEqual({ cell: CELL, baseRate: 0.001, headRate: 0.01, p: 2 ** -10, verdict: 'regressed' });
  });

  test('are noted where they stand out in too few rounds for the test', () => {
    const result = judged([made({ rounds: 8 })], {}, { errors: [errors(8, 0, 40)] });

    expect(listsOf(result).errors[0]?.verdict).toBe('unchanged');
    expect(notesOf({ result }).notes).toEqual([
      "rest at high: 2.00% of the head's requests failed and 0% of the base's, in too few rounds to judge.",
    ]);
  });

  test.each([
    ['half of the requests in 3 rounds', errors(3, 0, 1000), 'regressed'],
    ['half of the requests in 2 rounds', errors(2, 0, 1000), 'unchanged'],
    ['5% in 8 rounds', errors(8, 0, 100), 'regressed'],
    ['half of the requests of both', errors(8, 1000, 1000), 'unchanged'],
    ['half of the requests in 5 of 10 rounds', mixed(errors(5, 0, 1000), errors(5, 0, 0)), 'unchanged'],
  ] as const)('that no chance explains need no test: %s', (_what, counts, verdict) => {
    expect(listsOf(judged([made()], {}, { errors: [counts] })).errors[0]?.verdict).toBe(verdict);
  });

  test('share their part of alpha among the cells that have any', () => {
    const cellOf = (tier: string, counts: CellErrors): CellErrors => ({ ...counts, cell: { ...CELL, tier } });
    const some = ['low', 'medium', 'high'].map((tier) => cellOf(tier, errors(10, 0, 20)));
    const verdicts = (cells: readonly CellErrors[]) =>
      listsOf(judged([made()], {}, { errors: cells })).errors.map(({ verdict }) => verdict);

    // p is 2^-10 in each; a tenth of 2% allows 2 of 1,024 exchanges, and among three cells none.
    expect(verdicts(some.slice(0, 2))).toEqual(['regressed', 'regressed']);
    expect(verdicts(some)).toEqual(['unchanged', 'unchanged', 'unchanged']);
    expect(verdicts([...some.slice(0, 2), cellOf('none', errors(10, 0, 0))])).toEqual([
      'regressed',
      'regressed',
      'unchanged',
    ]);
    expect(verdicts(some.map(({ cell }) => ({ ...errors(13, 0, 20), cell })))).toEqual(some.map(() => 'regressed'));
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

    expect(listsOf(result).budgets).toEqual([{ cell: CELL, metric: read.metric, limit, found, verdict }]);
    expect(result).toMatchObject(
      verdict === 'over' ? { exitCode: 1, outcome: 'regressed' } : { exitCode: 0, outcome: 'passed' },
    );
  });

  test('say when they match nothing', () => {
    const budgets = [{ operation: 'GetUsr', metric: 'latencyP95Ms', limit: 50 }];

    const { notes } = notesOf({ result: judged([made()], { budgets }, { readings: [reading({})] }) });

    expect(notes).toEqual(['The budget for latencyP95Ms of */GetUsr/* matches no figure.']);
  });
});
