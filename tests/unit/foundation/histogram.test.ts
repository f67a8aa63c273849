import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/foundation/errors.ts';
import { decodeHistogram, encodeHistogram, mergeHistograms } from '../../../src/foundation/histogram.ts';

const latencies = fc.array(fc.double({ min: 0.001, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 200 });

describe('a stored latency histogram', () => {
  it('keeps count and quantiles to three significant digits', () => {
    fc.assert(
      fc.property(latencies, (values) => {
        const histogram = decodeHistogram(encodeHistogram(values));
        const largest = Math.max(...values);

        expect(histogram.requests).toBe(values.length);
        expect(Math.abs((histogram.quantileMs(1) ?? 0) - largest)).toBeLessThanOrEqual(largest / 1000 + 0.001);
      }),
    );
  });

  it('is the same text for the same latencies in any order', () => {
    fc.assert(
      fc.property(latencies, (values) => {
        const ascending = [...values].sort((left, right) => left - right);
        expect(encodeHistogram(Float64Array.from(ascending))).toBe(encodeHistogram(values));
      }),
    );
  });

  it('of parts merged is that of the whole', () => {
    fc.assert(
      fc.property(latencies, latencies, (left, right) => {
        const merged = mergeHistograms([encodeHistogram(left), encodeHistogram(right)]);
        expect(merged).toBe(encodeHistogram([...left, ...right]));
      }),
    );
  });

  it('of no latencies has no quantiles', () => {
    const histogram = decodeHistogram(encodeHistogram([]));

    expect([histogram.requests, histogram.quantileMs(0.5)]).toEqual([0, undefined]);
    expect(decodeHistogram(mergeHistograms([])).requests).toBe(0);
  });

  it('counts what took over an hour as an hour, and less than nothing as nothing', () => {
    const histogram = decodeHistogram(encodeHistogram([1e9, -1]));

    expect(histogram.quantileMs(1)).toBeCloseTo(3_600_000, -4);
    expect(histogram.quantileMs(0)).toBe(0);
  });

  it('is of hdr-histogram V2, compressed and base64', () => {
    expect(encodeHistogram([1])).toMatch(/^HISTFAAAA[A-Za-z0-9+/]+=*$/);
  });

  it.each(['', 'not a histogram', encodeHistogram([1, 2, 3]).slice(0, 32)])('is refused where damaged: %j', (text) => {
    expect(() => decodeHistogram(text)).toThrow(ConfigError);
  });
});
