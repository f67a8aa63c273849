import { describe, expect, it } from 'vitest';
import { type BenchmarkTool, readToolOutput } from '../../../../src/history/exchange/tools/tool-output.ts';
import { HistoryError } from '../../../../src/history/store/fields.ts';
import { appendedAll, readSegment } from '../../../../src/history/store/segment.ts';
import { namer } from '../../../support/sample-gab.ts';

const NOW = '2026-11-23T10:00:00.000Z';

const read = (tool: BenchmarkTool, text: string, given: { at?: string; commit?: string } = {}) =>
  readToolOutput(text, 'bench.out', {
    tool,
    suite: 'parser',
    at: given.at,
    commit: given.commit,
    now: NOW,
    nameRun: namer(),
  });

/** Each figure in a line: "name metric better value unit". */
const figures = (tool: BenchmarkTool, text: string) => {
  const { series, values } = read(tool, text);
  return series.map(
    ({ operation, metric, better, unit }, place) => `${operation} | ${metric} | ${better} | ${values[place]} ${unit}`,
  );
};

const GO = `goos: linux
goarch: amd64
pkg: example.org/parser
cpu: AMD EPYC
BenchmarkParse/size=10-8 \t  300000\t      4100 ns/op\t  34.50 MB/s\t     120 B/op\t       3 allocs/op
BenchmarkParse/size=10-8 \t  300000\t      4300 ns/op\t  34.10 MB/s\t     120 B/op\t       3 allocs/op
BenchmarkParse/size=10-8 \t  300000\t      4200 ns/op\t  34.30 MB/s\t     120 B/op\t       3 allocs/op
PASS
pkg: example.org/parser/lex
BenchmarkServe-8 \t 1000\t 12 ns/op\t 9 requests/s
--- BENCH: BenchmarkServe-8
    bench_test.go:9: BenchmarkLog 5 times
ok  \texample.org/parser\t5.1s
`;

const PYTEST = {
  datetime: '2026-11-20T08:00:00.123456',
  commit_info: { id: 'abc123', dirty: false },
  benchmarks: [
    {
      name: 'test_parse[10]',
      fullname: 'tests/test_parse.py::test_parse[10]',
      stats: { median: 0.0021, mean: 0.0023 },
    },
  ],
};

const GOOGLE = {
  context: { date: '2026-11-20T08:00:00+01:00', num_cpus: 8 },
  benchmarks: [
    {
      name: 'BM_Sort/1024',
      run_name: 'BM_Sort/1024',
      run_type: 'iteration',
      real_time: 10,
      cpu_time: 9,
      time_unit: 'us',
    },
    {
      ...{ name: 'BM_Sort/1024', run_name: 'BM_Sort/1024', run_type: 'iteration', real_time: 12, cpu_time: 11 },
      ...{ time_unit: 'us', items_per_second: 5e6, bytes_per_second: 4e7 },
    },
    { name: 'BM_Sort/1024_mean', run_name: 'BM_Sort/1024', run_type: 'aggregate', real_time: 11, cpu_time: 10 },
  ],
};

const JMH = [
  {
    ...{ benchmark: 'org.example.Sort.run', mode: 'thrpt', params: { size: '10' } },
    primaryMetric: { score: 123.5, scoreError: 'NaN', scoreUnit: 'ops/ms', rawData: [[1]] },
    secondaryMetrics: {
      'gc.alloc.rate.norm': { score: 88, scoreUnit: 'B/op' },
      'gc.time': { score: 'NaN', scoreUnit: 'ms' },
    },
  },
  { benchmark: 'org.example.Sort.run', mode: 'avgt', primaryMetric: { score: 8, scoreUnit: 'us/op' } },
];

const CRITERION = `{"reason":"benchmark-complete","id":"sort/10","typical":{"estimate":37.5,"lower_bound":37,"upper_bound":38,"unit":"ns"}}
{"reason":"group-complete","group_name":"sort"}
`;

const K6 = {
  metrics: {
    http_req_duration: { avg: 9, min: 1, med: 8, max: 99, 'p(90)': 20, 'p(95)': 30 },
    'http_req_duration{expected_response:true}': { type: 'trend', values: { med: 7, 'p(99)': 50 } },
    http_reqs: { count: 1000, rate: 99.5 },
    http_req_failed: { passes: 1, fails: 999, value: 0.001 },
    vus: { value: 1, min: 1, max: 10 },
  },
};

const HYPERFINE = {
  results: [
    { command: 'parse a.json', mean: 2, median: 1.5, times: [1, 2, 4], exit_codes: [0, 0, 0] },
    { command: 'parse b.json', mean: 2, median: 1.5 },
  ],
};

describe('the output of a benchmark tool', () => {
  it.each([
    [
      'go-test',
      GO,
      [
        'example.org/parser BenchmarkParse/size=10-8 | time | lower | 4200 ns/op',
        'example.org/parser BenchmarkParse/size=10-8 | throughput | higher | 34.3 MB/s',
        'example.org/parser BenchmarkParse/size=10-8 | memory | lower | 120 B/op',
        'example.org/parser BenchmarkParse/size=10-8 | allocations | lower | 3 allocs/op',
        'example.org/parser/lex BenchmarkServe-8 | time | lower | 12 ns/op',
        'example.org/parser/lex BenchmarkServe-8 | requests/s | higher | 9 requests/s',
      ],
    ],
    ['pytest-benchmark', PYTEST, ['tests/test_parse.py::test_parse[10] | time | lower | 0.0021 s']],
    [
      'google-benchmark',
      GOOGLE,
      [
        'BM_Sort/1024 | time | lower | 11 us',
        'BM_Sort/1024 | cpu-time | lower | 10 us',
        'BM_Sort/1024 | throughput | higher | 5000000 items/s',
        'BM_Sort/1024 | bytes | higher | 40000000 B/s',
      ],
    ],
    [
      'jmh',
      JMH,
      [
        'org.example.Sort.run thrpt size=10 | throughput | higher | 123.5 ops/ms',
        'org.example.Sort.run thrpt size=10 | gc.alloc.rate.norm | lower | 88 B/op',
        'org.example.Sort.run avgt | time | lower | 8 us/op',
      ],
    ],
    ['criterion', CRITERION, ['sort/10 | time | lower | 37.5 ns']],
    [
      'criterion',
      'test sort_10 ... bench:      37,174 ns/iter (+/- 7,527)\n',
      ['sort_10 | time | lower | 37174 ns/iter'],
    ],
    [
      'k6',
      K6,
      [
        'http_req_duration | p50 | lower | 8 ms',
        'http_req_duration | p90 | lower | 20 ms',
        'http_req_duration | p95 | lower | 30 ms',
        'http_req_duration{expected_response:true} | p50 | lower | 7 ms',
        'http_req_duration{expected_response:true} | p99 | lower | 50 ms',
        'http_reqs | rate | higher | 99.5 1/s',
        'http_req_failed | errorRate | lower | 0.001 ',
      ],
    ],
    ['hyperfine', HYPERFINE, ['parse a.json | time | lower | 2 s', 'parse b.json | time | lower | 1.5 s']],
  ] as const)('%s becomes a run with its figures', (tool, file, expected) => {
    expect(figures(tool, typeof file === 'string' ? file : JSON.stringify(file))).toEqual(expected);
  });

  it('says when and what was measured, unless the caller does', () => {
    const text = JSON.stringify(PYTEST);

    expect(read('pytest-benchmark', text)).toMatchObject({ at: '2026-11-20T08:00:00.123Z', commit: { sha: 'abc123' } });
    expect(read('google-benchmark', JSON.stringify(GOOGLE)).at).toBe('2026-11-20T07:00:00.000Z');
    expect(read('pytest-benchmark', text, { at: '2025-01-01T00:00:00.000Z', commit: 'def' })).toMatchObject({
      at: '2025-01-01T00:00:00.000Z',
      commit: { sha: 'def' },
    });
    expect(read('go-test', GO)).toMatchObject({ at: NOW, suite: 'parser', kind: 'import' });
  });

  it('has the scatter of what was repeated, and is the same run each time', () => {
    const { spreads, rounds, run } = read('go-test', GO, { at: NOW });

    expect(spreads[0]).toBeGreaterThan(0.01);
    expect(spreads[4]).toBeNull();
    expect(rounds).toBe(1);
    expect(read('go-test', GO, { at: NOW }).run).toBe(run);
  });

  it('can be stored, with its texts made harmless', () => {
    const entry = read('hyperfine', JSON.stringify({ results: [{ command: '\u001b[31mrm <b>', median: 1 }] }));

    const [stored] = readSegment(appendedAll('', [entry], 'x.jsonl'), 'x.jsonl');

    expect(stored?.series[0]?.operation).toBe('[31mrm <b>');
    expect(stored?.values).toEqual([1]);
  });

  it.each([
    ['go-test', 'PASS\n', 'has no figure of go-test'],
    ['criterion', '', 'has no figure of criterion'],
    ['criterion', '{"reason":"benchmark-complete"\n', 'was cut short'],
    ['jmh', '{}', 'must be a list'],
    ['jmh', '[{"benchmark":1}]', '0.benchmark'],
    ['k6', '{"metrics":{}}', 'has no figure of k6'],
    ['k6', '{"root_group":{}}', 'metrics'],
    ['hyperfine', '{"results":[{"command":"a","median":"fast"}]}', 'results.0.median'],
    ['google-benchmark', '{"benchmarks":"x"}', 'benchmarks'],
    ['pytest-benchmark', 'null', 'must be a map'],
  ] as const)('of %s that is something else is refused by its place: %s', (tool, text, why) => {
    expect(() => read(tool, text)).toThrow(HistoryError);
    expect(() => read(tool, text)).toThrow(why);
  });
});
