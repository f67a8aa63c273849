import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatRun } from '../../src/model/run/run.ts';
import { makeProject, wiregauge } from '../integration/project.ts';
import { calledIn } from '../support/called-in.ts';
import type { ResultJson } from '../support/result-lists.ts';
import { sampleRounds } from '../support/sample-rounds.ts';
import { sampleRun } from '../support/sample-run.ts';

let project: ReturnType<typeof makeProject>;
beforeAll(() => {
  project = makeProject();
  project.write('same.json', formatRun(sampleRounds({ rounds: 30, discarded: 2 })));
  project.write('slower.json', formatRun(sampleRounds({ rounds: 10, worse: [{ service: 'rest', by: 0.1 }] })));
});
afterAll(() => project.remove());

const judge = (...argv: readonly string[]) => calledIn(project.root, ['judge', ...argv]);

/** By a program of its own. */
const judgeAlone = (...argv: readonly string[]) => wiregauge(['judge', ...argv], { cwd: project.root });

const resultOf = (stdout: string) => JSON.parse(stdout) as ResultJson;

/** The kept rounds of a run as the CSV that somebody would have who measured them elsewhere. */
function samplesOf(name: string): string {
  const run = sampleRounds({ rounds: 10, worse: [{ service: 'rest', by: 0.1 }] });
  const rows = run.samples
    .filter(({ cell }) => cell.tier === 'saturation' && cell.operation === 'all')
    .flatMap(({ cell, round, side, position, values }) =>
      (['cpuMicrosPerRequest', 'achievedRps'] as const).map((metric) =>
        [round, side, position, cell.service, cell.operation, cell.tier, metric, values[metric]].join(','),
      ),
    );
  project.write(name, ['round,side,position,service,operation,tier,metric,value', ...rows].join('\n'));
  return name;
}

describe('wiregauge judge <run.json>', () => {
  test('judges a comparison again, with the exit code of its outcome', async () => {
    const same = await judge('same.json');
    const slower = await judge('slower.json');

    expect(same).toMatchObject({ exitCode: 0, stderr: '' });
    expect(slower).toMatchObject({ exitCode: 1, stderr: '' });
    expect(slower.stdout.split('\n')[0]).toMatch(/^Regression: /);
  });

  test('gives the same bytes for the same bytes', async () => {
    const argv = ['slower.json', '--json'];
    const [first, second] = [await judgeAlone(...argv), await judgeAlone(...argv)];

    expect(second.stdout).toBe(first.stdout);
    expect(resultOf(first.stdout)).toMatchObject({ outcome: 'regressed', exitCode: 1, alpha: 0.02, looks: [8, 10] });
  });

  test('judges by other thresholds, another alpha and another way with what is inconclusive', async () => {
    project.write('loose.yml', 'thresholds: [{ threshold: 30% }]\n');

    const { exitCode, stdout } = await judge('slower.json', '--json', '--policy', 'loose.yml', '--alpha', '1%');
    const strict = await judge('slower.json', '--json', '--policy', 'loose.yml', '--inconclusive', 'fail');

    expect(exitCode).toBe(0);
    expect(resultOf(stdout)).toMatchObject({ alpha: 0.01 });
    expect(new Set(resultOf(stdout).findings.map(({ threshold }) => threshold))).toEqual(new Set([0.3]));
    expect(resultOf(strict.stdout).outcome).toBe(resultOf(stdout).outcome);
    expect(strict.exitCode).toBe(resultOf(stdout).outcome === 'inconclusive' ? 1 : 0);
  });

  test('leaves the reports unchanged on request', async () => {
    const { exitCode } = await judge('slower.json', '--out', 'again');

    expect(exitCode).toBe(1);
    expect(readFileSync(join(project.root, 'again/report.md'), 'utf8')).toContain('Regression');
  });
});

describe('wiregauge judge --samples', () => {
  test('judges figures that were measured elsewhere', async () => {
    const file = samplesOf('samples.csv');

    const text = await judge('--samples', file);
    const { exitCode, stdout } = await judge('--samples', file, '--json');

    expect(text).toMatchObject({ exitCode: 1, stderr: '' });
    expect(text.stdout).toContain('rest');
    expect(exitCode).toBe(1);
    expect(resultOf(stdout).findings.map(({ cell, verdict }) => [cell.service, verdict])).toEqual([
      ['grpc', 'unchanged'],
      ['grpc', 'unchanged'],
      ['rest', 'regressed'],
      ['rest', 'regressed'],
    ]);
  });

  test('refuses a malformed line with its number', async () => {
    const file = samplesOf('broken.csv');
    const lines = readFileSync(join(project.root, file), 'utf8').split('\n');
    writeFileSync(join(project.root, file), lines.with(4, `${lines[4]},NaN`).join('\n'));

    const { exitCode, stderr, stdout } = await judge('--samples', file);

    expect(stderr).toMatch(/^wiregauge: broken\.csv:5: has 9 fields, but the header has 8\n {2}Every line needs/);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });
});

describe('wiregauge judge --base --head', () => {
  /** An output of `go test -bench`, 10 repetitions of one benchmark. */
  const output = (name: string, level: number, count = 10) => {
    const lines = Array.from({ length: count }, (_, index) => `BenchmarkA-2 1000 ${level + index} ns/op`);
    project.write(name, `${['goos: linux', ...lines, 'PASS'].join('\n')}\n`);
    return name;
  };
  const ofBoth = (base: string, head: string) => ['--base', output(base, 1000), '--head', output(head, 1200)] as const;

  test('fails for a benchmark that got slower, and says that the files were not measured in turns', async () => {
    const argv = ofBoth('base.txt', 'head.txt');

    const { exitCode, stdout, stderr } = await judge(...argv);
    const { stdout: json } = await judge(...argv, '--json');

    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /^Regression: BenchmarkA-2 time 20% higher \(go-test\) .*base\.txt and head\.txt count as measured one after the other: .*base: base\.txt; head: head\.txt/,
    );
    expect(stdout.replace(/\s+/g, ' ')).toMatch(/base → head: 10\d\d → 12\d\d ns\/op/);
    expect(JSON.parse(json)).toMatchObject({
      outcome: 'regressed',
      interleaved: false,
      notes: [expect.stringMatching(/^base\.txt and head\.txt count as measured one after the other/)],
      findings: [
        { cell: { service: 'go-test', operation: 'BenchmarkA-2', tier: 'all' }, metric: 'time', unit: 'ns/op' },
      ],
    });
  });

  test('passes what did not change, and what a policy allows', async () => {
    const same = await judge('--base', output('one.txt', 1000), '--head', output('two.txt', 1000));
    project.write('times.yml', 'thresholds: [{ metric: time, threshold: 30% }]\n');
    const allowed = await judge(...ofBoth('base.txt', 'head.txt'), '--policy', 'times.yml');

    expect(same).toMatchObject({ exitCode: 0, stderr: '' });
    expect(same.stdout).toMatch(/^No regression\./);
    expect(allowed.exitCode).toBe(0);
  });

  test('takes the files of each round, in turns', async () => {
    const files = (side: string, level: number) =>
      Array.from({ length: 8 }, (_, index) => output(`${side}-${index}.txt`, level + index, 3));
    const argv = ['--base', ...files('turn-base', 1000), '--head', ...files('turn-head', 1100)];

    const { exitCode, stdout } = await judge(...argv, '--json');

    expect(exitCode).toBe(1);
    expect(resultOf(stdout)).toMatchObject({ notes: [], findings: [{ rounds: 8, verdict: 'regressed' }] });
    expect(resultOf(stdout).interleaved).toBeUndefined();
  });

  test('judges nothing of too few rounds, and says what to do', async () => {
    const { exitCode, stdout } = await judge('--base', output('a.txt', 1000, 1), '--head', output('b.txt', 1000, 1));

    expect(exitCode).toBe(2);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /^Not judged: too few rounds \(go-test has 1; a verdict needs 8\) .*repeat each benchmark \(`go test -bench \. -count 10`\)/,
    );
  });

  test('shows no text of a file that a terminal would obey', async () => {
    const hostile = 'BenchmarkA\u001b[31m\u202e-2 1000 5 ns/op\n'.repeat(8);
    project.write('bad-a.txt', hostile);
    project.write('bad-b.txt', hostile);

    const { stdout, exitCode } = await judge('--base', 'bad-a.txt', '--head', 'bad-b.txt');

    expect(exitCode).toBe(0);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('\u202e');
  });
});

describe('wiregauge judge refuses', () => {
  test.each([
    [[], /judge needs a run\.json, --samples with a CSV, or --base and --head/],
    [['same.json', '--samples', 'a.csv'], /judge needs a run\.json, --samples/],
    [['same.json', '--base', 'a.txt', '--head', 'b.txt'], /judge needs a run\.json, --samples/],
    [['--samples', 'a.csv', '--base', 'a.txt', '--head', 'b.txt'], /judge needs a run\.json, --samples/],
    [['--base', 'a.txt'], /--base needs --head/],
    [['--head', 'a.txt'], /--head needs --base/],
    [['--base', 'nothing.txt', '--head', 'b.txt'], /nothing\.txt: there is no such file/],
    [['--base', 'same.json', '--head', 'slower.json'], /same\.json: has no figures of go-test, pytest-benchmark/],
    [['--base', 'a.txt', '--head', 'b.txt', '--out', 'out'], /--out is for the reports of a run\.json/],
    [['nothing.json'], /nothing\.json: there is no such file/],
    [['--samples', 'nothing.csv'], /nothing\.csv: there is no such file/],
    [['--samples', 'a.csv', '--out', 'out'], /--out is for the reports of a run\.json/],
    [['same.json', '--alpha', '90%'], /--alpha "90%": must be above 0% and at most 20%/],
    [['same.json', '--policy', 'nothing.yml'], /nothing\.yml: there is no such file/],
    [['same.json', '--inconclusive', 'ignore'], /Allowed choices are warn, fail, pass/],
    [['plain.json'], /plain\.json: contains no comparison of two versions/],
    [['short.json'], /short\.json: is not valid JSON, or is truncated/],
  ])('%j', async (argv, words) => {
    project.write('plain.json', formatRun(sampleRun()));
    project.write('short.json', formatRun(sampleRounds()).slice(0, 5000));

    const { exitCode, stderr } = await judge(...argv);

    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(exitCode).toBe(2);
  });
});
