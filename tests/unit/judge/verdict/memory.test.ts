import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { comparedOf } from '../../../../src/judge/verdict/compared.ts';
import type { Compared } from '../../../../src/judge/verdict/finding.ts';
import { judgedRun, judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { PROFILES } from '../../../../src/model/profiles.ts';
import { parseRun, type RunInRounds } from '../../../../src/model/run/run.ts';
import { headline } from '../../../../src/report/comparison/sentences.ts';
import { viewComparison } from '../../../../src/report/comparison/view.ts';
import { verdictWord } from '../../../../src/report/comparison/words.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { seeded } from '../../../support/sample-latencies.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { judged } from './made-input.ts';

const METRIC = 'peakMemoryMiB';
const QUIET = { noise: 0.5, services: ['rest'] } as const;
const MORE = [{ metric: METRIC, by: 0.38 }] as const;

describe('peak memory', () => {
  test('fails a pull request that needs more, in one row of the service', () => {
    const run = sampleRounds({ ...QUIET, worse: MORE });
    const { result } = judgedRun(run);

    expect(result.outcome).toBe('regressed');
    expect(listsOf(result).findings.filter(({ verdict }) => verdict === 'regressed')).toMatchObject([
      { metric: METRIC, family: 'gate', threshold: 0.1, cell: { operation: 'all', tier: 'all' } },
    ]);
    expect(headline(viewComparison(result, run))).toBe('Regression: REST uses 38% more memory at peak');
  });

  test.each([
    ['a threshold', { thresholds: [{ metric: METRIC, threshold: 0.5 }] }],
    ['gate: false', { thresholds: [{ metric: METRIC, gate: false }] }],
    ['an acceptance', { accepted: [{ metric: METRIC, upTo: 0.45, until: '2027-01-01', why: 'a cache' }] }],
  ])('is left to %s of the policy', (_, change) => {
    const run = sampleRounds({ ...QUIET, worse: MORE });

    expect(judgeRun(run, { ...run.rounds.policy, ...change }).outcome).toBe('passed');
  });

  test('that noise hides is named, and leaves the outcome to the others', () => {
    const memory = ({ side, round }: { side: string; round: number }) => 60 * Math.exp(seeded(`${side}${round}`)());
    const mend = (sample: RunInRounds['samples'][number]) => ({
      ...sample,
      values: { ...sample.values, [METRIC]: memory(sample) },
    });
    const result = judgeRun(sampleRounds({ ...QUIET, mend }));
    const found = listsOf(result).findings.filter(({ metric }) => metric === METRIC);

    expect(found).toMatchObject([{ verdict: 'inconclusive', reason: 'not-seen', family: 'watch' }]);
    expect(found.map(verdictWord)).toEqual(['not seen']);
    expect(result.outcome).toBe('passed');
  });

  test('passes nothing alone, and takes nothing from the outcome where it cannot be read', () => {
    const without = (metrics: readonly string[]) => (sample: RunInRounds['samples'][number]) => ({
      ...sample,
      values: Object.fromEntries(Object.entries(sample.values).filter(([metric]) => !metrics.includes(metric))),
    });
    const all = Object.keys(sampleRounds(QUIET).samples[0]?.values ?? {});

    expect(judgeRun(sampleRounds({ ...QUIET, mend: without([METRIC]) })).outcome).toBe('passed');
    expect(judgeRun(sampleRounds({ ...QUIET, mend: without(all.filter((one) => one !== METRIC)) })).outcome).toBe(
      'incomplete',
    );
  });

  test.each(['containers-quiet', 'containers-busy', 'processes-quiet', 'processes-busy'])(
    'of unchanged code fails nothing, whichever version a round calls the head: %s',
    (name) => {
      const file = `tests/fixtures/recorded/unchanged-${name}.json.gz`;
      const run = parseRun(gunzipSync(readFileSync(file)).toString(), name) as RunInRounds;
      const memory = comparedOf(run, run.rounds.policy).compared.filter(({ metric }) => metric === METRIC);
      const random = seeded(name);
      const swapped = (one: Compared): Compared => {
        const swaps = one.base.map(() => random() < 0.5);
        const side = (here: Compared['base'], there: Compared['base']) =>
          here.map((value, round) => (swaps[round] === true ? there[round] : value));
        return { ...one, base: side(one.base, one.head), head: side(one.head, one.base) };
      };

      const outcomes = Array.from({ length: 40 }, () => {
        const rounds = memory.map(swapped);
        return listsOf(judged(rounds, {}, { looks: PROFILES.quick.rounds.looks })).findings.map(
          ({ verdict }) => verdict,
        );
      });

      expect(memory.map(({ gate }) => gate)).toEqual([true, true]);
      expect(outcomes.flat().filter((verdict) => verdict === 'regressed')).toEqual([]);
    },
  );
});
