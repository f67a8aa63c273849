import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelPlaces, shortLabels } from '../../../studies/sweep/axes.ts';

const SPAN = { from: 10, to: 180 };

describe('labels next to a chart', () => {
  it.each([
    ['stay where there is room', [20, 60, 100], [20, 60, 100]],
    ['give way downwards', [50, 52], [50, 63]],
    ['give way upwards at the lower end', [178, 180], [167, 180]],
    ['come in the order of their heights', [180, 178], [180, 167]],
    ['begin within the span', [0], [10]],
  ])('%s', (_, heights, places) => {
    expect(labelPlaces(heights, SPAN)).toEqual(places);
  });

  it('never lie over another, and stay in the span where they fit', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 13 }), (heights) => {
        const places = labelPlaces(heights, SPAN);
        const sorted = places.toSorted((left, right) => left - right);
        expect(sorted.every((place, index) => index === 0 || place - (sorted[index - 1] ?? 0) >= 13)).toBe(true);
        expect(places.every((place) => place >= SPAN.from && place <= SPAN.to)).toBe(true);
        for (const [index, height] of heights.entries()) {
          const below = heights.findIndex((other) => other > height);
          expect(below < 0 || (places[below] ?? 0) > (places[index] ?? 0)).toBe(true);
        }
      }),
    );
  });

  it.each([
    [
      ['payload-json', 'payload-json-go', 'payload-grpc'],
      ['json', 'json-go', 'grpc'],
    ],
    [
      ['a-b-one', 'a-b-two'],
      ['one', 'two'],
    ],
    [
      ['REST', 'REST development'],
      ['REST', 'REST development'],
    ],
    [
      ['a-', 'a-b'],
      ['a-', 'a-b'],
    ],
    [
      ['one', 'other'],
      ['one', 'other'],
    ],
    [['payload-json'], ['payload-json']],
    [[], []],
  ])('leave out what all begin with: %j', (labels, short) => {
    expect(shortLabels(labels)).toEqual(short);
  });
});
