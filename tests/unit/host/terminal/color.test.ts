import { expect, test } from 'vitest';
import { columnsOf, showsColor } from '../../../../src/host/terminal/output.ts';

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
  [false, { FORCE_COLOR: '1' }, true],
  [false, { FORCE_COLOR: '' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [true, { FORCE_COLOR: 'false' }, false],
  [false, { FORCE_COLOR: '1', TERM: 'dumb' }, true],
  [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
])('a stream that is a terminal: %j, with %j, has colors: %j', (isTTY, environment, expected) => {
  expect(showsColor({ isTTY }, environment)).toBe(expected);
});

test.each([
  ['a narrow terminal', 70, 70],
  ['one that is too narrow for figures', 20, 60],
  ['a wide one', 240, 100],
])('lines keep to %s', (_what, columns, expected) => {
  expect(columnsOf({ columns })).toBe(expected);
});
