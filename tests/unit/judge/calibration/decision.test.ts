import { describe, expect, it } from 'vitest';
import { decideServices, recordedOf } from '../../../../src/judge/calibration/draws.ts';
import { looksFor } from '../../../../src/judge/inference/family-test.ts';
import type { Compared, ComparisonInput, ComparisonResult } from '../../../../src/judge/verdict/finding.ts';
import { isDecided, judgeComparison } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import type { Look } from '../../../../src/model/rounds.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { recordedRounds } from './recorded-rounds.ts';

const LOOKS: readonly Look[] = [
  { rounds: 10, spent: 0.2 },
  { rounds: 12, spent: 0.4 },
  { rounds: 15, spent: 1 },
];
const SEED = 5;

describe('a comparison with rounds measured before', () => {
  const cases = [0, 0.03, 0.06, 0.1, 0.2].flatMap((slowdown) =>
    [0.01, 0.03, 0.06].map((sd) => ({ rounds: 15, slowdown, sd, seed: 1 })),
  );
  const ends = new Set<string>();

  it.each(cases)('ends as the judge would end it: slowdown $slowdown, sd $sd', (rounds) => {
    const compared = recordedRounds(rounds);

    const decision = decideServices(recordedOf(compared, DEFAULT_POLICY), {
      ...DEFAULT_POLICY,
      looks: LOOKS,
      seed: SEED,
    });

    expect(decision).toEqual(judgedInRounds(compared));
    ends.add(decision.kind);
  });

  it('came to each of its ends in these cases', () => {
    expect(ends).toEqual(new Set(['regressed', 'unchanged', 'undecided']));
  });
});

/** What the engine does: judge at each look what was measured up to then, and stop the services that are decided. */
function judgedInRounds(compared: readonly Compared[]): ReturnType<typeof decideServices> {
  const gate = compared.filter((one) => one.gate);
  const ends = [...new Set(gate.map(({ cell }) => cell.service))].map((service) => {
    const results = LOOKS.map(({ rounds }) => ({ rounds, result: judgeFirst(compared, rounds) }));
    const { rounds, result } = results.find((look) => isDecided(look.result, service)) ??
      results.at(-1) ?? { rounds: 0, result: judgeFirst(compared, 0) };
    const regressed = gate.flatMap((one, index) => {
      const finding = listsOf(result).findings.find(({ cell, metric }) => cell === one.cell && metric === one.metric);
      return one.cell.service === service && finding?.verdict === 'regressed' ? [index] : [];
    });
    return { rounds, regressed, isDecided: isDecided(result, service) };
  });
  const regressed = ends.flatMap((end) => end.regressed);
  const ended = ends.every((end) => end.isDecided) ? 'unchanged' : 'undecided';
  return {
    kind: regressed.length > 0 ? 'regressed' : ended,
    rounds: Math.max(...ends.map(({ rounds }) => rounds)),
    regressed,
  };
}

function judgeFirst(compared: readonly Compared[], rounds: number): ComparisonResult {
  const first = compared.map((one) => ({ ...one, base: one.base.slice(0, rounds), head: one.head.slice(0, rounds) }));
  const nothing = { lost: [], errors: [], readings: [], rounds: [], notes: [], remarks: [], day: undefined };
  const looks = looksFor(LOOKS, rounds, false);
  return judgeComparison({ ...nothing, compared: first, looks, families: familiesOf(compared) }, DEFAULT_POLICY, SEED);
}

function familiesOf(compared: readonly Compared[]): ComparisonInput['families'] {
  return [...new Set(compared.map(({ cell }) => cell.service))].map((service) => ({ service, isFinal: false }));
}
