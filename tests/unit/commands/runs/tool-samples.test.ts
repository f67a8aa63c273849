import { describe, expect, test } from 'vitest';
import { judgeComparison } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import { listsOf } from '../../../support/result-lists.ts';
import {
  CRITERION,
  CRITERION_TEXT,
  GO,
  GOOGLE,
  HYPERFINE,
  JMH,
  K6,
  PYTEST,
} from '../../../support/sample-benchmarks.ts';
import { go, google, jmh, pytest, read, times } from '../../../support/sample-outputs.ts';

const judged = (base: readonly unknown[], head: readonly unknown[]) =>
  judgeComparison(read(base, head).input, DEFAULT_POLICY, 1);

/** Each comparison in a line, with the values of the base by round. */
const rows = (base: readonly unknown[], head: readonly unknown[]) =>
  read(base, head).input.compared.map(
    ({ cell, metric, better, gate, unit, base: values }) =>
      `${cell.operation} | ${metric} | ${better} | ${gate ? 'gates' : 'watched'} | ${values.join(' ')} ${unit}`,
  );

describe('the outputs of a benchmark tool that were measured in turns', () => {
  const parse = 'example.org/parser BenchmarkParse/size=10-8';
  test.each([
    [
      'go-test',
      GO,
      [
        `${parse} | allocations | lower | gates | 3 allocs/op`,
        `${parse} | memory | lower | gates | 120 B/op`,
        `${parse} | throughput | higher | gates | 34.3 MB/s`,
        `${parse} | time | lower | gates | 4200 ns/op`,
        'example.org/parser/lex BenchmarkServe-8 | requests/s | higher | gates | 9 requests/s',
        'example.org/parser/lex BenchmarkServe-8 | time | lower | gates | 12 ns/op',
      ],
    ],
    ['pytest-benchmark', PYTEST, ['tests/test_parse.py::test_parse[10] | time | lower | gates | 0.0021 s']],
    [
      'google-benchmark',
      GOOGLE,
      [
        'BM_Sort/1024 | bytes | higher | gates | 40000000 B/s',
        'BM_Sort/1024 | cpu-time | lower | gates | 10 us',
        'BM_Sort/1024 | throughput | higher | gates | 5000000 items/s',
        'BM_Sort/1024 | time | lower | gates | 11 us',
      ],
    ],
    [
      'jmh',
      JMH,
      [
        'org.example.Sort.run avgt | time | lower | gates | 8 us/op',
        'org.example.Sort.run thrpt size=10 | gc.alloc.rate.norm | lower | gates | 88 B/op',
        'org.example.Sort.run thrpt size=10 | throughput | higher | gates | 1 ops/ms',
      ],
    ],
    ['criterion', CRITERION, ['sort/10 | time | lower | gates | 37.5 ns']],
    [
      'criterion',
      CRITERION_TEXT,
      [
        'serialize/a long name of a benchmark/10 | time | lower | gates | 1006.4 ns',
        'serialize/a long name of a benchmark/100 | time | lower | gates | 5093.8 ns',
        'sort ten | time | lower | gates | 96.892 ns',
      ],
    ],
    [
      'k6',
      K6,
      [
        'http_req_duration | avg | lower | watched | 9 ms',
        'http_req_duration | max | lower | watched | 99 ms',
        'http_req_duration | min | lower | watched | 1 ms',
        'http_req_duration | p50 | lower | gates | 8 ms',
        'http_req_duration | p90 | lower | gates | 20 ms',
        'http_req_duration | p95 | lower | gates | 30 ms',
        'http_req_duration{expected_response:true} | p50 | lower | gates | 7 ms',
        'http_req_duration{expected_response:true} | p99 | lower | watched | 50 ms',
        'http_reqs | rate | higher | gates | 99.5 1/s',
      ],
    ],
    [
      'hyperfine',
      HYPERFINE,
      ['parse a.json | time | lower | gates | 2 s', 'parse b.json | time | lower | gates | 1.5 s'],
    ],
  ] as const)('of %s are comparisons with a round for each file', (tool, output, expected) => {
    const files = times(8, () => output);
    const { input } = read(files, files);

    const eight = expected.map((row) =>
      row.replace(/ (\S+) (\S+)$/, (_, value, unit) => ` ${times(8, () => value).join(' ')} ${unit}`),
    );
    expect(rows(files, files)).toEqual(eight);
    expect(new Set(input.compared.map(({ cell }) => cell.service))).toEqual(new Set([tool]));
    expect(judged(files, files)).toMatchObject({ outcome: 'passed', exitCode: 0, looks: [8] });
  });

  test('are judged as rounds, and say what is assumed of them', () => {
    const noisy = (level: number) => times(10, (index) => go([level + index, level + 2 + index, level + 50]));
    const result = judged(noisy(1000), noisy(1200));

    expect(result).toMatchObject({ outcome: 'regressed', exitCode: 1, notes: [] });
    expect(listsOf(result).findings).toMatchObject([{ verdict: 'regressed', rounds: 10, base: 1006.5, unit: 'ns/op' }]);
    expect(result.remarks).toEqual([expect.stringMatching(/^Assumed: the files were measured in turns/)]);
    expect(result).not.toHaveProperty('interleaved');
    expect(listsOf(judged(noisy(1200), noisy(1000)))).toMatchObject({
      outcome: 'passed',
      findings: [{ verdict: 'improved' }],
    });
  });

  test('may lack a benchmark now and then', () => {
    const files = times(10, () => go([10]));
    const holed = files.with(3, go([10], 'BenchmarkB-2'));

    expect(listsOf(judged(files, holed)).findings).toMatchObject([{ rounds: 9 }]);
  });

  test('need 8 rounds', () => {
    const files = times(7, () => K6);
    const result = judged(files, files);

    expect(result).toMatchObject({ outcome: 'incomplete', exitCode: 2 });
    expect(result.notes).toEqual(['A verdict needs 8 rounds: pass at least 8 files per side, measured in turns.']);
  });
});

describe('one output of each version', () => {
  test.each([
    ['go-test', go([5, 7, 6]), '5 7 6 ns/op'],
    ['pytest-benchmark', pytest({ 'BenchmarkA-2': [3, 1, 2] }), '3 1 2 s'],
    ['hyperfine', { results: [{ command: 'BenchmarkA-2', median: 2, times: [3, 1, 2] }] }, '3 1 2 s'],
    [
      'jmh',
      [
        {
          ...{ benchmark: 'BenchmarkA-2', mode: 'avgt' },
          primaryMetric: { score: 9, scoreUnit: 'us/op', rawData: [[4, 5], [6]] },
        },
      ],
      '4 5 6 us/op',
    ],
  ])('of %s has a round for each repetition', (_tool, output, values) => {
    expect(rows([output], [output]).map((row) => row.split(' | ').at(-1))).toEqual([values]);
  });

  test('may have been measured one after the other, which is said', () => {
    const result = judged([go(times(10, (index) => 100 + index))], [go(times(10, (index) => 130 + index))]);

    expect(result).toMatchObject({ outcome: 'regressed', exitCode: 1, interleaved: false });
    expect(result.notes).toEqual([
      expect.stringMatching(/^base-1 and head-1 count as measured one after the other: .* measure in turns/),
    ]);
    expect(result.remarks).toEqual([]);
  });

  test('of a single repetition says how to get more', () => {
    const result = judged([go([5])], [go([5])]);

    expect(result).toMatchObject({ outcome: 'incomplete', exitCode: 2, rounds: [{ service: 'go-test', kept: 1 }] });
    expect(result.notes[1]).toBe(
      'A verdict needs 8 rounds: repeat each benchmark (`go test -bench . -count 10`), or pass at least 8 files per side, measured in turns.',
    );
  });

  test('with thousands of repetitions has rounds of neighbors', () => {
    const many = pytest({ many: times(4000, (index) => 1 + Math.floor(index / 100)) });
    const { input } = read([many], [many]);

    expect(input.compared.map(({ base }) => base)).toEqual([times(40, (index) => index + 1)]);
    expect(input.rounds).toEqual([{ service: 'pytest-benchmark', kept: 40, discarded: 0, failed: 0 }]);
    expect(input.remarks).toEqual([
      'If a benchmark has more than 40 repetitions, a round is the median of neighboring ones.',
    ]);
  });

  test('has for all benchmarks the rounds of the shortest one that has enough', () => {
    const output = pytest({ few: [1, 2, 3], ten: times(10, (index) => index + 1), more: times(25, () => 7) });
    const { input } = read([output], [output]);

    expect(input.compared.map(({ cell, base }) => [cell.operation, base.length])).toEqual([
      ['more', 10],
      ['ten', 10],
    ]);
    expect(input.lost).toMatchObject([
      { cell: { operation: 'few' }, reason: 'missing', detail: '3 repetitions, and a verdict needs 8' },
    ]);
    expect(input.notes[1]).toMatch(/^A verdict needs 8 rounds: repeat each benchmark \(`--benchmark-min-rounds=10`\)/);
  });

  test('leaves out what the other one has no partner for, and says so', () => {
    const base = `${go(times(10, () => 5))}\n${go(
      times(9, () => 5),
      'BenchmarkB-2',
    )}`;
    const head = `${go(times(13, () => 5))}\n${go(
      times(8, () => 5),
      'BenchmarkB-2',
    )}`;

    expect(read([base], [head]).input.remarks).toEqual([
      'If a benchmark has more than 8 repetitions, a round is the median of neighboring ones.',
      'Repetitions were left out, because the other version has fewer: the last 3 of BenchmarkA-2, time, in the head, and of 1 more.',
    ]);
  });
});

describe('benchmarks of two versions', () => {
  const eight = <Item>(item: Item) => times(8, () => item);

  test.each([
    ['a time', google(2, 'us'), google(2000, 'ns')],
    ['a rate', jmh(2, 'ops/ms'), jmh(2000, 'ops/s')],
  ])('may have %s in another scale', (_what, base, head) => {
    const [found] = read(eight(base), eight(head)).input.compared;

    expect(found?.base[0]).toBe(2);
    expect(found?.head[0]).toBeCloseTo(2, 10);
  });

  test('are named if only one version has them', () => {
    const { input } = read(
      eight(`${go([5])}\n${go([6], 'BenchmarkOld-2')}`),
      eight(`${go([5])}\n${go([6], 'BenchmarkNew-2')}`),
    );

    expect(input.lost.map(({ cell, reason }) => [cell.operation, reason])).toEqual([
      ['BenchmarkNew-2', 'new'],
      ['BenchmarkOld-2', 'gone'],
    ]);
    expect(judgeComparison(input, DEFAULT_POLICY, 1).outcome).toBe('passed');
  });

  const allocating = (count: number) => `BenchmarkA-2 1000 5 ns/op ${count} allocs/op`;

  test('that are 0 in both did not change', () => {
    const result = judged(eight(allocating(0)), eight(allocating(0)));

    expect(listsOf(result)).toMatchObject({ outcome: 'passed', uncompared: [] });
    expect(result.remarks).toContain('Left out, because both versions have 0: BenchmarkA-2 (allocations).');
  });

  test('that are 0 in every round of one version alone are worse or better by an exact test', () => {
    const risen = judged(eight(allocating(0)), eight(allocating(3)));
    const fallen = judged(eight(allocating(3)), eight(allocating(0)));

    expect(listsOf(risen)).toMatchObject({ outcome: 'regressed', exitCode: 1, uncompared: [] });
    expect(listsOf(risen).errors).toMatchObject([
      { metric: 'allocations', unit: 'allocs/op', baseRate: 0, headRate: 3, p: 4 ** -8, verdict: 'regressed' },
    ]);
    expect(listsOf(fallen)).toMatchObject({ outcome: 'passed', exitCode: 0, errors: [{ verdict: 'improved' }] });
  });

  test('that are 0 in too few rounds, or now and then, are not judged, and a budget sees them', () => {
    const now = [0, 3, 0, 3, 3, 3, 3, 3];
    const risen = judged(
      eight(allocating(0)),
      now.map((count) => allocating(count)),
    );
    const four = times(4, () => allocating(0));
    const { input } = read(
      four,
      times(4, () => allocating(3)),
    );
    const budgets = [{ metric: 'allocations', limit: 0.5 }];

    expect(risen).toMatchObject({ outcome: 'inconclusive', exitCode: 0 });
    expect(listsOf(risen).uncompared).toMatchObject([{ reason: 'not-positive', detail: '0 → 3 allocs/op' }]);
    expect(listsOf(judgeComparison(input, { ...DEFAULT_POLICY, budgets }, 1))).toMatchObject({
      exitCode: 1,
      budgets: [{ found: 3, verdict: 'over' }],
    });
  });

  test('are never taken for all operations together, or for a member of a service', () => {
    const named = (command: string) => ({ results: [{ command, median: 1 }] });
    const names = ['all', './parse a.json'].map(
      (command) => read(eight(named(command)), eight(named(command))).input.compared[0]?.cell.operation,
    );

    expect(names).toEqual(['"all"', '"./parse a.json"']);
  });

  test('say which metrics a policy may name', () => {
    expect([...read([GO], [GO]).metrics]).toContainEqual(['throughput', 'higher']);
  });
});
