import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../src/foundation/random.ts';
import { consecutiveRounds, drawRounds, recordedOf, roundsOf } from '../../../../src/judge/calibration/draws.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import { recordedRounds } from './recorded-rounds.ts';

const RECORDED = recordedOf(recordedRounds({ rounds: 40, sd: 0.05, seed: 3 }), DEFAULT_POLICY);

/** Which recorded round, with which labels, a drawn round of a comparison is. */
function placesOf(drawn: typeof RECORDED, index: number): readonly { round: number; isSwapped: boolean }[] {
  const [before, after] = [RECORDED[index], drawn[index]];
  return (after?.base ?? []).map((value, place) => {
    const isSwapped = before?.head.includes(value) === true;
    const round = (isSwapped ? before?.head : before?.base)?.indexOf(value) ?? -1;
    expect(after?.head[place]).toBe((isSwapped ? before?.base : before?.head)?.[round]);
    return { round, isSwapped };
  });
}

describe('rounds drawn from recorded ones', () => {
  it('are whole rounds, none twice, the same for all comparisons of a service', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), fc.integer({ min: 1, max: 40 }), (seed, rounds) => {
        const drawn = drawRounds(RECORDED, { rounds, labels: 'fresh', random: seededRandom(seed) });

        const places = RECORDED.map((_, index) => placesOf(drawn, index));
        const [rest = [], grpc = []] = [places[0], places[4]];
        expect(new Set(rest.map(({ round }) => round)).size).toBe(rounds);
        expect(places).toEqual([rest, rest, rest, rest, grpc, grpc, grpc, grpc]);
      }),
      { numRuns: 30 },
    );
  });

  it('exchange the labels of about half of the rounds where they are drawn, and of none where they are kept', () => {
    const swapped = (labels: 'fresh' | 'recorded') =>
      Array.from({ length: 50 }, (_, seed) =>
        placesOf(drawRounds(RECORDED, { rounds: 40, labels, random: seededRandom(seed) }), 0),
      )
        .flat()
        .filter(({ isSwapped }) => isSwapped).length;

    expect(swapped('recorded')).toBe(0);
    // 2,000 fair coins: five standard deviations are 112.
    expect(Math.abs(swapped('fresh') - 1000)).toBeLessThan(112);
  });

  it('have the gate family only, and the thresholds of the policy', () => {
    expect(RECORDED.map(({ compared: { metric }, threshold }) => [metric, threshold]).slice(0, 4)).toEqual([
      ['cpuMicrosPerRequest', 0.03],
      ['achievedRps', 0.03],
      ['latencyP50Ms', 0.05],
      ['latencyP50Ms', 0.05],
    ]);
    expect(roundsOf(RECORDED)).toBe(40);
  });

  it('can be taken as they were measured', () => {
    const [first] = consecutiveRounds(RECORDED, 10, 15);

    expect(first?.base).toEqual(RECORDED[0]?.base.slice(10, 25));
    expect(first?.head).toEqual(RECORDED[0]?.head.slice(10, 25));
  });
});
