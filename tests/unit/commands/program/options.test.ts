import { expect, it } from 'vitest';
import { ageOf, durationOf, latencyOf } from '../../../../src/commands/program/options.ts';

it.each([
  ['90d', 90],
  ['2w', 14],
  ['1y', 365],
])('understands the age %s as %s days', (age, days) => {
  expect(ageOf(age)).toBe(days);
});

it.each(['0d', '90', '-1d', '1e3d', '90m', '1.5w', '123456d', '9constructor'])('refuses the age %s', (age) => {
  expect(() => ageOf(age)).toThrow('like 180d');
});

it('reads durations and latencies in their units', () => {
  expect(['90s', '1.5m', '1h'].map(durationOf)).toEqual([90, 90, 3600]);
  expect(['50ms', '1.5s'].map(latencyOf)).toEqual([50, 1500]);
});

it.each(['0s', '10', '5d', 's', '1constructor'])('refuses the duration %s', (text) => {
  expect(() => durationOf(text)).toThrow('like 90s');
});
