import { describe, expect, test } from 'vitest';
import { LONGEST_BLOCK_SECONDS, saturationBlockSeconds } from '../../../src/model/rounds.ts';

describe('saturationBlockSeconds', () => {
  test('is as short as two answers after one another allow', () => {
    expect([1, 25, 25.1, 50, 100, 240].map(saturationBlockSeconds)).toEqual([0.05, 0.05, 0.1, 0.1, 0.25, 0.5]);
  });

  test('is never longer than the longest, for services that take their time or do not answer', () => {
    expect([251, 30_000, undefined].map(saturationBlockSeconds)).toEqual([0.5, 0.5, LONGEST_BLOCK_SECONDS]);
  });
});
