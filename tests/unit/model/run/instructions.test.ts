import { describe, expect, test } from 'vitest';
import { countedWindows, MOST_FUNCTIONS } from '../../../../src/model/run/instructions.ts';
import { parseRun } from '../../../../src/model/run/run.ts';
import { sampleCounts } from '../../../support/sample-counts.ts';

const counted = { instructions: [900, 500, 510, 505, 507], syscalls: [9, 5, 6, 5, 5] };

describe('the windows that count', () => {
  test('are the three from the end of the warm-up on, or the last three', () => {
    expect(countedWindows({ warmFrom: 1 }, counted)).toEqual({ instructions: [500, 510, 505], syscalls: [5, 6, 5] });
    expect(countedWindows({}, counted)).toEqual({ instructions: [510, 505, 507], syscalls: [6, 5, 5] });
  });

  test('are without what the service executes in their time if nobody asks it', () => {
    const idle = { seconds: 2, instructions: 20, syscalls: 1 };
    const seconds = [9, 1, 2, 1, 1];

    expect(countedWindows({ warmFrom: 1, idle }, { ...counted, seconds })).toEqual({
      instructions: [490, 490, 495],
      syscalls: [4.5, 5, 4.5],
    });
    expect(countedWindows({ warmFrom: 1, idle }, counted).instructions).toEqual([500, 510, 505]);
  });
});

describe('the functions of a start', () => {
  const main = { name: 'main', object: 'shop', self: 12, inclusive: 900 };

  const readBack = (functions: readonly (typeof main)[]) =>
    parseRun(JSON.stringify(sampleCounts({ functions: { base: functions, head: functions } })), 'run.json');

  test('are read as they were written, and those of earlier versions are none', () => {
    const [first] = readBack([main]).instructions?.starts ?? [];
    const [earlier] = parseRun(JSON.stringify(sampleCounts()), 'run.json').instructions?.starts ?? [];

    expect(first?.functions).toEqual([main]);
    expect(earlier?.operations).toEqual(first?.operations);
    expect(earlier?.functions).toBeUndefined();
  });

  test.each([
    ['a negative number', [{ ...main, self: -1 }]],
    ['half an instruction', [{ ...main, inclusive: 0.5 }]],
    ['a name that is too long', [{ ...main, name: 'x'.repeat(201) }]],
    ['more than are kept', Array.from({ length: MOST_FUNCTIONS + 1 }, () => main)],
  ])('are refused with %s', (_, functions) => {
    expect(() => readBack(functions)).toThrow(/run\.json.*functions/s);
  });
});
