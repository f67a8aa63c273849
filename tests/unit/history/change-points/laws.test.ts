import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom, shuffled } from '../../../../src/foundation/random.ts';
import { type ChangePoint, changePoints, rescan } from '../../../../src/history/change-points/change-points.ts';
import { noise, stepped } from './sample-series.ts';

const drawnSeries = fc
  .record({
    seed: fc.nat(1_000_000),
    count: fc.integer({ min: 0, max: 260 }),
    share: fc.constantFrom(0.01, 0.05, 0.2),
    steps: fc.array(fc.record({ from: fc.nat(260), factor: fc.double({ min: 0.6, max: 1.7, noNaN: true }) }), {
      maxLength: 4,
    }),
  })
  .map(({ seed, count, share, steps }) =>
    steps.reduce((values, { from, factor }) => stepped(values, from, factor), noise(seed, count, { share })),
  );

const drawnStrata = fc.array(fc.constantFrom('a', 'a', 'b', 'c'), { minLength: 260, maxLength: 260 });

describe('changes', () => {
  it('do not depend on the unit', () => {
    fc.assert(
      fc.property(drawnSeries, fc.constantFrom(0.001, 60, 1e9), (values, factor) => {
        const found = changePoints(values.map((value) => value * factor));

        expect(found.map(({ index }) => index)).toEqual(changePoints(values).map(({ index }) => index));
        for (const [place, change] of changePoints(values).entries()) {
          expect(found[place]?.before).toBeCloseTo(change.before * factor, -Math.log10(factor * 1e-4));
          expect(found[place]?.shift).toBeCloseTo(change.shift, 8);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('of rates are where those of the times are, the other way', () => {
    fc.assert(
      fc.property(drawnSeries, (values) => {
        const found = changePoints(values.map((value) => 1 / value));

        expect(found.map(({ index }) => index)).toEqual(changePoints(values).map(({ index }) => index));
        for (const [place, { shift }] of changePoints(values).entries()) {
          expect((1 + (found[place]?.shift ?? 0)) * (1 + shift)).toBeCloseTo(1, 8);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('read backwards are at the same step, give or take two values', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.integer({ min: 35, max: 55 }), fc.boolean(), (seed, from, isUp) => {
        const values = stepped(noise(seed, 90, { share: 0.01 }), from, isUp ? 1.3 : 1 / 1.3);
        const [forwards, backwards] = [changePoints(values), changePoints(values.toReversed())];

        expect([forwards.length, backwards.length]).toEqual([1, 1]);
        expect(Math.abs((forwards[0]?.index ?? 0) - from)).toBeLessThanOrEqual(2);
        expect(Math.abs(90 - (backwards[0]?.index ?? 0) - from)).toBeLessThanOrEqual(2);
        expect((1 + (forwards[0]?.shift ?? 0)) * (1 + (backwards[0]?.shift ?? 0))).toBeCloseTo(1, 1);
      }),
      { numRuns: 30, seed: 1 },
    );
  });

  it('are as good as none in shuffled series: at most one in 10,000 values', () => {
    const found = Array.from({ length: 20 }, (_, seed) => {
      const values = stepped(stepped(noise(seed, 500, { share: 0.08 }), 200, 1.4), 300, 1.3);
      return changePoints(shuffled(values, seededRandom(seed)));
    });

    expect(found.flat().length).toBeLessThanOrEqual(1);
  });

  it('are few where values resemble those before them: at most 6 in 10,000 values', () => {
    const found = Array.from({ length: 20 }, (_, seed) => changePoints(noise(seed, 500, { share: 0.08, rho: 0.5 })));

    expect(found.flat().length).toBeLessThanOrEqual(6);
  });
});

describe('a rescan after each new value', () => {
  it('finds exactly what a scan of the whole series does', () => {
    fc.assert(
      fc.property(drawnSeries, drawnStrata, fc.boolean(), (values, strata, hasStrata) => {
        let found: readonly ChangePoint[] = [];
        for (let count = 1; count <= values.length; count += 1) {
          const soFar = values.slice(0, count);
          const keys = hasStrata ? strata.slice(0, count) : undefined;
          found = rescan(found, soFar, { strata: keys });
          if (count % 7 === 0 || count === values.length) {
            expect(found).toEqual(changePoints(soFar, keys));
          }
        }
      }),
      { numRuns: 12 },
    );
  });

  it('never moves a change that lies before the two last windows', () => {
    const values = stepped(stepped(noise(9, 320), 100, 1.15), 180, 1.2);
    const settled = changePoints(values.slice(0, 260)).filter(({ index }) => index < 170);

    expect(settled.length).toBe(1);
    for (let count = 260; count <= values.length; count += 1) {
      expect(changePoints(values.slice(0, count))[0]?.index).toBe(settled[0]?.index);
    }
  });

  it('skips a value that the series lacks', () => {
    const values = stepped(noise(3, 150), 100, 1.3);

    expect(rescan(changePoints(values), [...values, null])).toEqual(changePoints(values));
  });
});
