import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FamilyRule, testFamily } from '../../../../src/judge/inference/family-test.ts';
import type { Statistic } from '../../../../src/judge/inference/scores.ts';

/** Values are ten-thousandths of a logarithm; null is a round that a comparison lacks. */
interface GoldenFamily {
  readonly rule: FamilyRule;
  readonly statistics: readonly Statistic[];
  readonly base: readonly (readonly (number | null)[])[];
  readonly head: readonly (readonly (number | null)[])[];
  readonly significantAt: readonly (number | null)[];
  readonly adjustedP: readonly number[];
}

const GOLDEN = JSON.parse(readFileSync('tests/fixtures/golden/families.json', 'utf8')) as readonly GoldenFamily[];
const logs = (row: readonly (number | null)[] = []) =>
  row.map((value) => (value === null ? undefined : value / 10_000));

describe('families that another program judged', () => {
  it('are 200, a hundred of them with 15 rounds and more and several looks', () => {
    const long = GOLDEN.filter(({ rule }) => rule.looks.length > 1 && (rule.looks.at(-1)?.rounds ?? 0) >= 15);

    expect(GOLDEN).toHaveLength(200);
    expect(long.length).toBeGreaterThanOrEqual(100);
  });

  it('are judged the same', () => {
    for (const { rule, statistics, base, head, significantAt, adjustedP } of GOLDEN) {
      const family = statistics.map((statistic, index) => ({
        statistic,
        base: logs(base[index]),
        head: logs(head[index]),
      }));

      const found = testFamily(family, rule);

      expect(found.significantAt.map((at) => at ?? null)).toEqual(significantAt);
      expect(found.adjustedP).toEqual(adjustedP.map((p) => expect.closeTo(p, 9)));
    }
  });
});
