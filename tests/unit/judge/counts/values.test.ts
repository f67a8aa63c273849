import { expect, test } from 'vitest';
import { countedValues } from '../../../../src/judge/counts/figures.ts';
import { countBudgets } from '../../../../src/judge/counts/need-calls.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { REST_STARTS, sampleCounts, withHeadCounts } from '../../../support/sample-counts.ts';
import { sampleRun } from '../../../support/sample-run.ts';

test('the value of one version is the mean of its starts', () => {
  const run = withHeadCounts(sampleRun());
  const values = countedValues(run, run.instructions?.starts ?? []);

  expect(values.map(({ cell, metric }) => `${cell.operation} ${metric}`)).toEqual([
    ...['all instructionsPerRequest', 'all syscallsPerRequest'],
    ...['GetUser instructionsPerRequest', 'GetUser syscallsPerRequest'],
    ...['ListUsers instructionsPerRequest', 'ListUsers syscallsPerRequest'],
  ]);
  expect(values[2]).toMatchObject({
    cell: { suite: 'users', service: 'rest', operation: 'GetUser', tier: 'all' },
    value: expect.closeTo(888_649.67, 1),
    means: [expect.closeTo(888_607.67, 1), expect.closeTo(888_691.67, 1)],
  });
  expect(values[3]?.value).toBeCloseTo(9.4);
});

test('a start alone says nothing, nor does the base', () => {
  const [first] = REST_STARTS;
  const run = withHeadCounts(sampleRun(), [first]);
  const bases = sampleCounts().instructions?.starts.filter(({ side }) => side === 'base');

  expect(countedValues(run, run.instructions?.starts ?? [])).toEqual([]);
  expect(countedValues(run, bases ?? [])).toEqual([]);
});

test('counts of the head are compared with budgets, also without a base', () => {
  const run = sampleCounts();
  const policy = { ...run.rounds.policy, budgets: [{ metric: 'syscallsPerRequest', operation: 'GetUser', limit: 9 }] };
  const budget = { limit: 9, found: expect.closeTo(9.4, 1) };

  expect(listsOf(judgeRun(run, policy)).budgets).toMatchObject([{ ...budget, verdict: 'over' }]);
  expect(countBudgets(withHeadCounts(sampleRun()), policy).answers).toMatchObject([{ of: budget, fails: true }]);
});
