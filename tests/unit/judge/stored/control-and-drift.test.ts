import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../src/foundation/random.ts';
import type { StoredValue } from '../../../../src/judge/stored/bound.ts';
import { controlSlope, driftOf, isSlowdown, levelOf } from '../../../../src/judge/stored/bound.ts';
import { normalValues } from './histories.ts';

/** Runs whose metric follows the control loop's time by `slope`, with noise besides. */
function following(count: number, slope: number, noise: number): StoredValue[] {
  const random = seededRandom(count * 7 + 1);
  const controls = normalValues(random, count, 0.08);
  const own = normalValues(random, count, noise);
  return controls.map((logControl, index) => ({
    y: slope * logControl + (own[index] ?? 0),
    logControl,
    rounds: 3,
    at: String(index),
  }));
}

describe('the control loop', () => {
  test('is taken out in proportion where it explains the noise', () => {
    expect(controlSlope([following(30, 0.7, 0.01)])).toBeCloseTo(0.7, 1);
  });

  test.each([
    ['more than in proportion', 1.8, 1],
    ['the wrong way round', -0.8, 0],
  ])('never counts %s', (_what, slope, expected) => {
    expect(controlSlope([following(30, slope, 0.005)])).toBe(expected);
  });

  test.each([
    ['with fewer than 20 runs', [following(19, 0.7, 0.01)]],
    ['where it says nothing of the noise', [following(30, 0, 0.05)]],
    [
      'where one run has none',
      [following(30, 0.7, 0.01).map((run, index) => (index === 4 ? { ...run, logControl: undefined } : run))],
    ],
    ['where nothing moves', [following(30, 0, 0)]],
    ['where the loop always took the same', [following(30, 0.7, 0.01).map((run) => ({ ...run, logControl: 5 }))]],
  ])('does not count %s', (_what, strata) => {
    expect(controlSlope(strata)).toBe(0);
  });

  test('moves what is expected of a run on a slow machine, and narrows the spread', () => {
    const runs = following(30, 1, 0.005);
    const middle = levelOf([runs], 0);
    const slow = levelOf([runs], 0.2);

    expect(slow.center - middle.center).toBeCloseTo(0.2 * controlSlope([runs]), 9);
    expect(slow.spread).toBeLessThan(0.5 * levelOf([runs], undefined).spread);
  });

  test('compares each machine with its own', () => {
    const own = following(15, 1, 0.002);
    const faster = following(15, 1, 0.002).map(({ y, logControl = 0, at }) => ({
      y: y + 3,
      logControl: logControl - 2,
      rounds: 3,
      at,
    }));

    expect(controlSlope([own, faster])).toBeCloseTo(1, 1);
  });
});

describe('drift', () => {
  test('is the slope over 30 runs with an exact sign test', () => {
    const drift = driftOf(Array.from({ length: 20 }, (_, index) => index / 1000));

    expect(drift?.per30Runs).toBeCloseTo(Math.expm1(0.03), 9);
    expect(drift?.p).toBeCloseTo(2 * 2 ** -10, 12);
  });

  test('counts the steps that go against it, and leaves out those that do not move', () => {
    // Ten pairs: one is equal, one falls, eight rise: 2 * (1 + 9) / 2^9.
    const first = Array.from({ length: 10 }, () => 0);
    const second = [0, -0.01, ...Array.from({ length: 8 }, () => 0.02)];

    expect(driftOf([...first, ...second])?.p).toBeCloseTo(20 / 512, 12);
  });

  test.each([
    ['a constant', Array.from({ length: 30 }, () => 4), 1],
    ['two runs', [1, 2], 1],
  ])('does not see any in %s', (_what, values, p) => {
    const drift = driftOf(values);

    expect(drift?.p).toBe(p);
    expect(drift !== undefined && isSlowdown(drift)).toBe(false);
  });

  test('is none with one run', () => {
    expect(driftOf([1])).toBeUndefined();
  });

  test.each([
    ['slower', 0.002, true],
    ['faster', -0.002, false],
    ['too little to matter', 0.0002, false],
  ])('that makes a service %s', (_what, step, expected) => {
    const drift = driftOf(Array.from({ length: 30 }, (_, index) => index * step));

    expect(drift !== undefined && isSlowdown(drift)).toBe(expected);
  });
});
