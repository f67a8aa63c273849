import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noiseBand } from '../../../site/model/band.ts';
import { latencyCurve, NINES, percentileText } from '../../../site/model/distribution.ts';
import { gripped, isLogarithmic, panned, positiveSpan, zoomed } from '../../../site/model/scales.ts';
import { linearRange, linearTicks, logarithmicRange, logarithmicTicks } from '../../../site/model/ticks.ts';
import { encodeHistogram } from '../../../src/foundation/histogram.ts';

const figure = fc.double({ min: 1e-3, max: 1e9, noNaN: true });
const pair = fc
  .tuple(figure, figure)
  .map(([one, other]) => [Math.min(one, other), Math.max(one, other) * 1.01] as const);

describe('the axis', () => {
  it.each([
    ['auto', [1, 9], false],
    ['auto', [1, 11], true],
    ['linear', [1, 1000], false],
    ['logarithmic', [1, 2], true],
    ['logarithmic', undefined, false],
  ] as const)('%s over %j is logarithmic: %s', (choice, span, expected) => {
    expect(isLogarithmic(choice, span)).toBe(expected);
  });

  it('spans the positive figures', () => {
    expect(
      positiveSpan([
        [0, 3, Number.NaN],
        [12, -4],
      ]),
    ).toEqual([3, 12]);
    expect(positiveSpan([[0, -1]])).toBeUndefined();
  });

  it('has its figures within its range, and ticks within it', () => {
    fc.assert(
      fc.property(pair, ([low, high]) => {
        for (const [range, ticks] of [
          [linearRange(low, high), linearTicks(low, high, 5)],
          [logarithmicRange(low, high), logarithmicTicks(low, high)],
        ] as const) {
          expect(range[0]).toBeLessThanOrEqual(low);
          expect(range[1]).toBeGreaterThanOrEqual(high);
          expect(ticks.length).toBeLessThan(40);
          expect(ticks.every((tick) => tick >= low * 0.999999 && tick <= high * 1.000001)).toBe(true);
        }
      }),
    );
  });

  it('does not let noise fill it', () => {
    const [low, high] = linearRange(99, 101);

    expect(high - low).toBeGreaterThan(20);
    expect(linearRange(0, 0)).toEqual([0, 0.5]);
  });

  it('has round ticks', () => {
    expect(logarithmicTicks(1, 60)).toEqual([1, 2, 5, 10, 20, 50]);
    expect(linearTicks(100, 200, 5)).toEqual([100, 120, 140, 160, 180, 200]);
    expect(linearTicks(5, 5, 5)).toEqual([]);
  });
});

describe('zooming and moving', () => {
  const stretches = fc
    .tuple(
      fc.integer({ min: 4, max: 10_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
    )
    .map(([last, one, other]) => ({
      last,
      stretch: [Math.min(one, other) * last, Math.max(one, other) * last] as const,
    }));

  it('stay within the runs that there are', () => {
    fc.assert(
      fc.property(
        stretches,
        fc.double({ min: 0.1, max: 10, noNaN: true }),
        fc.double({ min: -2, max: 2, noNaN: true }),
        ({ last, stretch }, factor, by) => {
          for (const [from, to] of [zoomed(stretch, factor, stretch[0], last), panned(stretch, by * last, last)]) {
            expect(from).toBeGreaterThanOrEqual(0);
            expect(to).toBeLessThanOrEqual(last + 1e-6);
            expect(to).toBeGreaterThanOrEqual(from);
          }
        },
      ),
    );
  });

  it('keep the place that is zoomed at', () => {
    expect(zoomed([0, 100], 0.5, 50, 100)).toEqual([25, 75]);
    expect(zoomed([10, 12], 0.1, 11, 100)).toEqual([9, 13]);
    expect(panned([10, 20], -50, 100)).toEqual([0, 10]);
  });

  it('keep under the fingers what they took hold of', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, fc.double({ min: 0.25, max: 4, noNaN: true }), (was, is, factor) => {
        const [from, to] = gripped([5000, 5100], { factor, was, is }, 10_000);

        expect(to - from).toBeCloseTo(100 * factor, 6);
        expect(from + is * (to - from)).toBeCloseTo(5000 + 100 * was, 6);
      }),
    );
    expect(gripped([10, 20], { factor: 1, was: 0, is: 1 }, 100)).toEqual([0, 10]);
  });
});

describe('the noise band', () => {
  it('is the spread over the rounds where there is one', () => {
    const band = noiseBand({ values: Float32Array.of(100, 100), spreads: Float32Array.of(0.1, 0.1) });

    expect(band.kind).toBe('rounds');
    expect(band.low[1]).toBeCloseTo(90.48, 1);
    expect(band.high[1]).toBeCloseTo(110.52, 1);
  });

  it('is the scatter of the runs before where there is none, and absent for the first runs', () => {
    const values = Float32Array.from({ length: 40 }, (_, place) => (place % 2 === 0 ? 99 : 101));
    const band = noiseBand({ values, spreads: new Float32Array(40).fill(Number.NaN) });

    expect(band.kind).toBe('runs');
    expect(band.low[7]).toBeNaN();
    expect(band.low[39]).toBeCloseTo(100 - 2 * 1.4826, 2);
    expect(band.high[39]).toBeCloseTo(100 + 2 * 1.4826, 2);
  });
});

describe('a latency curve', () => {
  it('extends as far as the requests allow', () => {
    const { ms, at: latencyAt } = latencyCurve(encodeHistogram(Array.from({ length: 1000 }, (_, place) => place + 1)));
    const at = (nines: number) => ms[NINES.findIndex((place) => Math.abs(place - nines) < 1e-9)];

    expect(latencyAt(0.5)).toBeCloseTo(500, -1);
    expect(latencyAt(0.9999)).toBeUndefined();
    expect(at(1)).toBeCloseTo(900, -1);
    expect(at(2)).toBeCloseTo(990, -1);
    expect(at(4)).toBeNull();
  });

  it('is an error where the text is damaged', () => {
    expect(() => latencyCurve('AAAA')).toThrow('a latency histogram cannot be read');
  });
});

it.each([
  [1, '90'],
  [2, '99'],
  [3, '99.9'],
  [4, '99.99'],
])('%i nines are p%s', (nines, text) => {
  expect(percentileText(nines)).toBe(text);
});
