import { expect, test } from 'vitest';
import { smallestPlant } from '../../../../src/judge/calibration/smallest-plant.ts';

test.each([0.004, 0.02, 0.05, 0.13, 0.49])('ends within a factor of 1.2 above %d', async (limit) => {
  const { smallest, tried } = await smallestPlant(0.05, async (cpu) => cpu >= limit);

  expect(smallest).toBeGreaterThanOrEqual(limit);
  expect(smallest).toBeLessThanOrEqual(Math.max(0.005, 1.2 * limit));
  expect(tried.every(({ found, comparisons }) => (found === 9 && comparisons === 9) || comparisons === 2)).toBe(true);
});

test('allows one miss in ten comparisons, and no second one', async () => {
  let calls = 0;
  const missing = (places: readonly number[]) => async (cpu: number) => {
    calls += 1;
    return cpu >= 0.05 && !places.includes(calls);
  };

  expect((await smallestPlant(0.05, missing([3]))).tried[0]).toEqual({ cpu: 0.05, found: 9, comparisons: 10 });
  calls = 0;
  expect((await smallestPlant(0.05, missing([3, 5]))).tried[0]).toEqual({ cpu: 0.05, found: 3, comparisons: 5 });
});

test('is undefined if the largest plant is missed', async () => {
  const { smallest, tried } = await smallestPlant(0.3, async () => false);

  expect(smallest).toBeUndefined();
  expect(tried.map(({ cpu }) => Number(cpu.toFixed(3)))).toEqual([0.3, 0.45, 0.5]);
});
