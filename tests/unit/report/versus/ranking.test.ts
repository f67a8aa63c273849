import { describe, expect, test } from 'vitest';
import { readCells } from '../../../../src/judge/reading/cells.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
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

function rowsOf(slots?: ReturnType<typeof slotsWith>) {
  const { sections } = viewVersus(paired, judgeRun(paired), STUDIES, slots);
  const [table] = sections.find(({ id }) => id === 'ranking')?.blocks ?? [];
  return table?.kind === 'table' ? table : { columns: [], rows: [] };
}

describe('the ranking of services', () => {
  test('has memory as a multiple with its interval, and the reference as such', () => {
    const { rows } = rowsOf();

    expect(rows).toHaveLength(3);
    for (const [perCpuSecond, , memory] of rows.map(({ cells }) => cells)) {
      expect(memory).toMatch(perCpuSecond === 'reference' ? /^reference$/ : /^[\d.]+ \[[\d.]+, [\d.]+\]$/);
    }
  });

  test('has the start to the first answer of slots, as it was and as a multiple', () => {
    const { rows } = rowsOf(slotsWith({ rest: [100, 110], grpc: [1000, 1100], 'rest-development': [50, 55] }));

    expect(rows.find(({ cells }) => cells[2] === 'reference')?.cells.at(-1)).toBe('105 ms');
    expect(rows.find(({ head }) => head.startsWith('gRPC'))?.cells.at(-1)).toMatch(
      /^1,?050 ms: 10\.0 \[9\.\d+, 10\.\d+\]$/,
    );
  });

  test('has no column for it without slots that saw any', () => {
    const { columns, rows } = rowsOf(slotsWith({}));

    expect(columns).toHaveLength(4);
    expect(rows.map(({ cells }) => cells.length)).toEqual([3, 3, 3]);
  });

  test('has a dash for a service that was not seen to start', () => {
    const { columns, rows } = rowsOf(slotsWith({ rest: [100, 110] }));

    expect(columns).toHaveLength(5);
    expect(rows.map(({ cells }) => cells.at(-1)).toSorted()).toEqual(['105 ms', '–', '–']);
  });
});
