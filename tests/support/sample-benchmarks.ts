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

/** As criterion 0.8.2 printed it: `cargo bench`, the second time, so that it tells the change. */
export const CRITERION_TEXT = `sort ten                time:   [72.132 ns 96.892 ns 125.57 ns]
                        change: [−42.314% −3.5017% +70.746%] (p = 0.90 > 0.05)
                        No change in performance detected.
Found 13 outliers among 100 measurements (13.00%)
  9 (9.00%) high mild
  4 (4.00%) high severe

serialize/a long name of a benchmark/10
                        time:   [762.04 ns 1.0064 µs 1.3089 µs]
                        thrpt:  [29.143 MiB/s 37.906 MiB/s 50.059 MiB/s]
                 change:
                        time:   [−0.8664% +57.154% +142.03%] (p = 0.05 > 0.05)
                        thrpt:  [−58.683% −36.368% +0.8740%]
                        No change in performance detected.
Found 11 outliers among 100 measurements (11.00%)
  5 (5.00%) high mild
  6 (6.00%) high severe
serialize/a long name of a benchmark/100
                        time:   [3.1579 µs 5.0938 µs 7.6342 µs]
                        thrpt:  [49.969 MiB/s 74.889 MiB/s 120.80 MiB/s]
                 change:
                        time:   [−35.899% +49.545% +179.51%] (p = 0.37 > 0.05)
                        thrpt:  [−64.223% −33.130% +56.003%]
                        No change in performance detected.
Found 23 outliers among 100 measurements (23.00%)
  23 (23.00%) high severe
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
