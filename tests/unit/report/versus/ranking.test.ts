import { describe, expect, test } from 'vitest';
import { readCells } from '../../../../src/judge/reading/cells.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { rankingTable } from '../../../../src/report/versus/ranking.ts';
import { viewVersus } from '../../../../src/report/versus/view.ts';
import { STUDIES } from '../../../../studies/index.ts';
import { sampleRun } from '../../../support/sample-run.ts';
import { sampleVersus } from '../../../support/sample-versus.ts';

const SERVICES = ['grpc', 'rest-development'] as const;
const paired = sampleVersus({ services: SERVICES });

/** A run in slots, in which each service took so long to start. */
function slotsWith(startUpMs: Readonly<Record<string, readonly number[]>>) {
  const run = sampleRun({ services: ['rest', ...SERVICES], rounds: 2 });
  const samples = run.samples.map((sample) => {
    const own = startUpMs[sample.cell.service]?.[sample.round - 1];
    return own === undefined ? sample : { ...sample, values: { ...sample.values, startUpMs: own } };
  });
  return readCells({ ...run, samples });
}

describe('the ranking of services', () => {
  test('has memory as a multiple with its interval, and the reference as such', () => {
    const { ranking } = viewVersus(paired, judgeRun(paired), { studies: STUDIES });

    expect(ranking).toHaveLength(3);
    for (const { perCpuSecond, memory } of ranking) {
      expect(memory).toMatch(perCpuSecond === 'reference' ? /^reference$/ : /^[\d.]+ \[[\d.]+, [\d.]+\]$/);
    }
  });

  test('has the start to the first answer of slots, as it was and as a multiple', () => {
    const cells = slotsWith({ rest: [100, 110], grpc: [1000, 1100], 'rest-development': [50, 55] });

    const { ranking } = viewVersus(paired, judgeRun(paired), { studies: STUDIES, slots: cells });

    const startOf = (is: (row: (typeof ranking)[number]) => boolean) => ranking.find(is)?.startUp;
    expect(startOf(({ memory }) => memory === 'reference')).toBe('105 ms');
    expect(startOf(({ service }) => service.startsWith('gRPC'))).toMatch(/^1,?050 ms: 10\.0 \[9\.\d+, 10\.\d+\]$/);
  });

  test('has no column for it without slots that saw any', () => {
    const without = viewVersus(paired, judgeRun(paired), { studies: STUDIES, slots: slotsWith({}) }).ranking;

    expect(without.map(({ startUp }) => startUp)).toEqual([undefined, undefined, undefined]);
    expect(rankingTable(without).columns).toHaveLength(4);
    expect(rankingTable(without).rows.map(({ cells }) => cells.length)).toEqual([3, 3, 3]);
  });

  test('has a dash for a service that was not seen to start', () => {
    const table = rankingTable(
      viewVersus(paired, judgeRun(paired), { studies: STUDIES, slots: slotsWith({ rest: [100, 110] }) }).ranking,
    );

    expect(table.columns).toHaveLength(5);
    expect(table.rows.map(({ cells }) => cells.at(-1)).toSorted()).toEqual(['105 ms', '–', '–']);
  });
});
