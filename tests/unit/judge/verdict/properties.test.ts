import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Compared, Finding } from '../../../../src/judge/verdict/finding.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { judged, type Made, made } from './made-input.ts';

/** Families of up to 4 comparisons with 10 rounds each: quiet and noisy, slower and faster. */
const families = fc
  .array(
    fc.record({
      worse: fc.constantFrom(-0.3, -0.1, -0.02, 0, 0.02, 0.04, 0.1, 0.3),
      sd: fc.constantFrom(0.004, 0.012, 0.03, 0.1),
      better: fc.constantFrom('lower' as const, 'higher' as const),
      gate: fc.boolean(),
      seed: fc.nat(1_000_000),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((family) => family.map((one: Made, index) => made({ ...one, cell: `rest/Operation${index}/low` })));

const verdicts = (findings: readonly Finding[]) => findings.map(({ verdict }) => verdict);

const scaled = (one: Compared, factor: number): Compared => ({
  ...one,
  base: one.base.map((value) => value && value * factor),
  head: one.head.map((value) => value && value * factor),
});

describe('judge', () => {
  test('does not hang on the unit of a metric', () => {
    fc.assert(
      fc.property(families, fc.constantFrom(1e-6, 0.37, 1000), (family, factor) => {
        const other = judged(family.map((one) => scaled(one, factor)));

        const { findings } = listsOf(judged(family));

        expect(verdicts(listsOf(other).findings)).toEqual(verdicts(findings));
        findings.forEach(({ change }, index) => {
          expect(listsOf(other).findings[index]?.change.estimate).toBeCloseTo(change.estimate, 10);
        });
      }),
      { numRuns: 50 },
    );
  });

  test('says the opposite of head and base exchanged', () => {
    const opposite: Readonly<Record<Finding['verdict'], readonly Finding['verdict'][]>> = {
      regressed: ['improved'],
      improved: ['regressed'],
      // What is surely slower is not surely under the threshold from the other side, or it is.
      'slower-within-limit': ['unchanged', 'inconclusive'],
      unchanged: ['unchanged', 'slower-within-limit', 'inconclusive', 'improved'],
      inconclusive: ['inconclusive', 'unchanged', 'slower-within-limit'],
    };
    fc.assert(
      fc.property(families, (family) => {
        const { findings } = listsOf(judged(family));

        const exchanged = judged(family.map((one) => ({ ...one, base: one.head, head: one.base })));

        listsOf(exchanged).findings.forEach((finding, index) => {
          const before = findings[index];
          expect(opposite[before?.verdict ?? 'inconclusive']).toContain(finding.verdict);
          expect((1 + finding.change.estimate) * (1 + (before?.change.estimate ?? 0))).toBeCloseTo(1, 10);
          expect((1 + (finding.change.low ?? 0)) * (1 + (before?.change.high ?? 0))).toBeCloseTo(1, 10);
        });
      }),
      { numRuns: 50 },
    );
  });

  test('does not hang on the order of comparisons', () => {
    fc.assert(
      fc.property(families, (family) => {
        const backwards = judged([...family].reverse());

        expect([...listsOf(backwards).findings].reverse()).toEqual(listsOf(judged(family)).findings);
      }),
      { numRuns: 50 },
    );
  });

  test('does not hang on the order of rounds within a look', () => {
    const first = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 });
    const second = fc.shuffledSubarray([8, 9], { minLength: 2 });
    fc.assert(
      fc.property(families, fc.tuple(first, second), (family, order) => {
        const rounds = order.flat();
        const shuffled = family.map((one) => ({
          ...one,
          base: rounds.map((round) => one.base[round]),
          head: rounds.map((round) => one.head[round]),
        }));

        expect(verdicts(listsOf(judged(shuffled)).findings)).toEqual(verdicts(listsOf(judged(family)).findings));
      }),
      { numRuns: 50 },
    );
  });

  test('finds more, never less, where every comparison is slower still', () => {
    fc.assert(
      fc.property(families, (family) => {
        const red = (family: Parameters<typeof judged>[0]) =>
          listsOf(judged(family)).findings.map(({ verdict }) => verdict === 'regressed');
        const slower = family.map((one) => ({
          ...one,
          head: one.head.map((value) => value && value * (one.better === 'lower' ? 2 : 0.5)),
        }));

        const after = red(slower);

        red(family).forEach((isRed, index) => {
          expect(isRed && !after[index]).toBe(false);
        });
      }),
      { numRuns: 50 },
    );
  });
});
