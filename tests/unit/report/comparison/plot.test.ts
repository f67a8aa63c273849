import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../../src/judge/verdict/finding.ts';
import { axisOf, INTERVAL_PLOT } from '../../../../src/report/comparison/plot.ts';

const finding = (estimate: number, more: Partial<Finding> = {}) =>
  ({ better: 'lower', threshold: 0.05, change: { estimate }, ...more }) as Finding;

describe('the axis of the intervals', () => {
  test('shows five regressions of different sizes at five places, and every threshold', () => {
    const findings = [0.1, 0.4, 0.74, 1.28, 12].map((estimate) => finding(estimate));
    const { at, most } = axisOf([...findings, finding(0, { threshold: 0.1 })]);
    const places = [0.05, 0.1, ...findings.map(({ change }) => change.estimate)].map(at);

    expect(most).toBeGreaterThanOrEqual(12);
    expect(new Set(places).size).toBe(6);
    expect(Math.max(...places)).toBeLessThanOrEqual(INTERVAL_PLOT.right);
    for (const [place, x] of places.slice(2).entries()) {
      expect(x - (places[place + 1] ?? 0)).toBeGreaterThanOrEqual(place === 0 ? 0 : 3);
    }
  });

  test('is linear for small changes, and an interval alone does not stretch it', () => {
    const { at, most, ticks } = axisOf([finding(0.01, { change: { estimate: 0.01, low: -0.9, high: 0.9 } })]);

    expect(most).toBeLessThanOrEqual(0.25);
    expect(at(0.04) - at(0.02)).toBeCloseTo(at(0.02) - at(0), 0);
    expect(ticks).toContain(0);
  });

  test('has ticks on both sides that lie apart', () => {
    const { at, ticks } = axisOf([finding(0.4), finding(-0.9)]);

    expect(ticks).toEqual([-0.5, -0.1, 0, 0.1, 0.5]);
    for (const [place, tick] of ticks.slice(1).entries()) {
      expect(at(tick) - at(ticks[place] ?? 0)).toBeGreaterThan(25);
    }
  });
});
