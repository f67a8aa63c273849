import { describe, expect, test } from 'vitest';
import { type Random, seededRandom } from '../../../../src/foundation/random.ts';
import { soakTrends, trend } from '../../../../src/judge/counts/soak.ts';
import { SOAK } from '../../../../src/model/plan.ts';
import type { Run } from '../../../../src/model/run/run.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const MINUTES = 10;

const REPEATS = 200;

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(Math.max(random(), Number.EPSILON))) * Math.cos(2 * Math.PI * random());
}

/** A soak of one service whose memory after some seconds is that, with this noise. */
function soak(memoryAt: (second: number) => number, seed = 1, noise = 0.05): Run {
  const random = seededRandom(seed);
  const [sample] = sampleRun().samples;
  const second = Array.from({ length: MINUTES * 60 }, (_, place) => place);
  const latency = second.map(() => 5 + normal(random));
  const series = {
    ...{ second, offeredRps: latency, achievedRps: latency },
    latencyP50Ms: latency,
    latencyP99Ms: second.map((at) => 20 + at / 60 + normal(random)),
    memoryMiB: second.map((at) => 50 + memoryAt(at) + noise * normal(random)),
  };
  const run = sampleRun();
  return {
    ...run,
    plan: { ...run.plan, profile: { ...run.plan.profile, name: SOAK } },
    samples: [{ ...sample, measuredSeconds: MINUTES * 60, series } as (typeof run.samples)[number]],
  };
}

const memoryOf = (run: Run) => soakTrends(run).find(({ metric }) => metric === 'peakMemoryMiB');

const grown = (memoryAt: (second: number) => number, noise?: number): number =>
  Array.from({ length: REPEATS }, (_, seed) => memoryOf(soak(memoryAt, seed + 1, noise))?.grows === true).filter(
    Boolean,
  ).length;

describe('memory during a soak', () => {
  test('that leaks 1 MiB per minute grows, in each of 200 soaks', () => {
    expect(grown((second) => second / 60)).toBe(REPEATS);
    expect(memoryOf(soak((second) => second / 60))?.perMinute).toBeCloseTo(1, 1);
  });

  test.each([
    ['stays', () => 0, undefined],
    ['is noisy', () => 0, 2],
    ['is collected every 40 s', (second: number) => 20 * ((second % 40) / 40), undefined],
    ['fills a cache until two thirds of the time', (second: number) => Math.min(second, 400) / 10, undefined],
    ['shrinks', (second: number) => -second / 60, undefined],
  ])('that %s does not, in any of 200', (_how, memoryAt, noise) => {
    expect(grown(memoryAt, noise)).toBe(0);
  });

  test('that cannot be read has no trend, and latency has', () => {
    const run = soak(() => 0);
    const samples = run.samples.map(({ series, ...sample }) => ({
      ...sample,
      series: series && { ...series, memoryMiB: undefined },
    }));

    expect(soakTrends({ ...run, samples }).map(({ metric }) => metric)).toEqual(['latencyP50Ms', 'latencyP99Ms']);
  });
});

describe('the trend of a figure', () => {
  const coverage = (slope: number): number => {
    const found = Array.from({ length: 400 }, (_, seed) => {
      const random = seededRandom(seed + 1);
      const points = Array.from({ length: 600 }, (_one, second) => ({
        at: second / 60,
        value: 5 + (slope * second) / 60 + normal(random),
      }));
      return trend(points).every(({ low, high }) => low <= slope && slope <= high);
    });
    return found.filter(Boolean).length / found.length;
  };

  test.each([0, 0.3, -2])('has an interval that contains a slope of %s per minute in 19 of 20 series', (slope) => {
    expect(coverage(slope)).toBeGreaterThan(0.92);
    expect(coverage(slope)).toBeLessThan(0.99);
  });

  test('shows the drift of latency, and nothing of a run that is not a soak', () => {
    const run = soak(() => 0);
    const [p50, p99] = soakTrends(run).filter(({ metric }) => metric !== 'peakMemoryMiB');

    expect(p50?.low).toBeLessThan(0);
    expect(p50?.high).toBeGreaterThan(0);
    expect(p99?.perMinute).toBeCloseTo(1, 1);
    expect(p99?.low).toBeGreaterThan(0);
    expect(soakTrends({ ...run, plan: sampleRun().plan })).toEqual([]);
  });

  test('needs five windows', () => {
    const points = [0, 1, 2, 3, 4].map((at) => ({ at, value: at }));

    expect(trend(points.slice(1))).toEqual([]);
    expect(trend(points)).toEqual([{ perMinute: 1, low: 1, high: 1 }]);
  });
});
