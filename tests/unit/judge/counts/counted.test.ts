import { describe, expect, test } from 'vitest';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import type { Policy } from '../../../../src/model/policy.ts';
import { parseRun } from '../../../../src/model/run/run.ts';
import { notesOf } from '../../../../src/report/views/notes.ts';
import { listsOf } from '../../../support/result-lists.ts';
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
    listsOf(result).findings.find((finding) => finding.cell.operation === operation && finding.metric === metric);
  return { run, result, of };
}

const times = (factor: number) => REST_STARTS.map((start) => start.map((count) => Math.round(count * factor)));

describe('instructions that were counted', () => {
  test('are the same in two versions that are the same', () => {
    const { result, of } = judged({});

    expect(result).toMatchObject({ outcome: 'passed', exitCode: 0, gateSize: 0, rounds: [] });
    expect(listsOf(result).findings.map(({ verdict }) => verdict)).toEqual(Array(6).fill('unchanged'));
    expect(of('all', 'instructionsPerRequest')).toMatchObject({ threshold: 0.01, rounds: 2, family: 'gate' });
  });

  test('show a change of 1.4% as a regression, and from which size on a change would have been seen', () => {
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

    expect(listsOf(result)).toMatchObject({ outcome: 'incomplete', exitCode: 2, findings: [] });
  });

  test('are missing with the cause if a version could not be counted', () => {
    const failures = [{ service: 'rest', side: 'head' as const, message: 'it ended', next: 'Look.' }];
    const { result } = judged({ head: [], failures });

    expect(result).toMatchObject({ outcome: 'incomplete', exitCode: 2 });
    expect(listsOf(result).uncompared).toMatchObject([
      { detail: { kind: 'uncounted', side: 'head', said: 'it ended' }, next: 'Look.' },
    ]);
  });

  test('are noted if a service does not come to a steady number', () => {
    expect(notesOf(judged({ warmFrom: undefined })).notes.join()).toContain('REST did not reach a steady number');
  });
});

describe('windows that both versions ran at the same time', () => {
  /** What the machine does to windows of both versions alike: up to 1% from window to window. */
  const SHARED = [
    [1.0, 1.009, 0.992, 1.006, 0.994],
    [1.007, 0.99, 1.003, 1.009, 0.994],
  ];
  /** What only one version has. */
  const OWN = [
    [1.0004, 0.9997, 1.0003, 0.9999, 1.0001],
    [0.9998, 1.0002, 1.0005, 0.9996, 1.0003],
  ];
  const base = SHARED.map((start) => start.map((shared) => 889_000 * shared));
  const headOf = (change: number) =>
    base.map((start, number) => start.map((count, window) => count * change * (OWN[number]?.[window] ?? 1)));
  const findingOf = (run: ReturnType<typeof sampleCounts>) =>
    listsOf(judgeRun(run, run.rounds.policy)).findings.find(
      ({ cell, metric }) => cell.operation === 'all' && metric === 'instructionsPerRequest',
    );

  test('are compared with each other, so what the machine does to both does not count', () => {
    const run = sampleCounts({ base, head: headOf(1) });
    const together = findingOf(run);
    const inTurns = findingOf({ ...run, rounds: { ...run.rounds, interleave: 'slots' } });

    expect(together).toMatchObject({ verdict: 'unchanged' });
    expect(together?.detectable).toBeLessThan(0.012);
    expect(inTurns?.detectable).toBeGreaterThan(0.018);
  });

  test('are not those of stored counts', () => {
    const run = sampleCounts({ base, head: headOf(1) });
    const stored = [{ service: 'rest', commit: 'abc1234', source: 'gh-pages' }];
    const { instructions } = run;

    const finding = findingOf({ ...run, ...(instructions && { instructions: { ...instructions, stored } }) });
    expect(finding?.detectable).toBeGreaterThan(0.018);
  });

  test('are those after the warm-up of both', () => {
    const slow = base.map((start) => [2 * 889_000, 1.5 * 889_000, ...start]);
    const fast = headOf(1).map((start) => [889_000, 889_000, ...start]);
    const run = sampleCounts({ base: slow, head: fast });
    const { instructions } = run;
    const starts = (instructions?.starts ?? []).map((start) => ({ ...start, warmFrom: start.side === 'base' ? 2 : 0 }));

    const finding = findingOf({ ...run, ...(instructions && { instructions: { ...instructions, starts } }) });

    expect(finding).toMatchObject({ verdict: 'unchanged', rounds: 2 });
    expect(Math.abs(finding?.change.estimate ?? 1)).toBeLessThan(0.001);
  });

  test('count without those in which either version collects garbage', () => {
    const collecting = (starts: readonly (readonly number[])[], window: number) =>
      starts.map((start) => start.map((count, place) => (place === window ? count * 1.05 : count)));
    const finding = findingOf(sampleCounts({ base: collecting(base, 1), head: collecting(headOf(1), 2) }));

    expect(finding).toMatchObject({ verdict: 'unchanged' });
  });

  test('show a change of 1.2% in three starts, and nothing in two that agree by chance', () => {
    const again = (starts: readonly (readonly number[])[]) => [...starts, ...starts.slice(0, 1)];
    // A start of base that counts 0.3% more: what starts of this service differ by is not known from two.
    const differing = base.map((start, number) => start.map((count) => count * (number === 0 ? 1.003 : 1)));

    expect(findingOf(sampleCounts({ base: differing, head: headOf(1.0135) }))?.verdict).toBe('inconclusive');
    expect(findingOf(sampleCounts({ base: again(base), head: again(headOf(1.012)) }))?.verdict).toBe('regressed');
  });
});

test('a run with counts reads as it was written', () => {
  const run = sampleCounts({ head: SLOWER_STARTS });

  expect(parseRun(JSON.stringify(run), 'run.json')).toEqual(JSON.parse(JSON.stringify(run)));
});

test('an operation that one version did not count is not compared', () => {
  const run = sampleCounts();
  const starts = run.instructions?.starts.map((start) =>
    start.side === 'base' ? { ...start, operations: start.operations.slice(1) } : start,
  );
  const instructions = run.instructions && { ...run.instructions, starts: starts ?? [] };
  const { findings } = listsOf(judgeRun({ ...run, instructions }));

  expect(new Set(findings.map(({ cell }) => cell.operation))).toEqual(new Set(['all', 'ListUsers']));
});
