import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeHistogram } from '../../../../src/foundation/histogram.ts';
import { randomAt } from '../../../../src/foundation/random.ts';
import { summarise } from '../../../../src/measure/samples/summary.ts';
import type { MeasuredWindow } from '../../../../src/model/load.ts';
import { type Call, callsWithWorkers, partOf } from './synthetic-records.ts';

const SECOND: MeasuredWindow = { fromMs: 0, toMs: 1000 };

/** So many calls, one each 10 ms, each answered after 2 ms. */
function steady(count: number, change: (index: number) => Partial<Call> = () => ({})): Call[] {
  return Array.from({ length: count }, (_, index) => ({ startMs: index * 10, latencyMs: 2, ...change(index) }));
}

describe('a schedule with jitter', () => {
  const jitterSeed = 11;
  const dueMs = (index: number) => (index + randomAt(jitterSeed, index)) * 10;
  const calls = (lateMs: (index: number) => number): Call[] =>
    Array.from({ length: 100 }, (_, index) => ({ startMs: dueMs(index) + lateMs(index), latencyMs: 2 }));
  const valuesOf = (all: Call[]) => {
    const part = partOf(all);
    const records = { ...part.records, dueMs: Float64Array.from(all, (_, index) => dueMs(index)) };
    return summarise([{ ...part, records }], { fromMs: 0, toMs: 2000 }).values;
  };

  it('finds nothing late that was sent in time, however uneven', () => {
    const { lagMaxMs, latencyMaxMs } = valuesOf(calls(() => 0));

    expect(lagMaxMs).toBeLessThan(1e-9);
    expect(latencyMaxMs).toBeCloseTo(2, 9);
  });

  it('counts latency from when a request was due', () => {
    const { latencyMaxMs, lagMaxMs } = valuesOf(calls((index) => (index === 50 ? 3 : 0)));

    expect(lagMaxMs).toBeCloseTo(3, 9);
    expect(latencyMaxMs).toBeCloseTo(5, 9);
  });
});

describe('coordinated omission', () => {
  const frozen = { serviceMs: 0.3, fromMs: 2000, toMs: 3000 };
  const window = { fromMs: 0, toMs: 5000 };
  const arrivals = { rate: 500, seconds: 5 };
  const truth = summarise([partOf(callsWithWorkers(arrivals, 2500, frozen), { ratePerSecond: 500 })], window).values;

  it.each([10, 100])(
    'is put right: a stall of one second with %i workers has the latencies that it has with any number',
    (workers) => {
      const part = partOf(callsWithWorkers(arrivals, workers, frozen), { ratePerSecond: 500 });

      const { values } = summarise([part], window);

      for (const metric of ['latencyMeanMs', 'latencyP90Ms', 'latencyP99Ms', 'latencyMaxMs'] as const) {
        expect(values[metric]).toBeGreaterThan(0.95 * (truth[metric] ?? Number.NaN));
        expect(values[metric]).toBeLessThan(1.1 * (truth[metric] ?? Number.NaN));
      }
    },
  );

  it('is what the tool itself falls for: with ten workers its own p99 shows nothing of the stall', () => {
    const part = partOf(callsWithWorkers(arrivals, 10, frozen), { ratePerSecond: 500 });

    const { values } = summarise([part], window);

    expect(truth.latencyP99Ms).toBeGreaterThan(900);
    expect(values.recordedP99Ms).toBeLessThan(1);
    expect(values.lagMaxMs).toBeGreaterThan(900);
  });
});

describe('a summary of records', () => {
  it('measures from when a request was due, and never less than the tool recorded', () => {
    const calls = [
      { startMs: 0, latencyMs: 1 },
      { startMs: 25, latencyMs: 2 },
      { startMs: 26, latencyMs: 3 },
      { startMs: 27, latencyMs: 4 },
    ];

    const { values } = summarise([partOf(calls)], SECOND);

    // Due at 0, 10, 20 and 30: ended at 1, 27, 29 and 31.
    expect([values.latencyMinMs, values.latencyMaxMs, values.latencyMeanMs]).toEqual([1, 17, (1 + 17 + 9 + 4) / 4]);
    expect(values.lagMaxMs).toBe(15);
    expect(values.recordedP50Ms).toBe(2.5);
  });

  it('takes a closed loop as it was recorded, without a lag', () => {
    const calls = [
      { startMs: 0, latencyMs: 1 },
      { startMs: 500, latencyMs: 3 },
    ];

    const { values, offeredRps } = summarise([partOf(calls, { ratePerSecond: undefined })], SECOND);

    expect([values.latencyMinMs, values.latencyMaxMs]).toEqual([1, 3]);
    expect(values).not.toHaveProperty('lagMaxMs');
    expect(offeredRps).toBeUndefined();
  });

  it('counts the requests that were due in the window, and the answers that ended in it', () => {
    const calls = steady(300, () => ({ latencyMs: 15 }));

    const { requests, values } = summarise([partOf(calls)], { fromMs: 1000, toMs: 2000 });

    expect(requests).toBe(100);
    expect(values.achievedRps).toBe(100);
  });

  it('counts a request that was due before the window but sent in it to what was before', () => {
    const calls = steady(200, (index) => (index === 99 ? { startMs: 1001 } : {}));

    expect(summarise([partOf(calls)], { fromMs: 1000, toMs: 2000 }).requests).toBe(100);
  });

  it('leaves failed requests out of the latencies and counts them by kind', () => {
    const calls = steady(100, (index) => {
      return index % 10 === 0 ? { latencyMs: 900, failure: index % 20 === 0 ? 'timeout' : 'HTTP 503' } : {};
    });

    const { values, failures, requests, histogram } = summarise([partOf(calls)], SECOND);

    expect(requests).toBe(100);
    expect(values.latencyMaxMs).toBe(2);
    expect(values.errorRate).toBe(0.1);
    expect(values.achievedRps).toBe(90);
    expect(failures).toEqual([
      { kind: 'HTTP 503', count: 5 },
      { kind: 'timeout', count: 5 },
    ]);
    expect(decodeHistogram(histogram).requests).toBe(90);
  });

  it('adds up the operations of a service, each against its own schedule and clock origin', () => {
    const getUser = partOf(steady(100), { planned: 100 });
    const listUsers = partOf(
      Array.from({ length: 50 }, (_, index) => ({ startMs: index * 20 - 1000, latencyMs: 6, failure: 'timeout' })),
      { operation: 'ListUsers', ratePerSecond: 50, planned: 60, originMs: 1000 },
    );

    const summary = summarise([getUser, listUsers], SECOND);

    expect(summary.requests).toBe(150);
    expect(summary.offeredRps).toBe(150);
    expect(summary.droppedRequests).toBe(10);
    expect(summary.failures).toEqual([{ kind: 'timeout', count: 50 }]);
    expect(summary.values.lagMaxMs).toBe(0);
    expect(summary.values.achievedRps).toBe(100);
  });

  it.each([
    [9, []],
    [10, ['latencyP90Ms']],
    [99, ['latencyP90Ms', 'latencyP95Ms']],
    [100, ['latencyP90Ms', 'latencyP95Ms', 'latencyP99Ms']],
    [999, ['latencyP90Ms', 'latencyP95Ms', 'latencyP99Ms']],
    [1000, ['latencyP90Ms', 'latencyP95Ms', 'latencyP99Ms', 'latencyP999Ms']],
  ])('gives of %i requests only the percentiles with a request beyond them', (count, expected) => {
    const { values } = summarise([partOf(steady(count))], { fromMs: 0, toMs: 60_000 });

    const given = Object.keys(values).filter((name) => /^latencyP9/.test(name));
    expect(given).toEqual(expected);
  });

  it.each([
    ['no parts', []],
    ['no records', [partOf([], { planned: 40 })]],
  ])('of %s says nothing rather than zero', (_, parts) => {
    const summary = summarise(parts, SECOND);

    expect(summary.values).toEqual({});
    expect([summary.requests, summary.longestStallMs]).toEqual([0, 0]);
    expect(decodeHistogram(summary.histogram).requests).toBe(0);
  });

  it('counts everything as dropped where nothing was recorded', () => {
    expect(summarise([partOf([], { planned: 40 })], SECOND).droppedRequests).toBe(40);
    expect(summarise([partOf(steady(45), { planned: 40 })], SECOND).droppedRequests).toBe(0);
  });

  it('of failed requests alone has an error rate and no latency', () => {
    const { values } = summarise([partOf(steady(10, () => ({ failure: 'timeout' })))], SECOND);

    expect(values).toEqual({ errorRate: 1, achievedRps: 0, lagMaxMs: 0 });
  });

  it('of one request has a mean and no standard deviation', () => {
    const { values } = summarise([partOf(steady(1))], SECOND);

    expect(values.latencyMeanMs).toBe(2);
    expect(values).not.toHaveProperty('latencySdMs');
    expect(values).not.toHaveProperty('withinSdShare');
  });

  it('has the share of the latencies within one standard deviation of the mean', () => {
    const latencies = [1, 1, 1, 1, 1, 1, 1, 1, 1, 11];
    const calls = steady(10, (index) => ({ latencyMs: latencies[index] ?? 0 }));
    const { values } = summarise([partOf(calls)], SECOND);

    expect([values.latencyMeanMs, values.latencySdMs]).toEqual([2, expect.closeTo(3, 0)]);
    expect(values.withinSdShare).toBe(0.9);
  });

  it('of a window without length has no rate', () => {
    const { values, requests } = summarise([partOf(steady(10))], { fromMs: 50, toMs: 50 });

    expect([requests, values]).toEqual([0, {}]);
  });

  it('never has a value that is not a number', () => {
    const call = fc.record({
      startMs: fc.integer({ min: 0, max: 2000 }),
      latencyMs: fc.integer({ min: 0, max: 3000 }),
      failure: fc.option(fc.constantFrom('timeout', 'HTTP 503'), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 40 }), fc.constantFrom(undefined, 1, 7, 100), (made, ratePerSecond) => {
        const calls = made.map(({ failure, ...rest }) => (failure === undefined ? rest : { ...rest, failure }));
        const { values, requests, longestStallMs } = summarise([partOf(calls, { ratePerSecond })], SECOND);
        expect(Object.values(values).every(Number.isFinite)).toBe(true);
        expect(requests).toBeLessThanOrEqual(calls.length);
        expect(longestStallMs).toBeGreaterThanOrEqual(0);
        expect(longestStallMs).toBeLessThanOrEqual(1000);
      }),
    );
  });
});
