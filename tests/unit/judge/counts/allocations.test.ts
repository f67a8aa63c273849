import { describe, expect, test } from 'vitest';
import { countedFindings } from '../../../../src/judge/counts/counted.ts';
import { plannedFigures } from '../../../../src/judge/counts/figures.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import type { RunInRounds } from '../../../../src/model/run/run.ts';
import { parseRun } from '../../../../src/model/run/run.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { REST_STARTS, sampleCounts, WINDOW } from '../../../support/sample-counts.ts';

/** Starts of both versions with so many allocations for each request, in each of their windows. */
function withAllocations(base: readonly number[], head: readonly number[]): RunInRounds {
  const run = sampleCounts({ base: REST_STARTS, head: REST_STARTS });
  const record = run.instructions;
  if (record === undefined) {
    throw new RangeError('nothing was counted');
  }
  const starts = record.starts.map((start) => {
    const windows = (start.side === 'base' ? base : head).map((count) => count * WINDOW);
    return { ...start, operations: start.operations.map((one) => ({ ...one, allocations: windows })) };
  });
  return { ...run, instructions: { ...record, hasAllocations: true, starts } };
}

const ofAll = ({ cell, metric }: { readonly cell: { readonly operation: string }; readonly metric: string }) =>
  cell.operation === 'all' && metric === 'allocationsPerRequest';

function verdictOf(run: RunInRounds) {
  return countedFindings(run, run.rounds.policy).find(ofAll);
}

describe('allocations for each request', () => {
  test.each([
    ['equal counts', [40, 40, 40], [40, 40, 40], 'unchanged'],
    ['one more of 100, below the threshold of 5%', [100, 100, 100], [101, 101, 101], 'slower-within-limit'],
    ['three more of 40', [40, 40, 40], [43, 43, 43], 'regressed'],
    ['half of them', [40, 40, 40], [20, 20, 20], 'improved'],
  ])('%s', (_, base, head, verdict) => {
    expect(verdictOf(withAllocations(base, head))).toMatchObject({ verdict, family: 'gate', threshold: 0.05 });
  });

  test('that vary from window to window fail nothing', () => {
    const run = withAllocations([10, 60, 35], [12, 20, 90]);

    expect(verdictOf(run)).toMatchObject({ verdict: 'inconclusive', family: 'watch' });
    expect(judgeRun(run).outcome).toBe('passed');
  });

  test('fail a comparison by themselves', () => {
    const result = judgeRun(withAllocations([40, 40, 40], [52, 52, 52]));

    expect(result.outcome).toBe('regressed');
    expect(
      listsOf(result)
        .findings.filter(({ verdict }) => verdict === 'regressed')
        .map(({ metric }) => metric),
    ).toEqual(expect.arrayContaining(['allocationsPerRequest']));
  });

  test('of a program whose allocators are not known are in no row', () => {
    expect(verdictOf(withAllocations([0, 0, 0], [0, 0, 0]))).toBeUndefined();
  });

  test('take a share of the false alarms only of runs that count them', () => {
    const before = sampleCounts();

    expect(plannedFigures(before, before.rounds.policy)).toBe(6);
    expect(plannedFigures(withAllocations([40], [40]), before.rounds.policy)).toBe(9);
  });

  test('are read as they were written', () => {
    const run = withAllocations([40, 41, 40], [40, 40, 40]);

    expect(parseRun(JSON.stringify(run), 'run.json').instructions).toEqual(run.instructions);
  });
});
