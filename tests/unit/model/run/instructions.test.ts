import { describe, expect, test } from 'vitest';
import { mean } from '../../../../src/foundation/statistics.ts';
import { MAX_FUNCTIONS } from '../../../../src/model/run/functions.ts';
import { countedWindows } from '../../../../src/model/run/instructions.ts';
import { parseRun } from '../../../../src/model/run/run.ts';
import { sampleCounts } from '../../../support/sample-counts.ts';

const counted = { instructions: [900, 500, 510, 505, 507], syscalls: [9, 5, 6, 5, 5] };

describe('the windows that count', () => {
  test('are all but the highest of five, from the end of the warm-up on or of the last ones', () => {
    const more = {
      instructions: [900, ...counted.instructions, 501, 400],
      syscalls: [9, ...counted.syscalls, 5, 4],
      allocations: [8, 7, 7, 7, 7, 7, 7, 7],
    };

    expect(countedWindows({ warmFrom: 2 }, more)).toEqual({
      instructions: [500, 505, 507, 501],
      syscalls: [5, 5, 5, 5],
      allocations: [7, 7, 7, 7],
    });
    expect(countedWindows({}, more)).toEqual({
      instructions: [505, 507, 501, 400],
      syscalls: [5, 5, 5, 4],
      allocations: [7, 7, 7, 7],
    });
  });

  test('are all that there are, if an earlier version ran three', () => {
    expect(countedWindows({ warmFrom: 2 }, counted).instructions).toEqual([510, 505, 507]);
  });

  // GetUser and ListUsers of the REST service, in a container: thousands of instructions for a request, in windows of 113 and 50 of them.
  test.each([
    [[669.1, 668.6, 677.6, 669.3, 678.5, 670.1, 678.1, 669.4, 670.1, 679.5, 669.9, 677.0, 669.3]],
    [[721.3, 703.0, 704.1, 703.0, 702.3, 702.8, 703.6, 721.6, 703.0, 704.4, 703.2, 702.0, 722.2]],
  ])('depend little on which windows the garbage is collected in', (recorded) => {
    const means = recorded
      .slice(4)
      .map(
        (_, warm) =>
          mean(countedWindows({ warmFrom: warm }, { instructions: recorded, syscalls: [] }).instructions) ?? 0,
      );

    expect(means).toHaveLength(9);
    expect(Math.max(...means) / Math.min(...means)).toBeLessThan(1.0045);
  });

  test('exclude what the service executes in that time without requests', () => {
    const idle = { seconds: 2, instructions: 20, syscalls: 1, allocations: 4 };
    const seconds = [9, 1, 2, 1, 1];

    expect(countedWindows({ warmFrom: 2, idle }, { ...counted, allocations: [9, 8, 9, 8, 8], seconds })).toEqual({
      instructions: [490, 495, 497],
      syscalls: [5, 4.5, 4.5],
      allocations: [5, 6, 6],
    });
    expect(countedWindows({ warmFrom: 2, idle }, counted).instructions).toEqual([510, 505, 507]);
  });
});

describe('the functions of a version', () => {
  const main = { name: 'main', object: 'shop', self: 12, inclusive: 900 };

  const readBack = (functions: readonly (typeof main)[]) =>
    parseRun(JSON.stringify(sampleCounts({ functions: { base: functions, head: functions } })), 'run.json');

  test('are read as they were written, and are not there if nothing regressed', () => {
    const { profiles } = readBack([main]).instructions ?? {};

    expect(profiles).toEqual([
      { service: 'rest', side: 'base', functions: [main] },
      { service: 'rest', side: 'head', functions: [main] },
    ]);
    expect(parseRun(JSON.stringify(sampleCounts()), 'run.json').instructions?.profiles).toBeUndefined();
  });

  test.each([
    ['a negative number', [{ ...main, self: -1 }]],
    ['half an instruction', [{ ...main, inclusive: 0.5 }]],
    ['a name that is too long', [{ ...main, name: 'x'.repeat(201) }]],
    ['more than are kept', Array.from({ length: MAX_FUNCTIONS + 1 }, () => main)],
  ])('are refused with %s', (_, functions) => {
    expect(() => readBack(functions)).toThrow(/run\.json.*functions/s);
  });
});
