import { describe, expect, it } from 'vitest';
import { type FamilyRule, looksFor, type Paired, testFamily } from '../../../../src/judge/inference/family-test.ts';
import golden from '../../../fixtures/golden/ab-rule.json' with { type: 'json' };
import { once, steps } from './sample-families.ts';

describe('a family at one look', () => {
  it.each(golden)('has the adjusted p of the golden vectors with $n rounds', ({ n, m0, logA, logB, p_adj }) => {
    const family = logA.map((base, index) => ({ base, head: logB[index] ?? [] }));

    const { adjustedP } = testFamily(family, { ...once(n), floor: Math.expm1(m0) });

    expect(adjustedP).toEqual(p_adj);
  });

  it.each([8, 9, 10])('with %d rounds that all point one way has the p of the one swap that does nothing', (rounds) => {
    expect(testFamily([steps(rounds)], once(rounds)).adjustedP).toEqual([2 ** -rounds]);
  });

  it.each([
    [8, [3], (1 + 8) / 2 ** 8],
    [9, [3], (1 + 9) / 2 ** 9],
    [10, [0, 9], (1 + 10 + 45) / 2 ** 10],
  ])('with %d rounds, of which %j point the other way, counts the swaps that do as well', (rounds, reversed, p) => {
    expect(testFamily([steps(rounds, reversed)], once(rounds)).adjustedP).toEqual([p]);
  });

  // Alone each has 9 swaps that do as well; in 2 of them both do.
  it('makes no comparison surer than one that stands as high', () => {
    expect(testFamily([steps(8, [0]), steps(8, [1])], once(8)).adjustedP).toEqual([16 / 256, 16 / 256]);
  });

  it('of more than 13 rounds draws 20,000 swaps and counts what was measured', () => {
    expect(testFamily([steps(30)], once(30)).adjustedP).toEqual([1 / 20_001]);
    const [p] = testFamily([steps(16, [0, 1, 2, 3, 4, 5, 8, 9])], once(16)).adjustedP;
    // 8 of 16 fair coins or more: 59.8%.
    expect(Math.abs((p ?? Number.NaN) - 0.598)).toBeLessThan(0.015);
  });

  it('calls nothing significant that ties with one swap more than alpha allows', () => {
    const family = [steps(9, [3])];

    // 10 of 512 swaps do as well or better.
    expect(testFamily(family, once(9, 9.9 / 512)).significantAt).toEqual([undefined]);
    expect(testFamily(family, once(9, 10 / 512)).significantAt).toEqual([9]);
  });

  it('calls nothing significant while alpha is less than one swap', () => {
    expect(testFamily([steps(10)], once(10, 0.9 / 1024)).significantAt).toEqual([undefined]);
    expect(testFamily([steps(10)], once(10, 1 / 1024)).significantAt).toEqual([10]);
    const drawn: FamilyRule = { ...once(20, 0.5 / 1001), swaps: 1000 };
    expect(testFamily([steps(20)], drawn).significantAt).toEqual([undefined]);
    expect(testFamily([steps(20)], { ...drawn, alpha: 1 / 1001 }).significantAt).toEqual([20]);
  });

  it('of values that never differ finds nothing', () => {
    const still = { base: Array(10).fill(4), head: Array(10).fill(4) };

    expect(testFamily([still], once(10))).toEqual({ significantAt: [undefined], adjustedP: [1] });
    expect(testFamily([still], { ...once(10), floor: 0.01 })).toEqual({ significantAt: [undefined], adjustedP: [1] });
    expect(testFamily([still, steps(10)], once(10))).toEqual({
      significantAt: [undefined, 10],
      adjustedP: [1, 1 / 1024],
    });
  });

  it('finds a constant rise above the floor and not one below it', () => {
    const rise = (by: number) => ({ base: Array(10).fill(4), head: Array(10).fill(4 + by) });
    const rule = { ...once(10), floor: 0.01 };

    expect(testFamily([rise(0.0101)], rule)).toEqual({ significantAt: [10], adjustedP: [1 / 1024] });
    expect(testFamily([rise(0.0099)], rule)).toEqual({ significantAt: [undefined], adjustedP: [1] });
  });

  it('without comparisons or without looks has nothing to say', () => {
    expect(testFamily([], once(10))).toEqual({ significantAt: [], adjustedP: [] });
    expect(testFamily([steps(5)], { ...once(5), looks: [] })).toEqual({ significantAt: [undefined], adjustedP: [1] });
  });

  it('uses no swap set of its own for a comparison that lacks rounds', () => {
    const { base, head } = steps(12);
    const without = (values: Paired['base'], rounds: readonly number[]) =>
      values.map((value, round) => (rounds.includes(round) ? undefined : value));
    const lacking = { base: without(base, [0, 7]), head: without(head, [7, 11]) };

    expect(testFamily([lacking], once(12)).adjustedP).toEqual([2 ** -9]);
    expect(testFamily([lacking], once(12)).significantAt).toEqual([12]);
  });

  it('needs 8 rounds that have both sides, for any alpha', () => {
    const { base, head } = steps(10);
    const lacking = { base: base.map((value, round) => (round < 3 ? undefined : value)), head };

    expect(testFamily([lacking], once(10, 0.2))).toEqual({ significantAt: [undefined], adjustedP: [1] });
    expect(testFamily([steps(7)], once(7, 0.2))).toEqual({ significantAt: [undefined], adjustedP: [1] });
  });
});

describe('a family that cannot be tested', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('has a value of %d', (value) => {
    const { base, head } = steps(10);

    expect(() => testFamily([{ base: [...base.slice(1), value], head }], once(10))).toThrow(RangeError);
    expect(() => testFamily([{ base, head: [value, ...head.slice(1)] }], once(10))).toThrow(RangeError);
  });

  it('has fewer rounds than a look, or sides that do not align', () => {
    expect(() => testFamily([steps(9)], once(10))).toThrow(RangeError);
    expect(() => testFamily([{ base: steps(10).base, head: steps(11).head }], once(10))).toThrow(RangeError);
  });

  it.each([
    [
      {
        looks: [
          { rounds: 10, spent: 0.5 },
          { rounds: 10, spent: 1 },
        ],
      },
    ],
    [
      {
        looks: [
          { rounds: 8, spent: 0.5 },
          { rounds: 10, spent: 0.4 },
        ],
      },
    ],
    [{ looks: [{ rounds: 10, spent: 1.1 }] }],
    [{ looks: [{ rounds: 9.5, spent: 1 }] }],
    [{ alpha: 0.7 }],
    [{ alpha: Number.NaN }],
    [{ floor: Number.NaN }],
    [{ floor: -1 }],
  ])('has a rule that is none: %j', (broken) => {
    expect(() => testFamily([steps(10)], { ...once(10), ...broken })).toThrow(RangeError);
  });
});

describe('the looks of a run', () => {
  const planned = [
    { rounds: 10, spent: 0.2 },
    { rounds: 15, spent: 0.4 },
    { rounds: 30, spent: 1 },
  ];

  it('are those that were planned and reached while it goes on', () => {
    expect(looksFor(planned, 9, false)).toEqual([]);
    expect(looksFor(planned, 15, false)).toEqual(planned.slice(0, 2));
    expect(looksFor(planned, 17, false)).toEqual(planned.slice(0, 2));
  });

  it('end with one at the rounds reached that spends what is left', () => {
    expect(looksFor(planned, 17, true)).toEqual([...planned.slice(0, 2), { rounds: 17, spent: 1 }]);
    expect(looksFor(planned, 15, true)).toEqual([planned[0], { rounds: 15, spent: 1 }]);
    expect(looksFor(planned, 8, true)).toEqual([{ rounds: 8, spent: 1 }]);
  });

  it('are not added to where nothing is left to spend or nothing was measured', () => {
    expect(looksFor(planned, 30, true)).toEqual(planned);
    expect(looksFor(planned, 40, true)).toEqual(planned);
    expect(looksFor(planned, 0, true)).toEqual([]);
  });
});
