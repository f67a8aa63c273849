import { describe, expect, test } from 'vitest';
import { baselineOf, compareWithBaseline, formatBaseline, parseBaseline } from '../../../src/core/baseline.ts';
import { cellName } from '../../../src/core/sample.ts';
import { sampleRun } from '../../sample-run.ts';

const file = 'baselines/users/linux-x64-2core.json';
const run = sampleRun({ services: ['rest', 'grpc'] });
const baseline = baselineOf(run, 'a test');

describe('a baseline', () => {
  test('survives its file', () => {
    expect(parseBaseline(formatBaseline(baseline), file)).toEqual(baseline);
  });

  test('has the median of the rounds', () => {
    const three = sampleRun({ rounds: 3 });
    const cell = baselineOf(three, '').cells.find((one) => cellName(one.cell) === 'users/rest/all/high');
    const values = three.samples
      .filter((sample) => cellName(sample.cell) === 'users/rest/all/high')
      .map(({ values }) => values.latencyP50Ms ?? 0);

    expect(cell?.rounds).toBe(3);
    expect(cell?.values.latencyP50Ms).toBeCloseTo(values.sort((left, right) => left - right)[1] ?? Number.NaN, 3);
  });

  test.each([
    ['cut short', formatBaseline(baseline).slice(0, 100), /cut short/],
    ['another schema', '{"schema":9,"provenance":{},"cells":[]}', /schema/],
  ])('is refused when it is %s', (_what, text, message) => {
    expect(() => parseBaseline(text, file)).toThrow(message);
  });
});

describe('compareWithBaseline', () => {
  test('states no change of a run against itself, and judges nothing', () => {
    const { verdicts } = compareWithBaseline(run, baseline, file);

    expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(['not-judged']));
    for (const verdict of verdicts) {
      expect(verdict.kind === 'not-judged' && Math.abs(verdict.comparison.change ?? 1)).toBeLessThan(0.001);
    }
  });

  test('finds a doubled CPU time per request', () => {
    const slower = sampleRun({ shapes: { 'grpc/saturation': { cpuMicros: 238 } } });
    const { verdicts } = compareWithBaseline(slower, baseline, file);
    const changed = verdicts.flatMap((verdict) =>
      verdict.kind === 'not-judged' && Math.abs(verdict.comparison.change ?? 0) > 0.01 ? [verdict.comparison] : [],
    );

    expect(changed.map(({ cell, metric, change }) => [cellName(cell), metric, change?.toFixed(2)])).toEqual([
      ['users/grpc/all/saturation', 'cpuMicrosPerRequest', '1.00'],
    ]);
  });

  test('cannot tell on another machine', () => {
    const other = { ...run, runner: { ...run.runner, cpuModel: 'another' } };

    expect(new Set(compareWithBaseline(other, baseline, file).verdicts.map(({ kind }) => kind))).toEqual(
      new Set(['inconclusive']),
    );
  });

  test('says which cells are new, gone, failed, saturated or limited by the load tool', () => {
    const changed = sampleRun({
      services: ['rest', 'rest-development', 'grpc'],
      without: ['rest/high', 'grpc/high'],
      shapes: { 'rest/low': { marks: ['generator-limited'] }, 'grpc/low': { marks: ['saturated'] } },
      change: { failures: [{ suite: 'users', service: 'rest', tier: 'high', round: 1, message: 'it ended' }] },
    });
    const { verdicts } = compareWithBaseline(changed, baseline, file);
    const reasons = verdicts.flatMap((verdict) =>
      verdict.kind === 'unmeasured' && verdict.cell.operation === 'all'
        ? [`${verdict.cell.service}/${verdict.cell.tier} ${verdict.reason}`]
        : [],
    );

    expect(reasons.sort()).toEqual([
      'grpc/high gone',
      'grpc/low saturated',
      'rest-development/high new',
      'rest-development/low new',
      'rest-development/medium new',
      'rest-development/saturation new',
      'rest/high failed',
      'rest/low generator-limited',
    ]);
  });

  test('has no percentage of nothing: errors where there were none', () => {
    const failing = sampleRun({ shapes: { 'rest/low': { errorRate: 0.5 } } });
    const found = compareWithBaseline(failing, baseline, file).verdicts.find(
      (verdict) => verdict.kind === 'not-judged' && verdict.comparison.metric === 'errorRate',
    );

    expect(found?.kind === 'not-judged' && found.comparison).toMatchObject({ before: 0, now: 0.5, change: undefined });
  });
});
