import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundScores, type Statistic } from '../../../../src/judge/inference/scores.ts';

const zeros = (rounds: number) => Array.from({ length: rounds }, () => 0);
const scoresOf = (head: readonly number[], statistic: Statistic) =>
  [...roundScores({ base: zeros(head.length), head }, 0, statistic)].map((score) => score);

describe('the scores of differences', () => {
  it('are the differences, scaled to a sum of squares of 1', () => {
    const scores = scoresOf([1, 1, 1, 1, 2, 2, 2, -2], 'differences');

    expect(scores.map((score) => score * Math.sqrt(20))).toEqual(
      [1, 1, 1, 1, 2, 2, 2, -2].map((d) => expect.closeTo(d, 12)),
    );
  });

  it('count an outlier as three times the median of the sizes', () => {
    const [usual = 0, , , , , , , outlier = 0] = scoresOf([1, 1, 1, 1, 1, 1, 1, -500], 'differences');

    expect(outlier / usual).toBeCloseTo(-3, 12);
  });

  it('are not cut where half of the differences are 0', () => {
    const scores = scoresOf([0, 0, 0, 0, 0, 0, 3, 4], 'differences');

    expect(scores.map((score) => score * 5)).toEqual([0, 0, 0, 0, 0, 0, 3, 4].map((d) => expect.closeTo(d, 12)));
  });
});

describe.each(['differences', 'ranks'] as const)('the scores of %s', (statistic) => {
  const side = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 10, maxLength: 10 });

  it('change their sign where the labels of a round are exchanged, after the floor, and nothing else', () => {
    fc.assert(
      fc.property(side, side, fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }), (base, head, isSwapped) => {
        const exchanged = {
          base: base.map((value, round) => (isSwapped[round] ? (head[round] ?? 0) : value)),
          head: head.map((value, round) => (isSwapped[round] ? (base[round] ?? 0) : value)),
        };
        const scores = [...roundScores({ base, head }, 0, statistic)];
        const turned = scores.map((score, round) => expect.closeTo(isSwapped[round] ? -score : score, 12));
        expect([...roundScores(exchanged, 0, statistic)]).toEqual(turned);
      }),
    );
  });

  it('take the floor off head', () => {
    const head = zeros(10).map(() => 0.02);

    expect(roundScores({ base: zeros(10), head }, 0.03, statistic)[0]).toBeLessThan(0);
    expect(roundScores({ base: zeros(10), head }, 0.01, statistic)[0]).toBeGreaterThan(0);
  });

  it('are 0 where fewer than 8 rounds have both sides', () => {
    const head = [1, 2, 3, 4, 5, 6, 7, undefined, undefined];

    expect([...roundScores({ base: zeros(9), head }, 0, statistic)]).toEqual(zeros(9));
  });
});
