import { expect, test } from 'vitest';
import { Budget } from '../../../../src/measure/trial/time.ts';
import { fakeClock } from '../../../support/fakes.ts';

test('a budget has time for what ends in it, and by default for as long as the longest work so far', async () => {
  const clock = fakeClock();
  const budget = new Budget(clock, 10);
  await budget.spend(() => clock.sleep(3000));
  await budget.spend(() => clock.sleep(1000));

  expect([budget.spentSeconds, budget.leftSeconds, budget.longestSeconds]).toEqual([4, 6, 3]);
  expect([budget.hasTimeFor(6), budget.hasTimeFor(6.001), budget.hasTimeFor()]).toEqual([true, false, true]);
  await clock.sleep(4000);
  expect(budget.hasTimeFor()).toBe(false);
  await clock.sleep(4000);
  expect(budget.leftSeconds).toBe(0);
});

test('work that fails has taken its time, too', async () => {
  const clock = fakeClock();
  const budget = new Budget(clock);
  const failing = async (): Promise<never> => {
    await clock.sleep(2000);
    throw new Error('gone');
  };

  await expect(budget.spend(failing)).rejects.toThrow('gone');
  expect(budget.longestSeconds).toBe(2);
});
