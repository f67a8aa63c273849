import { expect, test } from 'vitest';
import { serviceMarks } from '../../../../src/report/charts/frame.ts';

test('marks with titles are apart, and all others are one path', () => {
  const marks = serviceMarks(1, [
    [10, 10],
    [20, 10],
    [30, 10, 'rest: <5 ms>'],
  ]).map(({ markup }) => markup);

  expect(marks).toHaveLength(2);
  expect(marks[0]).toMatch(/^<path class="mark s1" d="M7\.2 7\.2[^M"]+M17\.2 7\.2[^M"]+"\/>$/);
  expect(marks[1]).toMatch(/^<path class="mark s1" d="M27\.2[^"]+"><title>rest: &lt;5 ms&gt;<\/title><\/path>$/);
});

test('there is no path without a mark', () => {
  expect(serviceMarks(0, [], 'hollow')).toEqual([]);
});
