/** What `go test -bench` prints. */
export const GO = `goos: linux
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

export const PYTEST = {
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

export const GOOGLE = {
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

export const JMH = [
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

export const CRITERION = `{"reason":"benchmark-complete","id":"sort/10","typical":{"estimate":37.5,"lower_bound":37,"upper_bound":38,"unit":"ns"}}
{"reason":"group-complete","group_name":"sort"}
`;

export const K6 = {
  metrics: {
    http_req_duration: { avg: 9, min: 1, med: 8, max: 99, 'p(90)': 20, 'p(95)': 30 },
    'http_req_duration{expected_response:true}': { type: 'trend', values: { med: 7, 'p(99)': 50 } },
    http_reqs: { count: 1000, rate: 99.5 },
    http_req_failed: { passes: 1, fails: 999, value: 0.001 },
    vus: { value: 1, min: 1, max: 10 },
  },
};

export const HYPERFINE = {
  results: [
    { command: 'parse a.json', mean: 2, median: 1.5, times: [1, 2, 4], exit_codes: [0, 0, 0] },
    { command: 'parse b.json', mean: 2, median: 1.5 },
  ],
};
