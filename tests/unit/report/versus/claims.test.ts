import { describe, expect, test } from 'vitest';
import type { Pairing, ServiceRatio } from '../../../../src/judge/study/versus.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { viewComparison } from '../../../../src/report/comparison/view.ts';
import { versusClaims } from '../../../../src/report/versus/claims.ts';
import { sampleVersus } from '../../../support/sample-versus.ts';

function pairing(service: string, standing: ServiceRatio['standing'], rounds = 10): Pairing {
  const ratio: ServiceRatio = {
    cell: { suite: 's', service, operation: 'all', tier: 'saturation' },
    metric: 'achievedRps',
    reference: 1,
    other: 1,
    ratio: rounds < 8 ? { times: 1.5 } : { times: 1.5, low: 1.4, high: 1.6 },
    standing,
    noise: 'low',
    rounds,
  };
  return { service, standings: [ratio], perCpuSecond: ratio, capacity: ratio };
}

function claims(
  pairings: readonly Pairing[],
  referenceFor: (service: string) => string = () => 'REST',
  run = sampleVersus(),
) {
  const view = viewComparison(judgeRun(run), run);
  return versusClaims(view, { run, pairings, study: { claims: [], hasSettings: false, services: [] } }, referenceFor);
}

describe('the claims of many services', () => {
  test('name the reference once, and have one sentence for each other', () => {
    expect(claims([pairing('one', 'better'), pairing('two', 'unclear'), pairing('three', 'worse')])).toEqual([
      'Each service against REST, as a multiple [95% interval]:',
      'one: 1.50 [1.40, 1.60] times the requests per CPU second, 1.50 [1.40, 1.60] times the requests/s at saturation.',
      'two: 1.50 [1.40, 1.60] times the requests per CPU second (no clear difference), 1.50 [1.40, 1.60] times the requests/s at saturation (no clear difference).',
      'three: 1.50 [1.40, 1.60] times the requests per CPU second, 1.50 [1.40, 1.60] times the requests/s at saturation.',
    ]);
  });

  test('tell the best and the worst if the ranking has more', () => {
    const all = claims(['one', 'two', 'three', 'four', 'five'].map((name) => pairing(name, 'better')));

    expect(all.map((text) => text.split(':', 1)[0])).toEqual([
      'Each service against REST, as a multiple [95% interval]',
      'one',
      'five',
      'The table "Ranking" has the other 3.',
    ]);
  });

  test('name the reference of each if they have their own', () => {
    const [head, first] = claims(
      [pairing('one', 'better'), pairing('two', 'better'), pairing('three', 'better')],
      (service) => `${service} before`,
    );

    expect(head).toBe('Each service against its reference, as a multiple [95% interval]:');
    expect(first).toMatch(/^one against one before: 1\.50 /);
  });

  test('say first that the rounds are too few', () => {
    const all = claims([pairing('one', 'unclear', 3), pairing('two', 'unclear', 3), pairing('three', 'unclear', 3)]);

    expect(all[0]).toMatch(/^No verdicts: 3 rounds are too few/);
    expect(all[1]).toBe('Each service against REST, as a multiple:');
    expect(all[2]).toBe('one: 1.50 times the requests per CPU second, 1.50 times the requests/s at saturation.');
  });

  test('say first that the time budget left no time for more rounds', () => {
    const { rounds, ...others } = sampleVersus();
    const run = { ...others, rounds: { ...rounds, ended: 'budget', budgetSeconds: 942 } as const };

    const [first] = claims([pairing('one', 'unclear', 7)], undefined, run);

    expect(first).toBe(
      'No verdicts: the time budget of 15 min 42 s ran out after 7 rounds, and a verdict needs 8. Measured in them:',
    );
  });

  test('of two services stay sentences of their own', () => {
    expect(claims([pairing('one', 'better'), pairing('two', 'better')])).toHaveLength(4);
  });
});
