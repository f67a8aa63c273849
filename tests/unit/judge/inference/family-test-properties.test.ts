import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Paired, testFamily } from '../../../../src/judge/inference/family-test.ts';
import { once } from './sample-families.ts';

/** Logs on a grid, so that sums are exact, with ties and with rounds that lack a side. */
const logs = (rounds: number) =>
  fc.array(
    fc.option(
      fc.integer({ min: 0, max: 60 }).map((step) => step / 256),
      { nil: undefined, freq: 12 },
    ),
    {
      minLength: rounds,
      maxLength: rounds,
    },
  );
const families = fc
  .integer({ min: 8, max: 11 })
  .chain((rounds) => fc.array(fc.record({ base: logs(rounds), head: logs(rounds) }), { minLength: 1, maxLength: 4 }));
const mapped = (values: Paired['base'], change: (value: number) => number) =>
  values.map((value) => (value === undefined ? undefined : change(value)));
const roundsOf = (family: readonly Paired[]) => family[0]?.base.length ?? 0;
const judged = (family: readonly Paired[], floor = 0.01) =>
  testFamily(family, { ...once(roundsOf(family), 0.1), floor });

describe('what a family shows', () => {
  it('does not depend on the order of the rounds', () => {
    fc.assert(
      fc.property(families, fc.infiniteStream(fc.nat()), (family, keys) => {
        const order = family[0]?.base.map((_, round) => ({ round, key: keys.next().value ?? 0 })) ?? [];
        order.sort((left, right) => left.key - right.key);
        const reordered = family.map(({ base, head }) => ({
          base: order.map(({ round }) => base[round]),
          head: order.map(({ round }) => head[round]),
        }));
        expect(judged(reordered)).toEqual(judged(family));
      }),
    );
  });

  it('follows the comparisons when their order changes', () => {
    fc.assert(
      fc.property(families, (family) => {
        const { significantAt, adjustedP } = judged(family);
        expect(judged([...family].reverse())).toEqual({
          significantAt: [...significantAt].reverse(),
          adjustedP: [...adjustedP].reverse(),
        });
      }),
    );
  });

  it('is the same with the labels exchanged and up turned down', () => {
    fc.assert(
      fc.property(families, (family) => {
        const exchanged = family.map(({ base, head }) => ({
          base: mapped(head, (value) => -value),
          head: mapped(base, (value) => -value),
        }));
        expect(judged(exchanged)).toEqual(judged(family));
      }),
    );
  });

  it('does not depend on the unit, and without a floor not on the scale', () => {
    fc.assert(
      fc.property(families, fc.integer({ min: -80, max: 80 }), (family, shift) => {
        const changed = (change: (value: number) => number) =>
          family.map(({ base, head }) => ({ base: mapped(base, change), head: mapped(head, change) }));
        expect(judged(changed((value) => value + shift / 8))).toEqual(judged(family));
        expect(
          judged(
            changed((value) => 3 * value),
            0,
          ),
        ).toEqual(judged(family, 0));
      }),
    );
  });

  it('is never both worse and better, and less sure with more comparisons', () => {
    fc.assert(
      fc.property(families, (family) => {
        const better = family.map(({ base, head }) => ({ base: head, head: base }));
        const { significantAt, adjustedP } = judged(family);
        judged(better).significantAt.forEach((at, index) => {
          expect(at === undefined || significantAt[index] === undefined).toBe(true);
        });
        judged(family.slice(0, 1)).adjustedP.forEach((alone, index) => {
          expect(alone).toBeLessThanOrEqual(adjustedP[index] ?? Number.NaN);
        });
      }),
    );
  });
});
