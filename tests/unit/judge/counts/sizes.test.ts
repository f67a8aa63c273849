import { describe, expect, test } from 'vitest';
import { countBudgets } from '../../../../src/judge/counts/need-calls.ts';
import { judgedSizes } from '../../../../src/judge/counts/sizes.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { parseRun, type RunInRounds } from '../../../../src/model/run/run.ts';
import { headline } from '../../../../src/report/comparison/sentences.ts';
import { viewComparison } from '../../../../src/report/comparison/view.ts';
import { REPORTS } from '../../../support/reports.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const MIB = 2 ** 20;

type Size = NonNullable<RunInRounds['rounds']['base']['sizes']>[string];

const sizeOf = (layers: Readonly<Record<string, number>>): Size => ({
  bytes: Object.values(layers).reduce((sum, one) => sum + one, 0) * MIB,
  layers: Object.entries(layers).map(([command, mib]) => ({ command, bytes: mib * MIB })),
});

function withSizes(base: Size | undefined, head: Size): RunInRounds {
  const run = sampleRounds({ rounds: 8 });
  const sized = (version: RunInRounds['rounds']['base'], size: Size | undefined) =>
    size === undefined ? version : { ...version, sizes: { rest: size } };
  return {
    ...run,
    rounds: { ...run.rounds, base: sized(run.rounds.base, base), head: sized(run.rounds.head, head) },
  };
}

const judged = (base: Size | undefined, head: Size) => {
  const run = withSizes(base, head);
  return judgedSizes(run, run.rounds.policy);
};

describe('the size of a build', () => {
  test.each([
    ['half a MiB more', 100, 100.5, undefined],
    ['2% more', 100, 102, 'slower-within-limit'],
    ['30% more', 100, 130, 'regressed'],
    ['less', 100, 60, 'improved'],
    ['0.9 MiB more of 2', 2, 2.9, undefined],
  ])('%s', (_, base, head, verdict) => {
    const [finding] = judged(sizeOf({ all: base }), sizeOf({ all: head }));

    expect(finding?.verdict).toBe(verdict);
  });

  test('has in its row the layers that grew, the most first, and those that are new', () => {
    const base = sizeOf({ 'FROM debian': 70, 'RUN pip install -r requirements.txt': 20, 'COPY . .': 1 });
    const head = sizeOf({ 'FROM debian': 70, 'RUN pip install -r requirements.txt': 80, 'COPY `x` .': 5 });

    const run = withSizes(base, head);
    const text = REPORTS.markdown({ run, against: undefined, compared: judgeRun(run) }).replaceAll('\\', '');

    expect(text).toContain(
      'build size; RUN pip install -r requirements.txt 20.0 MiB → 80.0 MiB; COPY `x` . 5.0 MiB, new layer',
    );
  });

  test('fails a comparison from the threshold of 10% on, unless the policy says otherwise', () => {
    const run = withSizes(sizeOf({ all: 100 }), sizeOf({ all: 111 }));
    const ignored = { ...run.rounds.policy, thresholds: [{ metric: 'sizeMiB', gate: false }] };

    expect(judgeRun(run).outcome).toBe('regressed');
    expect(judgeRun(run, ignored).outcome).toBe(judgeRun(withSizes(undefined, sizeOf({ all: 111 }))).outcome);
  });

  test('is compared with a budget, also without a base', () => {
    const run = withSizes(undefined, sizeOf({ all: 100 }));
    const policy = { ...run.rounds.policy, budgets: [{ metric: 'sizeMiB', limit: 90 }] };
    const { rounds: _, ...frame } = run;
    const budget = { metric: 'sizeMiB', limit: 90, found: 100 };

    expect(listsOf(judgeRun(run, policy)).budgets).toMatchObject([{ ...budget, verdict: 'over' }]);
    expect(countBudgets({ ...frame, sizes: run.rounds.head.sizes }, policy).answers).toMatchObject([
      { of: budget, fails: true },
    ]);
  });

  test('replaces no load: a comparison without rounds stays incomplete', () => {
    const run = withSizes(sizeOf({ all: 100 }), sizeOf({ all: 102 }));
    const none = { ...run, samples: [], rounds: { ...run.rounds, rounds: [] } };
    const bare = {
      ...none,
      rounds: { ...none.rounds, head: { ...none.rounds.head, sizes: undefined } },
    } as RunInRounds;

    expect(judgeRun(bare).outcome).toBe('incomplete');
    expect(judgeRun(none).outcome).toBe('incomplete');
  });

  test('leaves nothing to measure if both versions run the same files', () => {
    const run = withSizes(sizeOf({ all: 100 }), sizeOf({ all: 102 }));
    const version = { services: [], operations: [] };
    const { base, head, ...rounds } = run.rounds;
    const identical = {
      ...{ ...run, samples: [], services: [] },
      rounds: {
        ...{ ...rounds, rounds: [], identical: [{ service: 'rest' }] },
        ...{ base: { ...base, ...version }, head: { ...head, ...version } },
      },
    };
    const result = judgeRun(identical);

    expect(result.outcome).toBe('passed');
    expect(headline(viewComparison(result, identical))).toBe('Nothing to measure: both versions run the same files.');
  });

  test('is nothing if the base has none, or an earlier version measured it', () => {
    expect(judged(undefined, sizeOf({ all: 100 }))).toEqual([]);
  });

  test('is read as it was written', () => {
    const run = withSizes(sizeOf({ all: 100 }), sizeOf({ all: 111 }));

    expect(parseRun(JSON.stringify(run), 'run.json').rounds?.head.sizes).toEqual(run.rounds.head.sizes);
  });
});
