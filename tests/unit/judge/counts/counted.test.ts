import { describe, expect, test } from 'vitest';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import type { Policy } from '../../../../src/model/policy.ts';
import { parseRun } from '../../../../src/model/run/run.ts';
import {
  NOISY_STARTS,
  REST_STARTS,
  type SampleCounts,
  SLOWER_STARTS,
  sampleCounts,
} from '../../../support/sample-counts.ts';

function judged(options: SampleCounts, change: Partial<Policy> = {}) {
  const run = sampleCounts(options);
  const result = judgeRun(run, { ...run.rounds.policy, ...change });
  const of = (operation: string, metric: string) =>
    result.findings.find((finding) => finding.cell.operation === operation && finding.metric === metric);
  return { result, of };
}

const times = (factor: number) => REST_STARTS.map((start) => start.map((count) => Math.round(count * factor)));

describe('instructions that were counted', () => {
  test('are the same in two versions that are the same', () => {
    const { result, of } = judged({});

    expect(result).toMatchObject({ outcome: 'passed', exitCode: 0, gateSize: 0, rounds: [] });
    expect(result.findings.map(({ verdict }) => verdict)).toEqual(Array(6).fill('unchanged'));
    expect(of('all', 'instructionsPerRequest')).toMatchObject({ threshold: 0.01, rounds: 2, family: 'gate' });
  });

  test('show a change of 1.4 % as a regression, and from which size on a change would have been seen', () => {
    const { result, of } = judged({ head: SLOWER_STARTS });
    const finding = of('GetUser', 'instructionsPerRequest');

    expect(result).toMatchObject({ outcome: 'regressed', exitCode: 1 });
    expect(finding?.verdict).toBe('regressed');
    expect(finding?.change.estimate).toBeCloseTo(0.0142, 3);
    expect(finding?.detectable).toBeLessThan(0.011);
    expect(of('GetUser', 'syscallsPerRequest')?.verdict).toBe('unchanged');
  });

  test.each([
    [1.007, 'slower-within-limit'],
    [1.011, 'regressed'],
    [0.98, 'improved'],
    [1.0005, 'unchanged'],
  ])('times %s are %s', (factor, verdict) => {
    expect(judged({ head: times(factor) }).of('all', 'instructionsPerRequest')?.verdict).toBe(verdict);
  });

  test('follow the thresholds of the policy', () => {
    const thresholds = [{ metric: 'instructionsPerRequest', threshold: 0.05 }];

    expect(judged({ head: SLOWER_STARTS }, { thresholds }).result.outcome).toBe('passed');
  });

  test('gate nothing if they vary more than the threshold', () => {
    const { result, of } = judged({ base: NOISY_STARTS, head: NOISY_STARTS.toReversed() });

    expect(of('all', 'instructionsPerRequest')).toMatchObject({
      verdict: 'inconclusive',
      reason: 'not-seen',
      family: 'watch',
    });
    expect(result).toMatchObject({ outcome: 'passed', exitCode: 0 });
  });

  test('show what is far beyond the noise all the same', () => {
    const head = NOISY_STARTS.map((start) => start.map((count) => count * 4));

    expect(judged({ base: NOISY_STARTS, head }).result.outcome).toBe('regressed');
  });

  test('judge nothing of a single start', () => {
    const { result } = judged({ head: REST_STARTS.slice(1) });

    expect(result).toMatchObject({ outcome: 'incomplete', exitCode: 2, findings: [] });
  });

  test('are missing with the cause if a version could not be counted', () => {
    const failures = [{ service: 'rest', side: 'head' as const, message: 'it ended', next: 'Look.' }];
    const { result } = judged({ head: [], failures });

    expect(result).toMatchObject({ outcome: 'incomplete', exitCode: 2 });
    expect(result.uncompared).toMatchObject([{ detail: 'head could not be counted: it ended', next: 'Look.' }]);
  });

  test('are noted if a service does not come to a steady number', () => {
    expect(judged({ warmFrom: undefined }).result.notes.join()).toContain('rest did not come to a steady number');
  });
});

test('a run with counts reads as it was written', () => {
  const run = sampleCounts({ head: SLOWER_STARTS });

  expect(parseRun(JSON.stringify(run), 'run.json')).toEqual(JSON.parse(JSON.stringify(run)));
});
