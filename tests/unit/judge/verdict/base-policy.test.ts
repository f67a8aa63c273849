import { describe, expect, test } from 'vitest';
import { judgingPolicy } from '../../../../src/judge/verdict/base-policy.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import {
  changedPolicy,
  DEFAULT_POLICY,
  isGate,
  type Policy,
  type PolicyChange,
  thresholdOf,
} from '../../../../src/model/policy.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const run = sampleRounds();
const suite = { ...run.suite, services: run.services.map(({ name }) => name) };
const policyWith = (change: PolicyChange) => changedPolicy(DEFAULT_POLICY, change);
const rulesOf = (base: PolicyChange, head: PolicyChange) => judgingPolicy(policyWith(base), policyWith(head), suite);

const cpu = (policy: Policy, tier = 'saturation') =>
  thresholdOf(policy, {
    cell: { suite: suite.name, service: 'rest', operation: 'all', tier },
    metric: 'cpuMicrosPerRequest',
  });

const ACCEPTED = { metric: 'latencyP50Ms', upTo: 0.1, until: '2027-01-31', why: 'known' };
const BUDGET = { metric: 'latencyP95Ms', limit: 50 };

describe('a pull request cannot loosen its own policy', () => {
  test.each<[string, PolicyChange, PolicyChange, readonly string[]]>([
    ['every threshold', {}, { thresholds: [{ threshold: 9 }] }, ['3%', '900%']],
    ['one threshold', {}, { thresholds: [{ metric: 'cpuMicrosPerRequest', threshold: 9 }] }, ['3%', '900%']],
    [
      'the threshold of one service',
      {},
      { thresholds: [{ service: 'rest', threshold: 0.5 }] },
      ['at saturation of rest', '50%'],
    ],
    ['a gate', {}, { thresholds: [{ gate: false }] }, ['3%', 'not gating']],
    ['the gate of memory', {}, { thresholds: [{ metric: 'peakMemoryMiB', gate: false }] }, ['10%', 'not gating']],
    ['a preset', {}, { preset: 'advisory' }, ['not gating', 'inconclusive']],
    ['a gate that the base adds', { thresholds: [{ metric: 'latencyP95Ms', gate: true }] }, {}, ['not gating']],
    ['alpha', {}, { alpha: 0.001 }, ['alpha', '0.1%']],
    ['the floor', {}, { floor: 0.5 }, ['floor', '50%']],
    ['the proof', {}, { proof: 'strict' }, ['proof', 'strict']],
    ['inconclusive', { inconclusive: 'fail' }, { inconclusive: 'pass' }, ['inconclusive', 'fail', 'pass']],
    ['answers', { answers: 'fail' }, { answers: 'ignore' }, ['answers', 'ignore']],
    ['a budget', { budgets: [BUDGET] }, { budgets: [{ ...BUDGET, limit: 500 }] }, ['budget', '50', '500']],
    ['a budget that is gone', { budgets: [BUDGET] }, {}, ['budget', 'none']],
    ['an accepted regression', {}, { accepted: [ACCEPTED] }, ['accepted', 'up to 10% until 2027-01-31']],
    [
      'the drift',
      { drift: [{ metric: 'achievedRps', limit: 0.05 }] },
      { drift: [{ metric: 'achievedRps', limit: 5 }] },
      ['drift', '500%'],
    ],
  ])('by %s: the base judges, and the change is named', (_, base, head, words) => {
    const { policy, rules } = rulesOf(base, head);

    expect(policy).toEqual(policyWith(base));
    expect(rules?.applied).toEqual([]);
    const named = JSON.stringify(rules?.pending);
    expect(words.filter((word) => !named.includes(word))).toEqual([]);
  });

  test('and its slower service fails as it did', () => {
    const slower = sampleRounds({ rounds: 10, worse: [{ service: 'rest', by: 0.1 }] });
    const { policy, rules } = rulesOf({}, { thresholds: [{ threshold: 9 }] });

    const result = judgeRun({ ...slower, rounds: { ...slower.rounds, policy, rules } });

    expect([result.outcome, result.exitCode, result.rules]).toEqual(['regressed', 1, rules]);
  });
});

describe('what a pull request makes stricter', () => {
  test.each<[string, PolicyChange, PolicyChange, Partial<Policy>]>([
    ['alpha', {}, { alpha: 0.05 }, { alpha: 0.05 }],
    ['inconclusive', {}, { inconclusive: 'fail' }, { inconclusive: 'fail' }],
    ['answers', {}, { answers: 'fail' }, { answers: 'fail' }],
    ['a budget', { budgets: [BUDGET] }, { budgets: [{ ...BUDGET, limit: 5 }] }, { budgets: [{ ...BUDGET, limit: 5 }] }],
    ['a new budget', {}, { budgets: [BUDGET] }, { budgets: [BUDGET] }],
    ['an entry that is gone', { accepted: [ACCEPTED] }, {}, { accepted: [] }],
    [
      'an entry of less',
      { accepted: [ACCEPTED] },
      { accepted: [{ ...ACCEPTED, upTo: 0.05 }] },
      { accepted: [{ ...ACCEPTED, upTo: 0.05 }] },
    ],
  ])('applies at once: %s', (_, base, head, expected) => {
    const { policy, rules } = rulesOf(base, head);

    expect(policy).toEqual({ ...policyWith(base), ...expected });
    expect([rules?.pending, rules?.applied.length]).toEqual([[], 1]);
  });

  test('applies even where the same change loosens something else', () => {
    const { policy, rules } = rulesOf(
      {},
      { thresholds: [{ threshold: 9 }, { metric: 'cpuMicrosPerRequest', tier: 'saturation', threshold: 0.02 }] },
    );

    expect([cpu(policy), cpu(policy, 'low')]).toEqual([0.02, 0.05]);
    expect(rules?.applied).toEqual([{ metric: 'cpuMicrosPerRequest', what: 'at saturation', from: '3%', to: '2%' }]);
    expect(rules?.pending).not.toEqual([]);
  });

  test('applies as a gate, and not to what another policy is asked for', () => {
    const { policy } = rulesOf({ preset: 'advisory' }, {});
    const name = {
      cell: { suite: suite.name, service: 'rest', operation: 'all', tier: 'saturation' },
      metric: 'achievedRps',
    };

    expect(isGate(policy, name, true)).toBe(true);
    expect(isGate(changedPolicy(policy, { thresholds: [{ gate: false }] }), name, true)).toBe(false);
  });
});

test('nothing is said of policies that mean the same', () => {
  expect(rulesOf({}, { thresholds: [{ metric: 'cpuMicrosPerRequest', tier: 'saturation', threshold: 0.03 }] })).toEqual(
    {
      policy: DEFAULT_POLICY,
    },
  );
});
