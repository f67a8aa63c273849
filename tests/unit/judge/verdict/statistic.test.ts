import { expect, test } from 'vitest';
import { logComparison, mirrored, pairedOf, statisticOf } from '../../../../src/judge/verdict/findings.ts';
import { made } from './made-input.ts';

test.each([
  ['rest/all/saturation', 'achievedRps', 'differences'],
  ['rest/all/saturation', 'latencyP95Ms', 'differences'],
  ['rest/all/medium', 'cpuMicrosPerRequest', 'differences'],
  ['rest/GetUser/medium', 'latencyP50Ms', 'ranks'],
  ['rest/all/all', 'peakMemoryMiB', 'ranks'],
] as const)('%s %s is tested by its %s, for worse and for better', (cell, metric, statistic) => {
  const one = made({ cell, metric });
  const paired = pairedOf(logComparison(one), 10);

  expect(statisticOf(one)).toBe(statistic);
  expect([paired.statistic, mirrored(paired).statistic]).toEqual([statistic, statistic]);
});
