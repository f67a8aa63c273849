import { describe, expect, test } from 'vitest';
import { requestsOfWindow, rowsOfWindow, warmFrom, windowSize } from '../../../../src/measure/instructions/windows.ts';
import { usersSuite } from '../../../support/suite.ts';

describe('warmFrom', () => {
  test.each([
    ['one window', [888_000], undefined],
    ['two windows that agree', [888_000, 888_100], undefined],
    ['three windows that agree', [888_000, 889_000, 888_400], 0],
    ['a warm-up of two windows', [2_400_000, 900_000, 888_000, 889_000, 888_400], 2],
    ['windows that still fall by 0.6 %', [900_000, 894_000, 890_000], undefined],
    ['windows that never agree', [657_000, 1_056_000, 840_000, 984_000, 850_000], undefined],
  ])('of %s', (_what, windows, from) => {
    expect(warmFrom(windows)).toBe(from);
  });
});

describe('a window', () => {
  const [operation] = usersSuite().operations;
  if (operation === undefined) {
    throw new Error('the suite has no operation');
  }
  const feed = { ...operation, share: 0.5, arguments: Array.from({ length: 1000 }, (_, id) => ({ id })) };

  test('has requests by the share of an operation, and some of a rare one', () => {
    expect([0.75, 0.25, 0.01].map((share) => requestsOfWindow({ share }, 200))).toEqual([150, 50, 20]);
  });

  test.each([
    [undefined, 200],
    [3, 200],
    [1.2, 200],
    [0.5, 400],
    [0.25, 800],
    [0.01, 2000],
    [0, 2000],
  ])('has more requests of a service that took %s s for the fewest', (seconds, size) => {
    expect(windowSize(seconds)).toBe(size);
  });

  test('asks for the same rows of a feed by the same seed, and for others by another', () => {
    const rows = rowsOfWindow(feed, 1, 100).arguments;

    expect(rows).toHaveLength(100);
    expect(rowsOfWindow(feed, 1, 100).arguments).toEqual(rows);
    expect(rowsOfWindow(feed, 2, 100).arguments).not.toEqual(rows);
  });
});
