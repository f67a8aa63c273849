import { describe, expect, it } from 'vitest';
import { mergeRuns } from '../../../../src/model/run/merge.ts';
import { parseRun } from '../../../../src/model/run/run.ts';
import { REPORTS } from '../../../support/reports.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const figure = (name: string, [metric, unit]: readonly [string, string], values: readonly number[]) => ({
  ...{ name, metric, unit, values },
  better: 'lower' as const,
});

const GO = {
  file: 'bench.txt',
  tool: 'go-test',
  figures: [
    figure('example.org/users BenchmarkWrite/protobuf-2', ['time', 'ns/op'], [700, 720, 9000]),
    figure('example.org/users BenchmarkWrite/protobuf-2', ['memory', 'B/op'], [160]),
    figure('example.org/users BenchmarkWrite/json-2', ['time', 'ns/op'], [2_700_000]),
  ],
};

const run = { ...sampleRun(), microBenchmarks: [GO] };

describe('micro-benchmarks in the report of a run', () => {
  it('have a row for each, times in the unit in which they are short, and the median of several', () => {
    const text = REPORTS.markdown({ run, against: undefined }).replaceAll('\u00a0', ' ');

    expect(text).toContain('from bench.txt (go-test)');
    expect(text).toContain('| example.org/users | Write/protobuf-2 | 720 ns | 160 B/op |');
    expect(text).toContain('|  | Write/json-2 | 2.70 ms |  |');
  });

  it('are escaped, since a program wrote them', () => {
    const hostile = { ...GO, figures: [figure('<img src=x>|`', ['<b>', '</td>'], [1])] };
    const html = REPORTS.html({ run: { ...run, microBenchmarks: [hostile] }, against: undefined });

    expect(html).not.toContain('<img src=x>');
    expect(html).not.toContain('<th><b>');
  });

  it('name what failed and what could not be read, escaped', () => {
    const failing = {
      ...GO,
      failures: [{ name: 'BenchmarkA-2 <img src=x>', why: 'failed' }],
      leftOut: [{ name: 'BenchmarkB-2', why: 'line 4 has no figures' }],
    };
    const judgment = { run: { ...run, microBenchmarks: [failing] }, against: undefined };

    expect(parseRun(JSON.stringify(judgment.run), 'run.json').microBenchmarks).toEqual([failing]);
    expect(REPORTS.html(judgment)).toContain('Failed: BenchmarkA-2 &lt;img src=x&gt; (failed).');
    expect(REPORTS.markdown(judgment)).toContain('Could not be read: BenchmarkB-2 (line 4 has no figures).');
  });

  it('are refused in a run.json that has more of them than a table holds', () => {
    const figures = Array.from({ length: 1001 }, (_, index) => figure(`A${index}`, [`m${index % 21}`, 'ns'], [1]));
    const withFigures = (some: typeof figures) =>
      JSON.stringify({ ...run, microBenchmarks: [{ ...GO, figures: some }] });

    expect(() => parseRun(withFigures(figures), 'run.json')).toThrow('has 1001 figures; the limit is 1000');
    expect(() => parseRun(withFigures(figures.slice(0, 500)), 'run.json')).toThrow('has 21 different metrics');
  });

  it('are not there without any', () => {
    expect(REPORTS.html({ run: sampleRun(), against: undefined })).not.toContain('Micro-benchmarks');
  });

  it('stay in run.json, and those of merged runs stand one after the other', () => {
    const read = parseRun(JSON.stringify(run), 'run.json');
    const other = {
      ...sampleRun(),
      startedAt: '2026-11-21T10:00:00.000Z',
      microBenchmarks: [{ ...GO, file: 'b.txt' }],
    };
    const merged = mergeRuns([
      { file: 'a', run: read },
      { file: 'b', run: other },
    ]);

    expect(read.microBenchmarks).toEqual([GO]);
    expect(merged.microBenchmarks?.map(({ file }) => file)).toEqual(['bench.txt', 'b.txt']);
  });
});
