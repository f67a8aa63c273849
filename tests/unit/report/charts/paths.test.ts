import { describe, expect, test } from 'vitest';
import { dotsPath, shortPath } from '../../../../src/report/charts/paths.ts';

describe('a path of lines', () => {
  test('is written by the ways between its points, to the next half upwards and the next whole sideways, without needless blanks', () => {
    expect(shortPath('M58,174.1L63.8,170L64.3,179.9L70,10').markup).toBe('M58 174l6-4 0 10 6-170');
  });

  test('begins again after a gap', () => {
    expect(shortPath('M1,1L2,9M5,5L6,1').markup).toBe('M1 1l1 8M5 5l1-4');
  });

  test('keeps what is neither a point nor a line', () => {
    expect(shortPath('M58,10Z').markup).toBe('M58 10Z');
    expect(shortPath('M58 30.5H350').markup).toBe('M58 30.5H350');
    expect(shortPath('').markup).toBe('');
  });

  test('leaves out points on the way between others, and no corner', () => {
    expect(shortPath('M0,0L10,10L20,20.3L30,30L40,0L50,0L60,0').markup).toBe('M0 0l30 30 10-30 20 0');
  });

  test('keeps the ends of a step, which has two points above each other', () => {
    expect(shortPath('M0,5L10,5L10,9L20,9').markup).toBe('M0 5l10 0 0 4 10 0');
  });

  test('is not cut, however long it is', () => {
    const points = Array.from({ length: 3000 }, (_, index) => `${index},${index % 2 === 0 ? 10 : 90}`);
    const { markup } = shortPath(`M${points.join('L')}`);

    expect(markup.match(/ ?1-?(?: )?80/g)).toHaveLength(2999);
    expect(markup).not.toContain('…');
  });
});

describe('dots', () => {
  test('are lines that end at their beginning, each row of them from left to right', () => {
    expect(
      dotsPath([
        [58, 100],
        [100, 100],
        [70, 20.4],
      ]).markup,
    ).toBe('M58 100zm42 0zm-30-80z');
  });

  test('that touch are one line', () => {
    expect(
      dotsPath([
        [58, 100],
        [62.1, 100],
        [60, 100.3],
        [60, 100],
      ]).markup,
    ).toBe('M58 100h4');
  });
});
