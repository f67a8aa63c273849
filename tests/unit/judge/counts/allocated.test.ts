import { expect, test } from 'vitest';
import { judgedAllocated } from '../../../../src/judge/counts/allocated.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import type { CallsStart } from '../../../../src/model/run/calls.ts';
import { comparisonText } from '../../../../src/report/comparison/document.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const runOf = (sides: Readonly<Record<'base' | 'head', readonly number[]>>) => {
  const starts = (['base', 'head'] as const).flatMap((side) =>
    sides[side].map((allocated, index): CallsStart => {
      return { service: 'rest', side, start: index + 1, operations: [], idle: [], unread: [], allocated };
    }),
  );
  return { ...sampleRounds({ services: ['rest'] }), calls: { starts, failures: [] } };
};

test.each([
  ['regressed', { base: [10_000, 10_100], head: [12_000, 12_100] }],
  ['slower-within-limit', { base: [10_000, 10_000], head: [10_400, 10_400] }],
  ['unchanged', { base: [10_000, 10_100], head: [10_300, 10_350] }],
  ['unchanged', { base: [10_000], head: [10_300] }],
  ['unchanged', { base: [12_000], head: [10_000] }],
  ['improved', { base: [12_000, 12_100], head: [10_000, 10_100] }],
])('%s: %j bytes per request by start', (verdict, sides) => {
  expect(judgedAllocated(runOf(sides), DEFAULT_POLICY)).toMatchObject([
    { metric: 'allocatedBytesPerRequest', cell: { service: 'rest', operation: 'all' }, family: 'gate', verdict },
  ]);
});

test.each([
  { base: [10_000, 11_900], head: [12_000, 12_100] },
  { base: [10_000], head: [12_000] },
])('inconclusive: %j bytes per request by start', (sides) => {
  const undecided = { verdict: 'inconclusive', reason: 'not-seen', family: 'watch', adjustedP: 1 };

  expect(judgedAllocated(runOf(sides), DEFAULT_POLICY)).toMatchObject([undecided]);
  expect(comparisonText(judgeRun(runOf(sides)))).not.toContain('not more');
});

test('an improvement exceeds what starts differ by, for any threshold', () => {
  const run = runOf({ base: [10_000, 10_000], head: [9_800, 9_800] });

  expect(judgedAllocated(run, { ...DEFAULT_POLICY, thresholds: [{ threshold: 0.01 }] })).toMatchObject([
    { verdict: 'unchanged' },
  ]);
});

test('a budget limits what head allocates', () => {
  const budgets = [{ metric: 'allocatedBytesPerRequest', limit: 11_000 }];
  const run = runOf({ base: [12_000, 12_000], head: [12_000, 12_000] });

  expect(judgeRun(run, { ...DEFAULT_POLICY, budgets })).toMatchObject({
    outcome: 'regressed',
    answers: expect.arrayContaining([expect.objectContaining({ by: 'budget', fails: true })]),
  });
});

test('a service that allocates more fails, in one row', () => {
  const run = runOf({ base: [10_000, 10_000], head: [15_000, 15_000] });

  expect(judgeRun(run).outcome).toBe('regressed');
  expect(comparisonText(judgeRun(run)).replace(/\s+/g, ' ')).toContain('50% more allocated bytes per request');
});
