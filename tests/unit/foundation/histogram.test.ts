import { deflateSync } from 'node:zlib';
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

  it.each([
    ['a length that goes on behind its end', { length: 0x7fffffff }],
    ['a negative length', { length: -1 }],
    ['more digits than are recorded', { digits: 5 }],
    ['a highest latency of centuries', { highest: 2n ** 62n }],
    ['another lowest latency', { lowest: 0n }],
  ])('is refused at once if its header claims %s', (_, claims) => {
    expect(() => decodeHistogram(forged(claims))).toThrow(ConfigError);
  });

  it('is refused before all of it is unpacked if it is packed a thousand times', () => {
    const bomb = forged({}, Buffer.alloc(100e6));

    expect(bomb.length).toBeLessThan(200_000);
    expect(() => decodeHistogram(bomb)).toThrow(ConfigError);
  });
});

interface Claims {
  readonly length?: number;
  readonly digits?: number;
  readonly lowest?: bigint;
  readonly highest?: bigint;
}

/** A histogram whose header claims what it likes. */
function forged(
  { length, digits = 3, lowest = 1n, highest = 3_600_000_000n }: Claims,
  counts = Buffer.from([2]),
): string {
  const header = Buffer.alloc(40);
  header.writeInt32BE(0x1c849313, 0);
  header.writeInt32BE(length ?? counts.length, 4);
  header.writeInt32BE(1, 8);
  header.writeInt32BE(digits, 12);
  header.writeBigInt64BE(lowest, 16);
  header.writeBigInt64BE(highest, 24);
  header.writeBigInt64BE(1n, 32);
  const packed = deflateSync(Buffer.concat([header, counts]));
  const envelope = Buffer.alloc(8);
  envelope.writeInt32BE(0x1c849314, 0);
  envelope.writeInt32BE(packed.length, 4);
  return Buffer.concat([envelope, packed]).toString('base64');
}
