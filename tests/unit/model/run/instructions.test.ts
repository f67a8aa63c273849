import { describe, expect, test } from 'vitest';
import { countedWindows } from '../../../../src/model/run/instructions.ts';

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
