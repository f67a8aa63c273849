import { describe, expect, test } from 'vitest';
import { repetitionsOf } from '../../../../src/measure/samples/series.ts';
import type { Run } from '../../../../src/model/run/run.ts';
import { hasRepetitions, scatterCharts, scatterTable } from '../../../../src/report/charts/scatter.ts';
import { viewRun } from '../../../../src/report/views/run-view.ts';
import { REPORTS } from '../../../support/reports.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const window = { fromMs: 1000, toMs: 100_000 };

/** Requests one after the other from the window's start on; the named ones failed. */
function sent(latencyMs: readonly number[], failed: readonly number[] = []) {
  let at = 0;
  const startMs = latencyMs.map((latency) => {
    at += latency;
    return at - latency;
  });
  return {
    operation: 'Get',
    ratePerSecond: undefined,
    planned: undefined,
    workers: 1,
    records: {
      originMs: 1000,
      startMs: Float64Array.from(startMs),
      latencyMs: Float64Array.from(latencyMs),
      failure: Uint16Array.from(latencyMs, (_, index) => (failed.includes(index) ? 1 : 0)),
      failureKinds: ['HTTP 500'],
    },
  };
}

describe('single requests', () => {
  test('are all kept if they are few, in their order, without those that failed', () => {
    expect(repetitionsOf([sent([3, 1, 2, 4], [1])], window)).toEqual({ number: [1, 3, 4], latencyMs: [3, 2, 4] });
  });

  test('are those of the window alone', () => {
    expect(repetitionsOf([sent([3, 1, 2, 4])], { fromMs: 1003, toMs: 1006.5 })).toEqual({
      number: [1, 2],
      latencyMs: [1, 2],
    });
  });

  test('are so many evenly spread, and the slowest, if they are more', () => {
    const latencies = Array.from({ length: 8000 }, (_, index) => (index % 1001 === 1000 ? 50 : 1));
    const { number, latencyMs } = repetitionsOf([sent(latencies)], window);

    expect(latencyMs.filter((ms) => ms === 50)).toHaveLength(7);
    expect(number.length).toBeLessThanOrEqual(420);
    expect(number[0]).toBe(1);
    expect(number).toEqual(number.toSorted((one, other) => one - other));
    const gaps = number.slice(1).map((one, index) => one - (number[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(20);
  });
});

describe('the charts of single requests', () => {
  const usual = [2, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8];
  const runOf = (latencyMs: readonly number[]): Run => ({
    ...sampleRun(),
    samples: sampleRun().samples.map((sample) =>
      sample.cell.tier === 'low' && sample.cell.operation === 'all'
        ? { ...sample, repetitions: { number: [...latencyMs.keys()].map((one) => one + 1), latencyMs } }
        : sample,
    ),
  });
  const run = runOf([...usual, 90]);
  const view = viewRun(run);
  const [low = expect.fail('there is no tier'), medium = low] = view.tiers;

  test('show the outliers, and then all without them', () => {
    const [all = '', near = ''] = scatterCharts(view, low).map(({ markup }) => markup);

    expect(all.match(/\dz/g)).toHaveLength(10 * view.services.length);
    expect(near.match(/\dz/g)).toHaveLength(9 * view.services.length);
    expect(all).toContain('2.00 ms to 90.0 ms');
    expect(near).toContain('2.00 ms to 2.80 ms');
    expect(scatterTable(view, low).rows[0]?.cells).toEqual(['4.03 ms', '90.0 ms', '10', '1']);
  });

  test('show as many as a run keeps, each path in one piece', () => {
    const full = viewRun(runOf(Array.from({ length: 420 }, (_, index) => 2.345 + index / 1000)));
    const [all = ''] = scatterCharts(full, low).map(({ markup }) => markup);
    const paths = [...all.matchAll(/<path class="dots [^"]*" d="([^"]*)"/g)].map(([, d = '']) => d);

    expect(all).toContain('2.35 ms to 2.76 ms');
    expect(paths).toHaveLength(full.services.length);
    expect(paths.filter((d) => !/^M\d+ \d+(?:z|h\d+)(?:m-?\d+[ -]\d+(?:z|h\d+))+$/.test(d))).toEqual([]);
  });

  test('have room for the number of each request that stands below the axis', () => {
    const number = Array.from({ length: 400 }, (_, index) => 38 * index + 1);
    const many = viewRun(runOf(number.map(() => 2)));
    const samples = many.run.samples.map((sample) => ({
      ...sample,
      ...(sample.repetitions !== undefined && { repetitions: { ...sample.repetitions, number } }),
    }));
    const [all = ''] = scatterCharts(viewRun({ ...many.run, samples }), low).map(({ markup }) => markup);

    expect([...all.matchAll(/<text x="[\d.]+"(?: text-anchor="end")?>([\d,]+)</g)].map(([, label]) => label)).toEqual([
      '0',
      '5,000',
      '10,000',
      '15,000',
    ]);
  });

  test('are on the page of a run that has them, and on no other', () => {
    expect(hasRepetitions(view, medium)).toBe(false);
    expect(REPORTS.html({ run, against: undefined })).toContain('Request by request');
    expect(REPORTS.html({ run: sampleRun(), against: undefined })).not.toContain('Request by request');
  });
});
