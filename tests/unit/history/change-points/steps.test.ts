import { describe, expect, it } from 'vitest';
import { changePoints } from '../../../../src/history/change-points/change-points.ts';
import { clarityOf, clearSteps, nearlyAsWell, parting } from '../../../../src/history/change-points/steps.ts';
import { noise, stepped } from './sample-series.ts';

const of = (...values: readonly number[]) => Float64Array.from(values);

describe('the clarity of a step', () => {
  it('is its height in scatters of the values on their own levels, from 6 on', () => {
    // The distances from 1 and from 21 are 0, 1 and 1 on both sides: a scatter is 1.4826.
    expect(clarityOf(of(0, 1, 2), of(20, 21, 22))).toBeCloseTo(20 / 1.4826, 9);
    expect(clarityOf(of(0, 1, 2), of(8, 9, 10))).toBe(0);
  });

  it('is endless between levels without scatter, and nothing without a step', () => {
    expect(clarityOf(of(1, 1, 1), of(2, 2, 2))).toBe(Number.POSITIVE_INFINITY);
    expect(clarityOf(of(1, 1, 1), of(1, 1, 1))).toBe(0);
  });

  it('does not hang on one bad day', () => {
    expect(clarityOf(of(0, 1, 2, 400), of(20, 21, 22))).toBeGreaterThan(6);
  });
});

it('clear steps are found between short levels, and none that is near a clearer one', () => {
  const logs = Float64Array.from(stepped(stepped(noise(1, 40, { share: 0.02 }), 15, 1.5), 25, 1 / 1.5), Math.log);
  const smallest = 0.05;

  // Of two that are alike both: they are moved to one place later.
  expect(clearSteps({ logs, smallest }, 0)).toEqual([15, 25, 26]);
  expect(changePoints([...logs].map(Math.exp)).map(({ index }) => index)).toEqual([15, 25]);
  expect(clearSteps({ logs, smallest }, 20)).toContain(25);
  expect(clearSteps({ logs, smallest: 0.5 }, 0)).toEqual([]);
  expect(clearSteps({ logs: Float64Array.from(noise(1, 200), Math.log), smallest }, 0)).toEqual([]);
});

describe('the neighbor of a change', () => {
  const stepAt = (before: readonly number[], after: readonly number[]) =>
    nearlyAsWell(of(...before, ...after), { from: 0, at: before.length, to: before.length + after.length });

  it('is a run that is in the middle of both levels, on whichever side it was put', () => {
    expect(stepAt([0, 0, 0, 0, 0, 0.45], [1, 1, 1, 1, 1, 1])).toBe(5);
    expect(stepAt([0, 0, 0, 0, 0, 0], [0.55, 1, 1, 1, 1, 1])).toBe(7);
    expect(stepAt([1, 1, 1, 1, 1, 0.55], [0, 0, 0, 0, 0, 0])).toBe(5);
  });

  it('is the better one of two', () => {
    expect(stepAt([0, 0, 0, 0, 0, 0.38], [0.55, 1, 1, 1, 1, 1])).toBe(7);
  });

  it('is none if the runs on both sides are on their levels', () => {
    expect(stepAt([0, 0, 0, 0, 0, 0.3], [0.7, 1, 1, 1, 1, 1])).toBeUndefined();
    expect(stepAt([0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0])).toBeUndefined();
  });

  it('is one if noise is about as large as the step', () => {
    expect(stepAt([-1, 1, -1, 1, -1, 1], [0, 2, 0, 2, 0, 2])).toBeDefined();
  });

  it.each([
    [0.01, 1.3, 0],
    [0.05, 1.3, 0.15],
    [0.05, 1.1, 0.55],
  ])('finds few steps in noise of %f and a factor of %f, and most that are not at their run', (share, factor, most) => {
    const found = Array.from({ length: 200 }, (_, seed) =>
      changePoints(stepped(noise(seed, 80, { share }), 40, factor)),
    ).flatMap((changes) => (changes.length === 1 ? changes : []));
    const reported = found.filter(({ neighbor }) => neighbor !== undefined);
    const off = found.filter(({ index }) => index !== 40);

    expect(reported.length).toBeLessThanOrEqual(most * found.length);
    expect(off.filter(({ neighbor }) => neighbor !== undefined).length).toBeGreaterThanOrEqual(off.length / 2);
  });
});

describe('where values part', () => {
  const logs = of(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1);

  it.each([3, 5, 6, 8, 9])('is at the step, from %i', (at) => {
    expect(parting(logs, at, { from: 0, to: 13, first: 0 })).toBe(6);
  });

  it('is not before the first place, nor nearer than 5 values to the others', () => {
    expect(parting(logs, 8, { from: 0, to: 13, first: 7 })).toBe(7);
    expect(parting(logs, 8, { from: 3, to: 13, first: 0 })).toBe(8);
  });
});

it.each([
  [[10, 10], 1.3],
  [[5, 20], 1.3],
  [[45, 5], 1.5],
])('a clear step of a short history is a change: %j, times %d', ([before = 0, after = 0], factor) => {
  const found = changePoints(stepped(noise(3, before + after, { share: 0.02 }), before, factor));

  expect(found).toEqual([expect.objectContaining({ index: before, pending: false })]);
});
