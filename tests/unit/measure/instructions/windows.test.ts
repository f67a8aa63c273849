import { describe, expect, test } from 'vitest';
import {
  firstSizing,
  isFalling,
  requestsOfWindow,
  rowsOfWindow,
  warmFrom,
  windowSize,
} from '../../../../src/measure/instructions/windows.ts';
import { usersSuite } from '../../../support/suite.ts';

describe('warmFrom', () => {
  test.each([
    ['four windows', [888_000, 888_100, 888_050, 888_070], undefined],
    ['five windows that agree', [888_000, 889_000, 888_400, 888_200, 888_300], 0],
    ['a warm-up of three windows', [2_400_000, 1_200_000, 900_000, 888_000, 889_000, 888_400], 1],
    ['windows that fall', [905_000, 902_000, 899_000, 896_000, 893_000], undefined],
    ['two windows of warm-up', [920_000, 910_000, 888_000, 889_000, 888_400], undefined],
    ['windows that fell until the last ones', [912_000, 906_000, 900_000, 895_000, 890_000, 888_400, 889_600], 2],
    ['windows that fall by a hair', [889_200, 889_000, 888_900, 888_500, 888_300], 0],
    ['garbage collections in two of five windows', [669_100, 668_600, 677_600, 669_300, 678_500], 0],
    ['garbage collections in three of five windows', [677_600, 669_300, 678_500, 670_100, 678_100], undefined],
    ['windows that never agree', [657_000, 1_056_000, 840_000, 984_000, 850_000], undefined],
  ])('of %s', (_what, windows, from) => {
    expect(warmFrom([windows])).toBe(from);
  });

  test('waits for every operation', () => {
    const steady = [888_000, 889_000, 888_400, 888_200, 888_300];
    const falling = [905_000, 902_000, 899_000, 896_000, 893_000];

    expect(warmFrom([steady, steady])).toBe(0);
    expect(warmFrom([steady, falling])).toBeUndefined();
  });
});

describe('isFalling', () => {
  test.each([
    ['windows of a compiler that is not done', [942, 947, 593, 573, 488, 443, 442], true],
    ['the same, of which too few are known', [942, 947, 593, 573, 488, 443], false],
    ['windows with a collection among the last ones', [942, 947, 593, 443, 703, 443, 442], true],
    ['windows that scatter and do not fall', [888, 902, 879, 895, 890, 886, 897], false],
    ['windows that rise', [880, 885, 890, 895, 900, 905, 910], false],
  ])('detects %s', (_what, windows, isSo) => {
    expect(isFalling([windows])).toBe(isSo);
  });

  test('is so if one operation falls', () => {
    const [falling, steady] = [
      [942, 947, 593, 573, 488, 443, 442],
      [88, 88, 88, 88, 88, 88, 88],
    ];

    expect(isFalling([steady, falling])).toBe(true);
    expect(isFalling([steady, steady])).toBe(false);
  });
});

describe('a window', () => {
  const [operation] = usersSuite().operations;
  if (operation === undefined) {
    throw new Error('the suite has no operation');
  }
  const feed = { ...operation, share: 0.5, arguments: Array.from({ length: 1000 }, (_, id) => ({ id })) };

  test('has requests by the share of an operation, and some of a rare one', () => {
    expect([0.75, 0.25, 0.01].map((share) => requestsOfWindow({ share }, 200))).toEqual([150, 50, 50]);
  });

  test.each([
    [0.6, 100],
    [0.14, 100],
    [0.1, 200],
    [0.05, 400],
    [0.002, 2000],
    [0, 2000],
  ])('has more requests of a service that took %s s for the fewest', (seconds, size) => {
    expect(windowSize(seconds)).toBe(size);
  });

  test('has as many requests in each start, by the one that is there first', () => {
    const sizing = firstSizing();

    expect([0.1, 0.02, 2].map((GetUser) => sizing.requests({ GetUser })({ name: 'GetUser', share: 0.75 }))).toEqual([
      150, 150, 150,
    ]);
  });

  test.each([
    [1, 75],
    [2.5, 30],
    [60, 10],
  ])(
    'has fewer requests of an operation that took %s s for its own, and as many of the others',
    (GetUser, expected) => {
      const requests = firstSizing().requests({ GetUser, Other: 0.1 });

      expect(['GetUser', 'Other'].map((name) => requests({ name, share: 0.75 }))).toEqual([expected, 75]);
    },
  );

  test('asks for the same rows of a feed by the same seed, and for others by another', () => {
    const rows = rowsOfWindow(feed, 1, 100).arguments;

    expect(rows).toHaveLength(100);
    expect(rowsOfWindow(feed, 1, 100).arguments).toEqual(rows);
    expect(rowsOfWindow(feed, 2, 100).arguments).not.toEqual(rows);
  });
});
