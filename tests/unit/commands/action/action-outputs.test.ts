import { describe, expect, test } from 'vitest';
import { comparisonOutputs } from '../../../../src/commands/action/outcome.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const outputsOf = (options: Parameters<typeof sampleRounds>[0]) => {
  const run = sampleRounds(options);
  return comparisonOutputs({ run, result: judgeRun(run) });
};

describe('comparisonOutputs', () => {
  test('names what regressed with its interval, for a later step to read', () => {
    const worse = [{ service: 'rest', tier: 'saturation', metric: 'cpuMicrosPerRequest' as const, by: 0.12 }];
    const { outcome, regressions = '', detectable } = outputsOf({ worse });
    expect(outcome).toBe('regressed');
    const found = JSON.parse(regressions);
    expect(found).toContainEqual({
      service: 'rest',
      operation: 'all',
      tier: 'saturation',
      metric: 'cpuMicrosPerRequest',
      change: expect.closeTo(0.12, 1),
      low: expect.any(Number),
      high: expect.any(Number),
    });
    expect(Number(detectable)).toBeGreaterThan(0);
  });

  test('is an empty list where nothing regressed, and says nothing of what too few rounds would have shown', () => {
    expect(outputsOf({})).toMatchObject({ regressions: '[]' });
    expect(outputsOf({ rounds: 3 })).toMatchObject({ outcome: 'incomplete', regressions: '[]', detectable: '' });
  });
});
