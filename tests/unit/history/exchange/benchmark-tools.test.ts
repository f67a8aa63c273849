import { describe, expect, it } from 'vitest';
import { readMicroBenchmarks } from '../../../../src/commands/measure/run.ts';
import type { BenchmarkTool } from '../../../../src/history/adapters/adapters.ts';
import { readToolOutput } from '../../../../src/history/exchange/import.ts';
import { HistoryError } from '../../../../src/history/store/fields.ts';
import { appendedAll, readSegment } from '../../../../src/history/store/segment.ts';
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
  }).entries[0] ?? expect.fail('no entry');

/** Each figure in a line: "name metric better value unit". */
const figures = (tool: BenchmarkTool, text: string) => {
  const { series, values } = read(tool, text);
  return series.map(
    ({ operation, metric, better, unit }, place) => `${operation} | ${metric} | ${better} | ${values[place]} ${unit}`,
  );
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
      'criterion',
      CRITERION_TEXT,
      [
        'sort ten | time | lower | 96.892 ns',
        'serialize/a long name of a benchmark/10 | time | lower | 1006.4 ns',
        'serialize/a long name of a benchmark/100 | time | lower | 5093.8 ns',
      ],
    ],
    [
      'k6',
      K6,
      [
        'http_req_duration | avg | lower | 9 ms',
        'http_req_duration | min | lower | 1 ms',
        'http_req_duration | p50 | lower | 8 ms',
        'http_req_duration | max | lower | 99 ms',
        'http_req_duration | p90 | lower | 20 ms',
        'http_req_duration | p95 | lower | 30 ms',
        'http_req_duration{expected_response:true} | p50 | lower | 7 ms',
        'http_req_duration{expected_response:true} | p99 | lower | 50 ms',
        'http_reqs | rate | higher | 99.5 1/s',
        'http_req_failed | errorRate | lower | 0.001 ',
        'vus | value | unknown | 1 ',
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
    ['go-test', 'PASS\n', 'has no figures of go-test'],
    ['criterion', '', 'has no figures of criterion'],
    ['criterion', '{"reason":"benchmark-complete"\n', 'cut short'],
    ['jmh', '{}', 'must be a list'],
    ['jmh', '[{"benchmark":1}]', 'has no result with a primaryMetric'],
    ['k6', '{"metrics":{}}', 'has no figures of k6'],
    ['k6', '{"root_group":{}}', 'must be a map with metrics'],
    ['hyperfine', '{"results":[{"command":"a","median":"fast"}]}', 'a is fast, not a finite number'],
    ['google-benchmark', '{"benchmarks":"x"}', 'benchmarks'],
    ['pytest-benchmark', 'null', 'must be a map'],
    ['go-test', '--- FAIL: BenchmarkA-2', 'has no figures of go-test; BenchmarkA-2 failed'],
  ] as const)('of %s that is something else is refused by its place: %s', (tool, text, why) => {
    expect(() => read(tool, text)).toThrow(HistoryError);
    expect(() => read(tool, text)).toThrow(why);
  });
});

const micro = (text: string) => readMicroBenchmarks({ file: 'bench.out', text });

describe('micro-benchmarks that a run takes along', () => {
  it.each([
    ['go-test', GO],
    ['pytest-benchmark', PYTEST],
    ['google-benchmark', GOOGLE],
    ['jmh', JMH],
    ['criterion', CRITERION],
    ['criterion', CRITERION_TEXT],
    ['k6', K6],
    ['hyperfine', HYPERFINE],
  ])('are known as those of %s by their content', (tool, text) => {
    const printed = typeof text === 'string' ? text : JSON.stringify(text);
    const { figures: found, ...of } = micro(printed);

    expect(of).toMatchObject({ file: 'bench.out', tool });
    expect(found.map(({ name }) => name)).toEqual(
      readToolOutput(printed, 'bench.out', {
        ...{ tool: tool as BenchmarkTool, suite: 'parser', at: undefined, commit: undefined },
        ...{ now: NOW, nameRun: namer() },
      }).entries[0]?.series.map(({ operation }) => operation),
    );
  });

  it.each([
    ['', /^bench\.out: has no figures of go-test, pytest-benchmark,/],
    ['{"benchmarks": 3}', /has no figures of go-test/],
    ['PASS\nok example.org/parser 1.2s\n', /has no figures of go-test/],
    [
      Array.from({ length: 1001 }, (_, index) => `BenchmarkA${index} 10 5 ns/op`).join('\n'),
      /has 1001 figures; the limit is 1000/,
    ],
    [
      `BenchmarkA 10 ${Array.from({ length: 21 }, (_, index) => `5 unit${index}`).join(' ')}`,
      /has 21 different metrics; the limit is 20/,
    ],
  ])('are refused if no tool printed them: %j', (text, message) => {
    expect(() => micro(text)).toThrow(message);
  });

  it('cannot change how others are read', () => {
    const [figure] = micro('BenchmarkA\u202e<b>-2 10 5 ns/op').figures;

    expect(figure?.name).toBe('BenchmarkA <b>-2');
  });
});
