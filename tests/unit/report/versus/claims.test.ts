import { describe, expect, test } from 'vitest';
import type { Pairing, ServiceRatio } from '../../../../src/judge/study/versus.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { viewComparison } from '../../../../src/report/comparison/view.ts';
import { versusClaims } from '../../../../src/report/versus/view.ts';
import { sampleVersus } from '../../../support/sample-versus.ts';

function pairing(service: string, status: ServiceRatio['status'], rounds = 10): Pairing {
  const ratio: ServiceRatio = {
    cell: { suite: 's', service, operation: 'all', tier: 'saturation' },
    metric: 'achievedRps',
    reference: 1,
    other: 1,
    ratio: rounds < 8 ? { times: 1.5 } : { times: 1.5, low: 1.4, high: 1.6 },
    status,
    noise: 'low',
    rounds,
  };
  return { service, ratios: [ratio], perCpuSecond: ratio, capacity: ratio };
}

function claims(pairings: readonly Pairing[], run = sampleVersus()) {
  const view = viewComparison(judgeRun(run), run);
  return versusClaims(view, run, pairings, { claims: [] });
}

describe('the claims of many services', () => {
  test('are those of at most two; of more, tables have the figures', () => {
    expect(claims([pairing('one', 'better')])).toEqual([
      'one serves 1.50 [1.40, 1.60] times as many requests per CPU second as REST.',
      'one serves 1.50 [1.40, 1.60] times as many requests/s at saturation as REST.',
    ]);
    expect(claims(['one', 'two', 'three'].map((name) => pairing(name, 'better')))).toEqual([]);
  });

  test('name the reference of each if they have their own', () => {
    const { rounds, ...others } = sampleVersus();
    const references = { one: 'one-before', two: 'two-before' };
    const run = { ...others, rounds: { ...rounds, versus: { ...rounds.versus, references } } };

    const [first] = claims(
      ['one', 'two'].map((name) => pairing(name, 'better')),
      run,
    );

    expect(first).toMatch(/^one serves 1\.50 .* times as many .* as one-before\.$/);
  });

  test('say first that the rounds are too few', () => {
    const all = claims([pairing('one', 'unclear', 3), pairing('two', 'unclear', 3)]);

    expect(all[0]).toMatch(/^Not enough rounds for a verdict \(3 of 8\)/);
    expect(all[1]).toBe('one serves 1.50 times as many requests per CPU second as REST.');
  });

  test('say first that the time budget left no time for more rounds', () => {
    const { rounds, ...others } = sampleVersus();
    const run = { ...others, rounds: { ...rounds, ended: 'budget', budgetSeconds: 942 } as const };

    const [first] = claims([pairing('one', 'unclear', 7)], run);

    expect(first).toBe('Not enough rounds for a verdict (7 of 8; the time budget of 15 min 42 s ran out).');
  });
});
