import { describe, expect, it } from 'vitest';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import { timeSeries } from '../../../../src/measure/samples/series.ts';
import { partOf } from './synthetic-records.ts';

const ZERO_MS = 1_795_219_200_000;

function evenly(rate: number, seconds: number, fromMs: number) {
  return Array.from({ length: rate * seconds }, (_, index) => ({
    startMs: fromMs + (index * 1000) / rate,
    latencyMs: 2,
  }));
}

describe('the time series of a slot', () => {
  it('counts the ramp in seconds before zero and the steady part from zero on', () => {
    const ramp = partOf(evenly(10, 1, -1000), { ratePerSecond: 10, originMs: ZERO_MS });
    const steady = partOf(evenly(20, 2, 0), { ratePerSecond: 20, originMs: ZERO_MS });

    const series = timeSeries([ramp, steady], ZERO_MS);

    expect(series).toEqual({
      second: [-1, 0, 1],
      offeredRps: [10, 20, 20],
      achievedRps: [10, 20, 20],
      latencyMeanMs: [2, 2, 2],
      latencyP50Ms: [2, 2, 2],
      latencyP99Ms: [2, 2, 2],
    });
  });

  it('adds up operations with different start times', () => {
    const one = partOf(evenly(5, 1, 0), { ratePerSecond: 5, originMs: ZERO_MS });
    const other = partOf(evenly(10, 1, -60_000), { ratePerSecond: 10, originMs: ZERO_MS + 60_000 });

    expect(timeSeries([one, other], ZERO_MS).offeredRps).toEqual([15]);
  });

  it('shows a stall: arrivals by their schedule, answers when they came, and no latency where none came', () => {
    const calls = evenly(10, 3, 0).map((call) => (call.startMs < 1000 ? call : { startMs: 2500, latencyMs: 100 }));

    const series = timeSeries([partOf(calls, { ratePerSecond: 10, originMs: ZERO_MS })], ZERO_MS);

    expect(series.offeredRps).toEqual([10, 10, 10]);
    expect(series.achievedRps).toEqual([10, 0, 20]);
    expect(series.latencyMeanMs?.[1]).toBeNull();
    expect(series.latencyP50Ms[1]).toBeNull();
    expect(series.latencyP99Ms[1]).toBeNull();
    // Due from 1000 to 2900, all answered at 2600, except that no latency is below what was recorded.
    expect(series.latencyP99Ms[2]).toBeGreaterThan(1500);
  });

  it('has the mean of the answers of each second, which a few slow ones pull up', () => {
    const calls = [...evenly(9, 1, 0), { startMs: 500, latencyMs: 102 }];

    const series = timeSeries([partOf(calls, { ratePerSecond: undefined, originMs: ZERO_MS })], ZERO_MS);

    expect(series.latencyMeanMs).toEqual([12]);
    expect(series.latencyP50Ms).toEqual([2]);
  });

  it('counts failed requests as offered and not as achieved', () => {
    const calls = evenly(10, 1, 0).map((call, index) => (index < 4 ? { ...call, failure: 'timeout' } : call));

    const series = timeSeries([partOf(calls, { ratePerSecond: 10, originMs: ZERO_MS })], ZERO_MS);

    expect([series.offeredRps, series.achievedRps]).toEqual([[10], [6]]);
  });

  it('takes the starts of a closed loop for its arrivals', () => {
    const calls = [0, 400, 1100].map((startMs) => ({ startMs, latencyMs: 700 }));

    const series = timeSeries([partOf(calls, { ratePerSecond: undefined, originMs: ZERO_MS })], ZERO_MS);

    expect([series.offeredRps, series.achievedRps]).toEqual([
      [2, 1],
      [1, 2],
    ]);
  });

  it('of no records is empty', () => {
    expect(timeSeries([], ZERO_MS)).toEqual({
      second: [],
      offeredRps: [],
      achievedRps: [],
      latencyMeanMs: [],
      latencyP50Ms: [],
      latencyP99Ms: [],
    });
  });

  it('is refused over more than a day, which only a clock that was set can give', () => {
    const calls = [0, 1e12].map((startMs) => ({ startMs, latencyMs: 1 }));

    expect(() => timeSeries([partOf(calls, { ratePerSecond: undefined })], 0)).toThrow(MeasurementError);
  });
});
