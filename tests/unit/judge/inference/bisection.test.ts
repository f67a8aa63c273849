import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../src/foundation/random.ts';
import {
  type Bisection,
  likeliest,
  nextPlace,
  sightingOf,
  suspectsOf,
  unitedSighting,
} from '../../../../src/judge/inference/bisection.ts';
import { normalQuantile } from '../../../../src/judge/inference/distributions.ts';

const BEGUN: Bisection = {
  commits: 8,
  effect: { worse: 0.05, error: 0.005 },
  sightings: [],
  skipped: new Set(),
};

const seen = (place: number, worse: number, error = 0.005) => ({ place, worse, error });

describe('a search for the first worse commit', () => {
  test('begins in the middle, where every commit is as likely', () => {
    expect(suspectsOf(BEGUN)).toHaveLength(8);
    expect(suspectsOf(BEGUN)[2]).toEqual({ from: 3, to: 3, probability: 1 / 8 });
    expect(nextPlace(BEGUN)).toBe(4);
  });

  test('goes to the half that a comparison leaves', () => {
    expect(nextPlace({ ...BEGUN, sightings: [seen(4, 0.05)] })).toBe(2);
    expect(nextPlace({ ...BEGUN, sightings: [seen(4, 0)] })).toBe(6);
  });

  test('repeats an inconclusive comparison', () => {
    const search = { ...BEGUN, effect: { worse: 0.05, error: 0.0001 } };

    expect(nextPlace({ ...search, sightings: [seen(4, 0.025)] })).toBe(4);
  });

  test('does not believe a single comparison, however sure it is', () => {
    const search = { ...BEGUN, commits: 2, sightings: [seen(1, 0, 0.0001)] };

    expect(likeliest(search)).toMatchObject({ from: 2, to: 2 });
    expect(likeliest(search).probability).toBeCloseTo(0.99, 6);
  });

  test('leaves commits that cannot be measured with the next one that can', () => {
    const search = {
      ...BEGUN,
      sightings: [seen(2, 0), seen(2, 0), seen(5, 0.05), seen(5, 0.05)],
      skipped: new Set([3, 4]),
    };

    expect(likeliest(search)).toMatchObject({ from: 3, to: 5 });
    expect(likeliest(search).probability).toBeGreaterThan(0.99);
  });

  test('has nowhere to go if no other commit can be measured', () => {
    expect(nextPlace({ ...BEGUN, commits: 3, skipped: new Set([1, 2]) })).toBeUndefined();
    expect(likeliest({ ...BEGUN, commits: 3, skipped: new Set([1, 2]) })).toEqual({ from: 1, to: 3, probability: 1 });
  });

  test('takes the error of a comparison from its interval', () => {
    const { worse, error } = sightingOf(0.05, 0.03, 0.07);

    expect(worse).toBeCloseTo(Math.log(1.05), 9);
    expect(error).toBeCloseTo(Math.log(1.07 / 1.03) / 3.92, 4);
    expect(sightingOf(0.05, 0.05, 0.05).error).toBe(0.002);
  });

  test('takes several comparisons of a commit together', () => {
    const united = unitedSighting([
      { worse: 0.04, error: 0.01 },
      { worse: 0.06, error: 0.01 },
    ]);

    expect(united.worse).toBeCloseTo(0.05, 9);
    expect(united.error).toBeCloseTo(0.01 / Math.SQRT2, 9);
  });

  test.each([
    ['noise of a third of the change', 0.3],
    ['noise of half of the change', 0.5],
  ])('finds the commit among 32, with %s', (_, noise) => {
    const random = seededRandom(20);
    const error = noise * 0.05;
    const searches = 300;
    let right = 0;
    let wrong = 0;
    let tries = 0;
    for (let search = 0; search < searches; search += 1) {
      const first = 1 + Math.floor(random() * 32);
      const measured = (place: number) => (place >= first ? 0.05 : 0) + error * normalQuantile(random());
      const known = Math.min(error, 0.05 / 3);
      const effect = { worse: 0.05 + known * normalQuantile(random()), error: known };
      let state: Bisection = { ...BEGUN, commits: 32, effect };
      for (let tried = 0; tried < 40 && likeliest(state).probability < 0.95; tried += 1) {
        const place = nextPlace(state) ?? 0;
        state = { ...state, sightings: [...state.sightings, { place, worse: measured(place), error }] };
        tries += 1;
      }
      const { from, probability } = likeliest(state);
      right += Number(probability >= 0.95 && from === first);
      wrong += Number(probability >= 0.95 && from !== first);
    }
    expect(wrong / searches).toBeLessThan(0.08);
    expect(right / searches).toBeGreaterThan(0.9);
    expect(tries / searches).toBeLessThan(noise === 0.3 ? 12 : 20);
  });
});
