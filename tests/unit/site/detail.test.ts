import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detailOf, type Strand } from '../../../site/model/detail.ts';

const strand = (values: readonly number[], keeps: Strand['keeps'] = 'both'): Strand => ({
  values: Float32Array.from(values),
  keeps,
});

const all = (count: number) => [0, count - 1] as const;

const ANY = Number.NEGATIVE_INFINITY;

const figures = (line: readonly (number | null)[] = []) => line.filter((value) => value !== null);

describe('what a chart draws of its lines', () => {
  it('is every figure while columns have no more than two runs, and one column beside the stretch', () => {
    const values = Array.from({ length: 100 }, (_, place) => place);
    const { places, lines } = detailOf([strand(values)], { stretch: [40, 60], columns: 20, above: ANY });

    expect(places).toEqual(values.slice(39, 62));
    expect(lines).toEqual([places]);
  });

  it('is the lowest and the highest figure of a column in their order, with all beyond it', () => {
    const values = [5, 1, 2, 9, 9, 7, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4];
    const { places, lines } = detailOf([strand(values)], { stretch: all(16), columns: 4, above: ANY });

    expect(places).toEqual([0, 3, 4, 7, 8, 11, 12, 15]);
    expect(lines).toEqual([[1, 9, 9, 3, 4, 4, 4, 4]]);
  });

  it('is the outer edge of a band', () => {
    const values = [5, 1, 2, 9];
    const { lines } = detailOf([strand(values, 'lowest'), strand(values, 'highest')], {
      stretch: all(4),
      columns: 1,
      above: ANY,
    });

    expect(lines).toEqual([
      [1, 1],
      [9, 9],
    ]);
  });

  it('leaves out what is missing, and what a logarithmic axis has no place for', () => {
    const values = [Number.NaN, 0, -1, 3, 0, Number.NaN, 0, 0];

    expect(detailOf([strand(values)], { stretch: all(8), columns: 2, above: 0 }).lines).toEqual([[3, 3, null, null]]);
    expect(detailOf([strand(values)], { stretch: all(8), columns: 2, above: ANY }).lines).toEqual([[-1, 3, 0, 0]]);
    expect(detailOf([strand(values)], { stretch: all(8), columns: 100, above: 0 }).lines).toEqual([
      [null, null, null, 3, null, null, null, null],
    ]);
  });

  it('is nothing of no runs', () => {
    expect(detailOf([strand([])], { stretch: [0, 0], columns: 100, above: ANY })).toEqual({ places: [], lines: [[]] });
    expect(detailOf([], { stretch: [0, 0], columns: 100, above: ANY })).toEqual({ places: [], lines: [] });
  });

  it('has the extremes of all that is shown, in order, and a bounded number of points', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 3000 }),
        fc.integer({ min: 1, max: 200 }),
        fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
        (values, columns, ends) => {
          const [from, to] = ends.map((end) => end * (values.length - 1)).sort((left, right) => left - right);
          const { places, lines } = detailOf([strand(values)], {
            stretch: [from ?? 0, to ?? 0],
            columns,
            above: ANY,
          });
          const shown = Float32Array.from(values).subarray(Math.ceil(from ?? 0), Math.floor(to ?? 0) + 1);
          const drawn = figures(lines[0]);

          expect(places).toEqual([...places].sort((left, right) => left - right));
          expect(lines[0]?.length).toBe(places.length);
          expect(places.length).toBeLessThanOrEqual(4 * columns + 12);
          if (shown.length > 0) {
            expect(Math.min(...drawn)).toBeLessThanOrEqual(Math.min(...shown));
            expect(Math.max(...drawn)).toBeGreaterThanOrEqual(Math.max(...shown));
          }
          expect(drawn.every((value) => Float32Array.from(values).includes(value))).toBe(true);
        },
      ),
    );
  });
});
