import { describe, expect, it } from 'vitest';
import { changedPolicy, DEFAULT_POLICY, isGate, type PresetName, usualThreshold } from '../../../src/model/policy.ts';
import { listsOf } from '../../support/result-lists.ts';
import { judged, made } from '../judge/verdict/made-input.ts';

/** What may fail a pull request by a preset. */
function gatesOf(preset: PresetName | undefined, metrics: readonly string[]) {
  const policy = changedPolicy(DEFAULT_POLICY, { preset });
  const cell = { suite: 'users', service: 'rest', operation: 'all', tier: 'saturation' };
  return metrics.filter((metric) => isGate(policy, { cell, metric }, metric !== 'latencyP95Ms'));
}

const METRICS = ['cpuMicrosPerRequest', 'instructionsPerRequest', 'achievedRps', 'latencyP50Ms', 'latencyP95Ms'];

it('has the usual threshold for a metric that is named like a property of every object', () => {
  expect(usualThreshold({ tier: 'all' }, 'startUpMs')).toBe(0.2);
  expect(usualThreshold({ tier: 'all' }, 'constructor')).toBe(0.05);
});

describe('presets of the policy', () => {
  it.each<[PresetName | undefined, readonly string[]]>([
    [undefined, METRICS.slice(0, 4)],
    ['strict', METRICS],
    ['cpu-only', METRICS.slice(0, 2)],
    ['advisory', []],
  ])('%s says what may fail', (preset, gates) => {
    expect(gatesOf(preset, METRICS)).toEqual(gates);
  });

  it('count less than what is next to them', () => {
    const policy = changedPolicy(DEFAULT_POLICY, {
      preset: 'strict',
      inconclusive: 'warn',
      thresholds: [{ metric: 'latencyP95Ms', gate: false }],
    });
    const cell = { suite: 'users', service: 'rest', operation: 'Get', tier: 'low' };

    expect(policy).toMatchObject({ inconclusive: 'warn', answers: 'fail' });
    expect(isGate(policy, { cell, metric: 'latencyP95Ms' }, true)).toBe(false);
  });

  it('advisory shows a slowdown and does not fail', () => {
    const result = judged([made({ worse: 0.3, sd: 0.02 })], changedPolicy(DEFAULT_POLICY, { preset: 'advisory' }));

    expect(result).toMatchObject({ outcome: 'passed', exitCode: 0 });
    expect(listsOf(result).findings).toMatchObject([{ family: 'watch', verdict: 'regressed' }]);
  });
});
