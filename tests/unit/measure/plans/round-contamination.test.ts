import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contaminationOf, mayDiscard } from '../../../../src/measure/plans/round.ts';

const conditions = fc.record({
  controlMs: fc.double({ min: 1, max: 1000, noNaN: true }),
  stealShare: fc.double({ min: 0, max: 2, noNaN: true }),
});

describe('contaminationOf', () => {
  test('is the same whichever version came first, and zero for equal machines', () => {
    fc.assert(
      fc.property(conditions, conditions, fc.integer({ min: 1, max: 40 }), (one, other, blocks) => {
        expect(contaminationOf(one, other, blocks)).toBe(contaminationOf(other, one, blocks));
        expect(contaminationOf(one, one, blocks)).toBe(0);
      }),
    );
  });

  test('adds a slower CPU and time that the hypervisor took', () => {
    const quiet = { controlMs: 150, stealShare: 0 };
    expect(contaminationOf(quiet, { controlMs: 165, stealShare: 0 }, 1)).toBeCloseTo(Math.log(1.1), 12);
    expect(contaminationOf(quiet, { controlMs: 150, stealShare: 0.2 }, 1)).toBeCloseTo(0.2, 12);
    expect(contaminationOf(quiet, { controlMs: 300, stealShare: 0 }, 1)).toBe(
      contaminationOf(quiet, { controlMs: 75, stealShare: 0 }, 1),
    );
  });

  test('counts a change of the machine for one of the mirrored blocks, and what the hypervisor took in full', () => {
    const quiet = { controlMs: 150, stealShare: 0 };
    expect(contaminationOf(quiet, { controlMs: 165, stealShare: 0 }, 8)).toBeCloseTo(Math.log(1.1) / 8, 12);
    expect(contaminationOf(quiet, { controlMs: 150, stealShare: 0.2 }, 8)).toBeCloseTo(0.2, 12);
  });
});

test('at most 40% more rounds than wanted are discarded', () => {
  expect([0, 3, 4].map((discarded) => mayDiscard(discarded, 10))).toEqual([true, true, false]);
});
