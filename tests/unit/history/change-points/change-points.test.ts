import { describe, expect, it } from 'vitest';
import { changePoints } from '../../../../src/history/change-points/change-points.ts';
import { noise, stepped, uneven } from './sample-series.ts';

const places = (values: readonly (number | null)[], strata?: readonly string[]) =>
  changePoints(values, strata).map(({ index }) => index);

/** By tests/inference/changes.py. */
const GOLDEN = [
  {
    what: 'one step',
    values: stepped(uneven(200), 100, 1.1),
    expected: [{ index: 100, p: 3.04751366e-19, shift: 0.0999977844387, pending: false }],
  },
  {
    what: 'there and back',
    values: stepped(stepped(uneven(300), 120, 1.2), 150, 1 / 1.2),
    expected: [
      { index: 120, p: 1.37125234e-14, shift: 0.199176165873, pending: false },
      { index: 150, p: 1.37125234e-14, shift: -0.166493897644, pending: false },
    ],
  },
  {
    what: 'a step at the end',
    values: stepped(uneven(100), 96, 1.3),
    expected: [{ index: 96, p: 3.147742439e-6, shift: 0.285988843884, pending: true }],
  },
  {
    what: 'whole numbers',
    values: stepped(uneven(250), 77, 1.1).map((value) => Math.round(value / 2)),
    expected: [{ index: 77, p: 1.317010689e-20, shift: 0.0961538461538, pending: false }],
  },
  {
    what: 'up a little, down a lot',
    values: stepped(stepped(uneven(400), 60, 1.06), 300, 0.8),
    expected: [
      { index: 60, p: 9.604840458e-19, shift: 0.0584385278968, pending: false },
      { index: 300, p: 3.556570975e-21, shift: -0.200237271177, pending: false },
    ],
  },
];

describe('the changes of a series', () => {
  it.each(GOLDEN)('are those of the second implementation: $what', ({ values, expected }) => {
    const found = changePoints(values);

    expect(found.map(({ index, pending }) => ({ index, pending }))).toEqual(
      expected.map(({ index, pending }) => ({ index, pending })),
    );
    for (const [place, { p, shift }] of expected.entries()) {
      expect(Math.log10(found[place]?.p ?? 1)).toBeCloseTo(Math.log10(p), 6);
      expect(found[place]?.shift).toBeCloseTo(shift, 9);
    }
  });

  it('have the medians of both sides in the unit of the values', () => {
    const values = stepped(
      Array.from({ length: 40 }, (_, place) => 10 + ((3 * place) % 5)),
      20,
      2,
    );

    expect(changePoints(values)).toEqual([
      expect.objectContaining({ index: 20, before: 12, after: 24, shift: expect.closeTo(1, 9), valuesAfter: 20 }),
    ]);
  });

  it.each([
    ['nothing', []],
    ['fewer values than two sides need', stepped(noise(1, 9), 5, 3)],
    ['one value again and again', Array.from({ length: 200 }, () => 7)],
    ['a step of less than 5%', stepped(noise(1, 200, { share: 0.005 }), 100, 1.04)],
    ['four wild values', stepped(stepped(noise(3, 200), 100, 3), 104, 1 / 3)],
    ['values without a logarithm only', [null, 0, -1, Number.NaN, Number.POSITIVE_INFINITY]],
  ])('are none in %s', (_, values) => {
    expect(changePoints(values)).toEqual([]);
  });

  it('of 10% are placed within two values of the step', () => {
    const found = Array.from({ length: 40 }, (_, seed) =>
      places(stepped(noise(seed, 200, { share: 0.03 }), 80 + seed, 1.1)),
    );

    expect(found.map(({ length }) => length)).toEqual(found.map(() => 1));
    expect(found.filter(([index = 0], seed) => Math.abs(index - 80 - seed) > 2).length).toBeLessThanOrEqual(1);
  });

  it('that do not last are found with both their ends', () => {
    const found = places(stepped(stepped(noise(2, 400, { share: 0.03 }), 205, 1.2), 240, 1 / 1.2));

    expect(found).toEqual([205, 240]);
  });

  it('refer to the series as given, with values left out', () => {
    const values = stepped(noise(4, 120, { share: 0.02 }), 60, 1.3);
    const holed = values.flatMap((value, place) => (place % 3 === 0 ? [null, 0, value] : [value]));
    const first = holed.indexOf(values[60] ?? 0);

    expect(changePoints(holed)).toEqual([expect.objectContaining({ index: first, valuesAfter: 60 })]);
  });
});

describe('the end of a series', () => {
  const grown = (after: number) => changePoints(stepped(noise(6, 80 + after, { share: 0.02 }), 80, 1.3));

  it.each([0, 1, 2])('says nothing of a step that %i values follow', (after) => {
    expect(grown(after)).toEqual([]);
  });

  it.each([3, 4])('has a pending change where %i values follow a step', (after) => {
    expect(grown(after)).toEqual([expect.objectContaining({ index: 80, valuesAfter: after, pending: true })]);
  });

  it.each([5, 6, 20])('has a change where %i values follow a step', (after) => {
    expect(grown(after)).toEqual([expect.objectContaining({ index: 80, valuesAfter: after, pending: false })]);
  });
});

describe('strata', () => {
  const values = noise(7, 200, { share: 0.03 });
  const machines = values.map((_, place) => (place % 3 === 0 ? 'slow' : 'fast'));
  const onMachines = (of: readonly number[]) =>
    of.map((value, place) => (machines[place] === 'slow' ? 1.5 * value : value));

  it('that come and go are not a change', () => {
    const late = values.map((_, place) => (place % 3 === 0 || place > 150 ? 'slow' : 'fast'));
    const measured = values.map((value, place) => (late[place] === 'slow' ? 1.5 * value : value));

    expect(places(measured)).not.toEqual([]);
    expect(places(measured, late)).toEqual([]);
  });

  it('do not hide a change that all of them have', () => {
    const [found, ...others] = changePoints(onMachines(stepped(values, 90, 1.1)), machines);

    expect(others).toEqual([]);
    expect(Math.abs((found?.index ?? 0) - 90)).toBeLessThanOrEqual(2);
    expect(found?.shift).toBeCloseTo(0.1, 1);
  });

  it('of fewer than 5 values are left out', () => {
    const odd = noise(6, 200, { share: 0.02 }).map((value, place) => (place >= 196 ? 4 * value : value));
    const strata = values.map((_, place) => (place >= 196 ? 'new' : 'old'));

    expect(places(odd)).not.toEqual([]);
    expect(places(odd, strata)).toEqual([]);
  });

  it('of one name are as none', () => {
    const series = stepped(values, 100, 1.2);

    expect(
      changePoints(
        series,
        series.map(() => 'x'),
      ),
    ).toEqual(changePoints(series));
  });

  it('are one for each value', () => {
    expect(() => changePoints([1, 2], ['x'])).toThrow(RangeError);
  });
});
