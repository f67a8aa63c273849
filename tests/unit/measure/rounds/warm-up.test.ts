import { describe, expect, test } from 'vitest';
import { isWarm } from '../../../../src/measure/rounds/versions.ts';

describe('isWarm', () => {
  test.each([
    { curve: [], warm: false, what: 'nothing was played' },
    { curve: [4], warm: false, what: 'one block shows no curve' },
    { curve: [4, 3], warm: false, what: 'the service still gets faster' },
    { curve: [4, 3, 2.9], warm: true, what: 'the last block is hardly faster' },
    { curve: [4, 3, 2.8], warm: false, what: 'the last block is over 5 % faster' },
    { curve: [3, 4], warm: true, what: 'the last block is slower' },
    { curve: [undefined, 3], warm: false, what: 'the first block had no answers' },
    { curve: [3, undefined], warm: true, what: 'the last block had no answers' },
    { curve: [undefined, undefined], warm: true, what: 'nothing is ever answered' },
  ])('$warm if $what', ({ curve, warm }) => {
    expect(isWarm(curve)).toBe(warm);
  });
});
