import { describe, expect, test } from 'vitest';
import { Lockstep } from '../../../../src/measure/instructions/start.ts';

/** What starts do, step by step: each is done after so many windows of its own, or leaves. */
async function stepsOf(
  windows: readonly number[],
  leavesAfter: Readonly<Record<number, number>> = {},
  hasFailed = false,
) {
  const lockstep = new Lockstep(windows.length);
  const steps: string[] = [];
  await Promise.all(
    windows.map(async (own, start) => {
      for (let step = 0; !(await lockstep.next(step >= own)); step += 1) {
        if (step === leavesAfter[start]) {
          break;
        }
        steps.push(`${step}: ${start}${step >= own ? ' keeps company' : ''}`);
      }
      lockstep.leave({ hasFailed: hasFailed && start in leavesAfter });
    }),
  );
  return steps;
}

describe('starts in lockstep', () => {
  test('run their windows at the same times, and the one that is done keeps the other company', async () => {
    expect(await stepsOf([1, 3])).toEqual([
      ...['0: 0', '0: 1'],
      ...['1: 0 keeps company', '1: 1'],
      ...['2: 0 keeps company', '2: 1'],
    ]);
  });

  test('do not wait for one that has ended', async () => {
    expect(await stepsOf([3, 2], { 0: 1 })).toEqual(['0: 0', '0: 1', '1: 1']);
  });

  test.each([
    [{ 0: 1 }, ['0: 0', '0: 1', '1: 1']],
    [{ 0: 0 }, ['0: 1']],
  ])(
    'end after a window if another fails, since nothing is left to compare them with: %j',
    async (failsAfter, steps) => {
      expect(await stepsOf([9, 9], failsAfter, true)).toEqual(steps);
    },
  );

  test('end by themselves if there is one', async () => {
    expect(await stepsOf([2])).toEqual(['0: 0', '1: 0']);
  });
});
