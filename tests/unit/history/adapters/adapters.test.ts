import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BenchmarkTool, readAnyOutput, readOutput } from '../../../../src/history/adapters/adapters.ts';
import { readBenches } from '../../../../src/history/adapters/github-action-benchmark.ts';
import type { ToolRun } from '../../../../src/history/adapters/results.ts';
import { GAB } from '../../../support/sample-benchmarks.ts';

const read = (tool: BenchmarkTool, output: unknown): ToolRun => {
  const run = readOutput(tool, typeof output === 'string' ? output : JSON.stringify(output));
  return typeof run === 'string' ? expect.fail(run) : run;
};

/** Each figure in a line: "name metric better values unit". */
const lines = ({ figures }: ToolRun) =>
  figures.map(
    ({ name, metric, better, values, unit }) => `${name} | ${metric} | ${better} | ${values.join(' ')} ${unit}`,
  );

describe('the output of go test', () => {
  test('may say which way a metric is better', () => {
    const output = `Unit score better=higher
Unit widgets/op assume=exact better=lower
BenchmarkA-4 10 5 ns/op 3 score 2 widgets/op 7 points 9 qps 8 recall@10`;

    expect(lines(read('go-test', output))).toEqual([
      'BenchmarkA-4 | time | lower | 5 ns/op',
      'BenchmarkA-4 | score | higher | 3 score',
      'BenchmarkA-4 | widgets/op | lower | 2 widgets/op',
      'BenchmarkA-4 | points | unknown | 7 points',
      'BenchmarkA-4 | qps | higher | 9 qps',
      'BenchmarkA-4 | recall@10 | higher | 8 recall@10',
    ]);
  });

  test('is joined if a log splits a line, and named if it cannot be', () => {
    const output = `pkg: a
BenchmarkOpen-4 \t2026/01/02 03:04:05 listening on :0
 1000000\t      1050 ns/op\t  3 allocs/op
BenchmarkLost-4 \t2026/01/02 03:04:05 listening on :0
BenchmarkNext-4 \t 10\t 5 ns/op
 1000000\t      1051 ns/op
BenchmarkVerbose
BenchmarkVerbose-4 \t 10\t 6 ns/op
`;
    const run = read('go-test', output);

    expect(lines(run)).toEqual([
      'a BenchmarkOpen-4 | time | lower | 1050 ns/op',
      'a BenchmarkOpen-4 | allocations | lower | 3 allocs/op',
      'a BenchmarkNext-4 | time | lower | 5 ns/op',
      'a BenchmarkVerbose-4 | time | lower | 6 ns/op',
    ]);
    expect(run.leftOut).toMatchObject([
      { name: 'a BenchmarkLost-4', why: 'line 4 has no figures, because other output split it' },
      { name: 'line 6', kind: 'unread' },
    ]);
  });

  test('has failures by name, and by package if nothing else is named', () => {
    const output = `pkg: a
--- FAIL: BenchmarkA-4
    a_test.go:9: boom
--- SKIP: BenchmarkS
BenchmarkB-4 \t 10\t 5 ns/op
FAIL
exit status 1
FAIL\ta\t0.1s
pkg: b
BenchmarkC-4 \tpanic: runtime error: index out of range
panic: runtime error: index out of range
FAIL\tb\t0.1s
FAIL\tc [build failed]
`;
    const run = read('go-test', output);

    expect(run.failures).toEqual([
      { name: 'a BenchmarkA-4', why: 'failed' },
      { name: 'b BenchmarkC-4', why: 'panic: runtime error: index out of range' },
      { name: 'c', why: 'FAIL c [build failed]' },
    ]);
    expect(run.leftOut).toEqual([{ name: 'a BenchmarkS', why: 'was skipped', kind: 'skipped' }]);
  });

  test('may be events', () => {
    const event = (Package: string, Output: string) => JSON.stringify({ Action: 'output', Package, Output });
    const output = [
      event('a', 'BenchmarkA-4 \t'),
      event('b', 'BenchmarkA-4 \t'),
      event('a', ' 10\t 5 ns/op\n'),
      event('b', ' 10\t 6 ns/op\n'),
    ];

    expect(lines(read('go-test', output.join('\n')))).toEqual([
      'a BenchmarkA-4 | time | lower | 5 ns/op',
      'b BenchmarkA-4 | time | lower | 6 ns/op',
    ]);
  });
});

describe('the summary of k6', () => {
  const trend = { avg: 2, min: 1, med: 2, max: 9, 'p(90)': 3, 'p(95)': 4, 'p(99.9)': 8 };

  test('has every statistic, Rates by their counts, and crossed thresholds', () => {
    const run = read('k6', {
      metrics: {
        http_req_duration: { ...trend, thresholds: { 'p(95)<3': true, 'avg<5': false } },
        checks: { passes: 40, fails: 60, value: 0.4 },
        http_req_failed: {
          type: 'rate',
          values: { rate: 0.25, passes: 25, fails: 75 },
          thresholds: { 'rate<0.1': { ok: false } },
        },
        cache_used: { passes: 1, fails: 3, value: 0.25 },
        orders: { count: 10, rate: 2 },
        vus: { value: 5, min: 1, max: 5 },
      },
      root_group: {
        checks: { ok: { name: 'is 200', passes: 4, fails: 1 } },
        groups: [{ name: 'g', checks: [{ name: 'in', passes: 1, fails: 0 }] }],
      },
    });

    expect(lines(run)).toEqual([
      'http_req_duration | avg | lower | 2 ms',
      'http_req_duration | min | lower | 1 ms',
      'http_req_duration | p50 | lower | 2 ms',
      'http_req_duration | max | lower | 9 ms',
      'http_req_duration | p90 | lower | 3 ms',
      'http_req_duration | p95 | lower | 4 ms',
      'http_req_duration | p99.9 | lower | 8 ms',
      'checks | errorRate | lower | 0.6 ',
      'http_req_failed | errorRate | lower | 0.25 ',
      'cache_used | rate | unknown | 0.25 ',
      'orders | rate | unknown | 2 1/s',
      'vus | value | unknown | 5 ',
      'check is 200 | errorRate | lower | 0.2 ',
      'check g::in | errorRate | lower | 0 ',
    ]);
    expect(run.figures.find(({ name }) => name === 'http_req_failed')?.counts).toEqual({ failed: 25, requests: 100 });
    expect(run.failures).toEqual([
      { name: 'http_req_duration: p(95)<3', why: 'crossed its threshold' },
      { name: 'http_req_failed: rate<0.1', why: 'crossed its threshold' },
    ]);
  });

  test('may be the machine-readable one', () => {
    const run = read('k6', {
      version: '1.0.0',
      config: { duration: 10 },
      results: {
        metrics: [
          { name: 'http_req_duration', type: 'trend', contains: 'time', values: trend },
          { name: 'http_reqs', type: 'counter', contains: 'default', values: { count: 50 } },
          { name: 'http_req_failed', type: 'rate', contains: 'default', values: { matches: 5, total: 50, rate: 0.1 } },
          { name: 'own', type: 'trend', contains: 'default', values: { med: 3 } },
        ],
        checks: {
          metrics: [
            { name: 'checks_total', type: 'counter', contains: 'default', values: { count: 50 } },
            {
              name: 'checks_succeeded',
              type: 'rate',
              contains: 'default',
              values: { matches: 45, total: 50, rate: 0.9 },
            },
          ],
          results: [{ name: 'is 200', passes: 45, fails: 5 }],
        },
      },
    });

    expect(lines(run).slice(7)).toEqual([
      'http_reqs | rate | higher | 5 1/s',
      'http_req_failed | errorRate | lower | 0.1 ',
      'own | p50 | unknown | 3 ',
      'checks_total | rate | unknown | 5 1/s',
      'checks_succeeded | errorRate | lower | 0.1 ',
      'check is 200 | errorRate | lower | 0.1 ',
    ]);
  });
});

describe('other tools', () => {
  test('github-action-benchmark has numbers as texts, figures without a unit or a value, and the rest by name', () => {
    const { benches, leftOut } = readBenches(GAB);

    expect(benches).toEqual([
      { name: 'startup', unit: 'ms', value: 12.5, range: '± 3', extra: '50 runs' },
      { name: 'share of hits', unit: '', value: 0.25 },
      { name: 'no figure', unit: 'ms', value: null },
    ]);
    expect(leftOut).toEqual([
      { name: 'broken', why: 'is NaN, not a finite number', kind: 'unread' },
      { name: 'figure 5', why: 'has no name', kind: 'unread' },
    ]);
  });

  test('Google Benchmark has errors, counters, a median if there is nothing else, and NaN by name', () => {
    const output = `{"context": {}, "benchmarks": [
      {"name": "BM_A", "run_name": "BM_A", "family_index": 0, "real_time": 5, "cpu_time": 4, "time_unit": "us", "points": 7, "ratio": NaN},
      {"name": "BM_A", "run_name": "BM_A", "family_index": 1, "real_time": 6, "cpu_time": Infinity},
      {"name": "BM_E", "error_occurred": true, "error_message": "boom", "real_time": 0, "cpu_time": 0},
      {"name": "BM_S", "skipped": true, "skip_message": "no GPU"},
      {"name": "BM_M_mean", "run_name": "BM_M", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 3, "cpu_time": 2},
      {"name": "BM_M_median", "run_name": "BM_M", "run_type": "aggregate", "aggregate_name": "median", "real_time": 1, "cpu_time": 2}
    ]}`;
    const run = read('google-benchmark', output);

    expect(lines(run)).toEqual([
      'BM_A | time | lower | 5 us',
      'BM_A | cpu-time | lower | 4 us',
      'BM_A | points | unknown | 7 ',
      'BM_A (2) | time | lower | 6 ns',
      'BM_M | time | lower | 1 ns',
      'BM_M | cpu-time | lower | 2 ns',
    ]);
    expect(run.failures).toEqual([
      { name: 'BM_E', why: 'boom' },
      { name: 'BM_S', why: 'no GPU' },
    ]);
    expect(run.leftOut).toMatchObject([
      { name: 'BM_A', metric: 'ratio', why: 'is NaN, not a finite number' },
      { name: 'BM_A (2)', metric: 'cpu-time', why: 'is Infinity, not a finite number' },
      { name: 'BM_M', metric: 'mean', kind: 'summary' },
    ]);
  });

  test('JMH has threads in a name, forks that failed, and directions by mode', () => {
    const of = (more: object, primary: object) => ({
      benchmark: 'A.run',
      ...more,
      primaryMetric: { scoreUnit: 'ops/ms', ...primary },
    });
    const run = read('jmh', [
      of({ mode: 'thrpt', threads: 1, forks: 1 }, { score: 80, rawData: [[80]] }),
      of({ mode: 'thrpt', threads: 8, forks: 1 }, { score: 160, rawData: [[160]] }),
      of({ mode: 'avgt', threads: 8, forks: 3 }, { score: 1, scoreUnit: 'us/op', rawData: [[1], [1]] }),
      { benchmark: 'B.run', mode: 'avgt' },
    ]);

    expect(lines(run)).toEqual([
      'A.run thrpt | throughput | higher | 80 ops/ms',
      'A.run thrpt threads=8 | throughput | higher | 160 ops/ms',
    ]);
    expect(run.failures).toEqual([{ name: 'A.run avgt threads=8', why: '1 of 3 forks failed' }]);
    expect(run.leftOut).toMatchObject([{ name: 'B.run avgt', why: 'has no primaryMetric' }]);
  });

  test('hyperfine has commands by parameters and place, and exit codes', () => {
    const run = read('hyperfine', {
      results: [
        { command: 'a', median: 1, times: [1, 1], exit_codes: [0, 0], parameters: { n: '1' } },
        { command: 'a', median: 2, parameters: { n: '2' } },
        { command: 'b', median: 2 },
        { command: 'b', median: '3' },
        { command: 'c', median: 3, exit_codes: [0, 1, 1] },
        { command: 'd', median: 3, exit_codes: [null] },
      ],
    });

    expect(lines(run)).toEqual([
      'a n=1 | time | lower | 1 1 s',
      'a n=2 | time | lower | 2 s',
      'b | time | lower | 2 s',
      'b (2) | time | lower | 3 s',
    ]);
    expect(run.failures).toEqual([
      { name: 'c', why: '2 of 3 runs exited with 1' },
      { name: 'd', why: '1 of 1 run ended by a signal' },
    ]);
  });

  test('Rust has failures, tests without figures, and lines that a log splits', () => {
    const run = read(
      'criterion',
      `test unit ... ignored
test broken ... FAILED
test fast ... log line
bench:  1,234.5 ns/iter (+/- 7)
test slow ... bench:  37,174 ns/iter (+/- 7,527)
Benchmarking sort/10: Warming up for 3.0000 s
sort/10                 time:   [72.132 ns 96.892 ns 125.57 ns]
Benchmarking sort/20: Warming up for 3.0000 s
thread 'main' panicked at benches/sort.rs:3:5:
Benchmarking sort/30: Collecting 100 samples
`,
    );

    expect(lines(run)).toEqual([
      'fast | time | lower | 1234.5 ns/iter',
      'slow | time | lower | 37174 ns/iter',
      'sort/10 | time | lower | 96.892 ns',
    ]);
    expect(run.failures.map(({ name }) => name)).toEqual(['broken', 'sort/20']);
    expect(run.leftOut).toMatchObject([
      { name: 'unit', kind: 'skipped' },
      { name: 'sort/30', kind: 'unread' },
    ]);
  });

  test('Rust has a failure once, though cargo prints why at its end', () => {
    const printed = `running 3 tests
test a ... bench:       3,296 ns/iter (+/- 521)
test b ... FAILED
test c ... ignored

failures:
---- b stdout ----
thread 'main' panicked at 'explicit panic', src/lib.rs:28:9
error: bench failed
`;
    const { figures, failures, leftOut } = read('criterion', printed);

    expect([figures.length, failures, leftOut.length]).toEqual([1, [{ name: 'b', why: 'failed' }], 1]);
  });

  test('pytest has errors, and names in full', () => {
    const long = 'x'.repeat(500);
    const stats = { median: 1 };
    const run = read('pytest-benchmark', {
      machine_info: {},
      benchmarks: [
        { name: 'a', fullname: `${long}[1]`, stats },
        { name: 'a', fullname: `${long}[2]`, stats },
        { name: 'b', stats: { median: Number.NaN } },
        { name: 'c', error: 'boom' },
        { name: 'd' },
      ],
    });

    expect(new Set(run.figures.map(({ name }) => name)).size).toBe(2);
    expect(run.figures.every(({ name }) => name.length <= 400)).toBe(true);
    expect(run.failures).toEqual([{ name: 'c', why: 'boom' }]);
    expect(run.leftOut).toMatchObject([
      { name: 'b', why: 'has no value' },
      { name: 'd', why: 'has no stats' },
    ]);
  });
});

/** What a generated result is in its file, and so what must become of it. */
type Kind = 'figure' | 'failure' | 'nan' | 'again';

const kinds = fc.array(fc.constantFrom<Kind>('figure', 'failure', 'nan', 'again'), { minLength: 1, maxLength: 12 });

/** Distinct names, but for results that are there again under the name of the one before. */
const namesOf = (found: readonly Kind[]) => {
  let name = 'a0';
  return found.map((kind, place) => {
    name = kind === 'again' && place > 0 && found[place - 1] !== 'failure' ? name : `a${place}`;
    return name;
  });
};

/** One file of each tool with these results; a value of "nan" is written as the tool does. */
const WRITERS: Readonly<Record<BenchmarkTool, (found: readonly Kind[], names: readonly string[]) => string>> = {
  // A second line of one name is a repetition, so it has another name here; every third one is split by a log.
  'go-test': (found) =>
    found
      .map((kind, place) =>
        kind === 'failure'
          ? `--- FAIL: BenchmarkX${place}-4`
          : `BenchmarkX${place}-4 \t${place % 3 === 2 ? '2026/01/02 a log line\n' : ''} 100\t ${kind === 'nan' ? 'NaN' : place + 1} ns/op`,
      )
      .join('\n'),
  'pytest-benchmark': (found, names) =>
    JSON.stringify({
      machine_info: {},
      benchmarks: found.map((kind, place) => ({
        name: names[place],
        ...(kind === 'failure' ? { error: 'boom' } : { stats: { median: kind === 'nan' ? 'NaN' : place } }),
      })),
    }),
  'google-benchmark': (found, names) =>
    JSON.stringify({
      context: {},
      benchmarks: found.map((kind, place) => ({
        ...{ name: names[place], family_index: place },
        ...(kind === 'failure' ? { error_occurred: true } : { real_time: kind === 'nan' ? '@' : place }),
      })),
    }).replaceAll('"@"', 'NaN'),
  jmh: (found, names) =>
    JSON.stringify(
      found.map((kind, place) => ({
        ...{ benchmark: names[place], mode: 'avgt', forks: 1 },
        primaryMetric: {
          ...{
            score: kind === 'nan' ? 'NaN' : place,
            scoreUnit: 'us/op',
            rawData: kind === 'failure' ? [] : [[place]],
          },
        },
      })),
    ),
  criterion: (found, names) =>
    found
      .map((kind, place) =>
        kind === 'failure'
          ? `test ${names[place]} ... FAILED`
          : `test ${names[place]} ... ${place % 3 === 2 ? 'a log line\n' : ''}bench:  ${kind === 'nan' ? 'NaN' : place} ns/iter (+/- 1)`,
      )
      .join('\n'),
  k6: (found) =>
    JSON.stringify({
      metrics: Object.fromEntries(
        found.map((kind, place) => [
          `m${place}`,
          kind === 'failure'
            ? { type: 'gauge', values: { value: 1 }, thresholds: { 'value<1': { ok: false } } }
            : { type: 'trend', contains: 'time', values: { med: kind === 'nan' ? null : place } },
        ]),
      ),
    }),
  hyperfine: (found, names) =>
    JSON.stringify({
      results: found.map((kind, place) => ({
        ...{ command: names[place], median: kind === 'nan' ? '@' : place, exit_codes: [kind === 'failure' ? 1 : 0] },
      })),
    }).replaceAll('"@"', 'Infinity'),
};

const count = (found: readonly Kind[], required: readonly Kind[]) =>
  found.filter((kind) => required.includes(kind)).length;

describe.each(Object.keys(WRITERS) as BenchmarkTool[])('every result in a file of %s', (tool) => {
  test('is a figure, a failure or left out', () => {
    fc.assert(
      fc.property(kinds, (found) => {
        // Without `expect`, which takes longer than to read the file; the mistake is shown as the smallest list of kinds.
        const recognized = readAnyOutput(WRITERS[tool](found, namesOf(found)));
        if (typeof recognized === 'string' || recognized.tool !== tool) {
          return false;
        }
        const { figures, failures, leftOut } = recognized.run;
        // A crossed threshold of k6 is a failure besides the figure that crossed it.
        const own = figures.length - (tool === 'k6' ? count(found, ['failure']) : 0);
        return (
          own === count(found, ['figure', 'again']) &&
          failures.length === count(found, ['failure']) &&
          leftOut.length === count(found, ['nan']) &&
          new Set(figures.map(({ name, metric }) => `${name} ${metric}`)).size === figures.length
        );
      }),
      { numRuns: 2000, endOnFailure: true },
    );
  });
});

test('each adapter has one fixture, which is read as of its tool alone', () => {
  const folder = new URL('../../../fixtures/benchmarks/', import.meta.url);
  const files = readdirSync(folder).filter((file) => !file.startsWith('github-action-benchmark.'));
  const tools = files.map((file) => readAnyOutput(readFileSync(new URL(file, folder), 'utf8')));

  expect(tools.map((found) => (typeof found === 'string' ? found : found.tool))).toEqual(
    files.map((file) => file.replace(/\.\w+$/, '')),
  );
  expect(files).toHaveLength(Object.keys(WRITERS).length);
});

describe('a file that is made to take long', () => {
  const hostile: readonly (readonly [string, (size: number) => string])[] = [
    ['spaces behind a test', (size) => `test a${' '.repeat(size)}x`],
    ['words behind a test', (size) => `test${' a'.repeat(size)}`],
    ['spaces in a unit', (size) => `Unit x${' '.repeat(size)}`],
    ['spaces behind bench', (size) => `test a ... bench:${' '.repeat(size)}`],
    ['spaces behind a time', (size) => `a time:${' '.repeat(size)}[`],
    ['digits of a figure', (size) => `BenchmarkA 10 ${'1'.repeat(size)}`],
    ['spaces behind a benchmark', (size) => `BenchmarkA${' '.repeat(size)}`],
    ['a long name', (size) => `Benchmarking ${': '.repeat(size)}`],
    [
      'one name for all',
      (size) => JSON.stringify({ results: Array.from({ length: size / 20 }, () => ({ command: 'a', median: 1 })) }),
    ],
    [
      'one name for all of Google',
      (size) =>
        JSON.stringify({
          context: {},
          benchmarks: Array.from({ length: size / 20 }, (_, place) => ({
            name: 'a',
            family_index: place,
            real_time: 1,
          })),
        }),
    ],
    ['quotes and words', (size) => `[${'"\\\\",NaN,'.repeat(size / 10)}`],
  ];

  /** Processor time, since a machine with other work to do takes longer for both. */
  const milliseconds = (text: string) => {
    const start = process.cpuUsage();
    readAnyOutput(text);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };

  test.each(hostile)('takes time in proportion to its size: %s', (_what, write) => {
    const [small, large] = [write(20_000), write(320_000)];
    const fastest = (text: string) => Math.min(...Array.from({ length: 3 }, () => milliseconds(text)));
    readAnyOutput(small);

    // 16 times the size: a quadratic pattern takes 256 times as long.
    expect(fastest(large) / Math.max(1, fastest(small))).toBeLessThan(100);
  });
});
