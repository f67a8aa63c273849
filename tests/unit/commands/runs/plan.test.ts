import { expect, test } from 'vitest';
import { matrixOf, planText } from '../../../../src/commands/runs/plan.ts';
import { PROFILES } from '../../../../src/model/profiles.ts';
import type { Suite } from '../../../../src/model/suite/suite.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const { rounds: profile } = PROFILES.quick;
const { suite } = sampleRun();
const lengths = (budgetSeconds: number) => ({
  suite: { ...suite, services: ['one', 'two', 'three'], saturation: { workers: 50 } } as unknown as Suite,
  place: { runtime: 'docker', services: new Map() } as const,
  profile,
  budgetSeconds,
});

test('the matrix has a job for each shard', () => {
  expect(matrixOf([['one', 'three'], ['two']])).toEqual({
    include: [
      { shard: '1/2', services: 'one,three' },
      { shard: '2/2', services: 'two' },
    ],
  });
});

test('the plan does not name the suite of a wiregauge.yml without a name', () => {
  const { suite, ...others } = lengths(300);

  expect(planText([['one']], { suite: { ...suite, name: 'main' }, ...others })).toMatch(/^services one, two, three; /);
});

test('the plan says how long each shard takes, and no longer than the budget', () => {
  const [title, first, second, end] = planText([['one', 'three'], ['two']], lengths(300)).split('\n');

  expect(title).toMatch(/one, two, three; shards: 2, .*\(profile quick\)/);
  expect(first).toMatch(/--shard 1\/2 {2}one, three: about .* to 5 min$/);
  expect(second).toMatch(/--shard 2\/2 {2}two: about .* to /);
  expect(end).toContain('5 min');
});

test('the plan says so where a budget does not do for the first look', () => {
  expect(planText([['one', 'three'], ['two']], lengths(10))).toMatch(/two: needs about .*, more than the budget/);
});
