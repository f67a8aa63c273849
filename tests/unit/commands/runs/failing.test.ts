import { describe, expect, test } from 'vitest';
import { toolSamples } from '../../../../src/commands/runs/tool-samples.ts';
import { parseToolPolicy } from '../../../../src/config/schema/policy.ts';
import { judgeComparison } from '../../../../src/judge/verdict/judge.ts';
import { changedPolicy, DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { filesOf, go, read, times } from '../../../support/sample-outputs.ts';

const judged = (base: readonly unknown[], head: readonly unknown[]) =>
  judgeComparison(read(base, head).input, DEFAULT_POLICY, 1);

const eight = <Item>(item: Item) => times(8, () => item);

/** Of each tool a file with one benchmark, the same in which it fails, and the same without its figure. */
const TOOLS = [
  [
    'go-test',
    'pkg: p\nBenchmarkA-2 10 5 ns/op',
    'pkg: p\n--- FAIL: BenchmarkA-2\nFAIL\tp\t1s',
    'pkg: p\nBenchmarkA-2 10 NaN ns/op',
  ],
  [
    'pytest-benchmark',
    { machine_info: {}, benchmarks: [{ name: 'a', stats: { median: 1 } }] },
    { machine_info: {}, benchmarks: [{ name: 'a', error: 'boom' }] },
    { machine_info: {}, benchmarks: [{ name: 'a' }] },
  ],
  [
    'google-benchmark',
    { context: {}, benchmarks: [{ name: 'a', real_time: 1 }] },
    { context: {}, benchmarks: [{ name: 'a', real_time: 0, error_occurred: true, error_message: 'boom' }] },
    { context: {}, benchmarks: [{ name: 'a', real_time: 'nan' }] },
  ],
  [
    'jmh',
    [{ benchmark: 'a', mode: 'avgt', forks: 1, primaryMetric: { score: 1, scoreUnit: 'us/op', rawData: [[1]] } }],
    [{ benchmark: 'a', mode: 'avgt', forks: 1, primaryMetric: { score: 'NaN', scoreUnit: 'us/op', rawData: [] } }],
    [{ benchmark: 'a', mode: 'avgt', primaryMetric: { score: 'NaN', scoreUnit: 'us/op' } }],
  ],
  ['criterion', 'test a ... bench: 5 ns/iter (+/- 1)', 'test a ... FAILED', 'test a ... '],
  [
    'k6',
    { metrics: { http_req_duration: { med: 5, thresholds: { 'med<9': false } } } },
    { metrics: { http_req_duration: { med: 50, thresholds: { 'med<9': true } } } },
    { metrics: { http_req_duration: { med: null } } },
  ],
  [
    'hyperfine',
    { results: [{ command: 'a', median: 1, exit_codes: [0] }] },
    { results: [{ command: 'a', median: 1, exit_codes: [1] }] },
    { results: [{ command: 'a', median: null }] },
  ],
] as const;

describe.each(TOOLS)('the output of %s', (_tool, whole, failing, lacking) => {
  test('fails if everything fails in the head, also of one file', () => {
    expect(judged(eight(whole), eight(failing))).toMatchObject({ outcome: 'failed', exitCode: 1 });
    expect(judged([whole], [failing])).toMatchObject({ outcome: 'failed', exitCode: 1 });
  });

  test('does not pass if the head lacks the figures, or both versions fail', () => {
    expect(judged(eight(whole), eight(lacking)).outcome).not.toBe('passed');
    expect(judged([whole], [lacking]).outcome).not.toBe('passed');
    expect(judged(eight(failing), eight(failing)).outcome).not.toBe('passed');
  });
});

describe('what a file has besides figures', () => {
  test('keeps a comparison from passing, by name', () => {
    const base = `${go([5])}\nBenchmarkB-2 10 7 ns/op`;
    const result = judged(eight(base), eight(`${go([5])}\nBenchmarkB-2 \tlog line`));

    expect(result).toMatchObject({ outcome: 'inconclusive', coverage: { rows: 2, seen: 1 } });
    expect(listsOf(result).uncompared).toMatchObject([
      {
        cell: { operation: 'BenchmarkB-2' },
        reason: 'left-out',
        detail: 'in the head: line 2 has no figures, because other output split it',
      },
      { cell: { operation: 'BenchmarkB-2' }, reason: 'gone' },
    ]);
  });

  test('holds nothing up if it is a summary, or if both versions skip it', () => {
    const output = `${go([5])}\n--- SKIP: BenchmarkS`;
    const result = judged(eight(output), eight(output));

    expect(listsOf(result)).toMatchObject({ outcome: 'passed', uncompared: [] });
    expect(result.remarks).toContain('Left out: BenchmarkS was skipped.');
    expect(judged(eight(`${go([5])}\n${go([5], 'BenchmarkS')}`), eight(output)).outcome).toBe('inconclusive');
  });

  test('is a failure of the head alone only if the base has none', () => {
    const both = judged(eight(`${go([5])}\n--- FAIL: BenchmarkB`), eight(`${go([5])}\n--- FAIL: BenchmarkB`));
    const fixed = judged(eight(`${go([5])}\n--- FAIL: BenchmarkB`), eight(`${go([5])}\n${go([5], 'BenchmarkB')}`));

    expect(listsOf(both)).toMatchObject({ outcome: 'inconclusive', uncompared: [{ reason: 'both-failed' }] });
    expect(listsOf(fixed)).toMatchObject({ outcome: 'inconclusive', uncompared: [{ reason: 'base-failed' }] });
  });
});

describe('requests and checks of k6 that fail', () => {
  const k6 = (failed: number, more: object = {}) => ({
    metrics: {
      http_req_duration: { med: 10, 'p(95)': 20 },
      'http_req_duration{expected_response:true}': { med: 11, 'p(95)': 21 },
      http_req_failed: { passes: failed, fails: 1000 - failed, value: failed / 1000 },
      ...more,
    },
  });
  const fast = { http_req_duration: { med: 2, 'p(95)': 4 } };

  test.each([
    ['none to all', 0, 1000],
    ['1% to half', 10, 500],
  ])('are judged by their counts, %s, and never an improvement', (_what, before, now) => {
    const result = judged(eight(k6(before)), eight(k6(now, fast)));

    expect(result).toMatchObject({ outcome: 'regressed', exitCode: 1 });
    expect(listsOf(result).findings.filter(({ verdict }) => verdict === 'improved')).toEqual([]);
    expect(listsOf(result).findings.map(({ cell }) => cell.operation)).toEqual([
      'http_req_duration{expected_response:true}',
      'http_req_duration{expected_response:true}',
    ]);
    expect(listsOf(result).uncompared).toMatchObject([{ reason: 'invalid' }, { reason: 'invalid' }]);
  });

  test('are a regression of a check, too', () => {
    const checks = (passes: number) => k6(0, { checks: { passes, fails: 100 - passes, value: passes / 100 } });

    expect(listsOf(judged(eight(checks(100)), eight(checks(40))))).toMatchObject({
      outcome: 'regressed',
      errors: [
        { cell: { operation: 'http_req_failed' }, verdict: 'unchanged' },
        { cell: { operation: 'checks' }, verdict: 'regressed' },
      ],
    });
  });

  test('need more than one file for a verdict, and do not pass without', () => {
    expect(judged([k6(0)], [k6(1000)])).toMatchObject({ outcome: 'incomplete', exitCode: 2 });
  });

  test('pass if as many fail in both', () => {
    expect(judged(eight(k6(100)), eight(k6(100)))).toMatchObject({ outcome: 'passed', exitCode: 0 });
  });

  test('have a statistic that gates, whichever the file has', () => {
    const tails = (scale: number) => ({
      metrics: { http_req_duration: { avg: scale, max: 3 * scale, 'p(99.9)': 2 * scale } },
    });

    expect(judged(eight(tails(10)), eight(tails(100)))).toMatchObject({ outcome: 'regressed' });
  });
});

describe('a metric without a direction', () => {
  const output = (score: number) => `BenchmarkA-2 10 5 ns/op ${score} points`;
  const { input, metrics } = toolSamples({
    base: filesOf('base', eight(output(100))),
    head: filesOf('head', eight(output(70))),
  });
  const judgedBy = (text: string) => {
    const { given, policy } = parseToolPolicy({ file: 'policy.yml', text });
    return judgeComparison(input(given), changedPolicy(DEFAULT_POLICY, policy(metrics(given))), 1);
  };

  test('is shown and not judged, and the report says how to set one', () => {
    const result = judgeComparison(input(), DEFAULT_POLICY, 1);

    expect(listsOf(result)).toMatchObject({
      outcome: 'passed',
      uncompared: [{ metric: 'points', reason: 'unknown-direction', detail: '100 → 70 points', rows: 0 }],
    });
    expect(result.notes).toContainEqual(expect.stringContaining('`better: { "points": higher }`'));
  });

  test.each([
    ['points: higher', 'regressed'],
    ['points: lower', 'passed'],
    ['"po*s": higher', 'regressed'],
    ['"Benchmark*": higher', 'regressed'],
    ['"other*": higher', 'passed'],
  ])('has the one that a policy gives: %s is %s', (better, outcome) => {
    expect(judgedBy(`better: { ${better} }`).outcome).toBe(outcome);
  });

  test('needs one for a budget', () => {
    expect(() => judgedBy('budgets: [{ metric: points, atMost: 5 }]')).toThrow('is for a metric without a direction');
    expect(
      listsOf(judgedBy('{ better: { points: higher }, budgets: [{ metric: points, atLeast: 80 }] }')).budgets,
    ).toMatchObject([{ verdict: 'over' }]);
  });

  test('is refused with any other word', () => {
    expect(() => judgedBy('better: { points: more }')).toThrow('better.points');
  });
});
