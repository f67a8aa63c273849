import { describe, expect, it } from 'vitest';
import { normalQuantile, normalTail } from '../../../../src/judge/inference/distributions.ts';

/** Relative, so that tails count as much as the center. */
function expectNear(value: number, expected: number): void {
  expect(value / expected).toBeCloseTo(1, 9);
}

describe('the normal distribution', () => {
  // NIST/SEMATECH e-Handbook and Abramowitz and Stegun, table 26.1.
  it.each([
    [0.5, 0],
    [0.9, 1.2815515655446004],
    [0.975, 1.959963984540054],
    [0.9995, 3.2905267314919255],
  ])('has its quantile at %d', (probability, expected) => {
    expect(normalQuantile(probability)).toBeCloseTo(expected, 12);
    expect(normalQuantile(1 - probability)).toBeCloseTo(-expected, 12);
  });

  it('has a tail that falls without a step, and keeps its digits far out', () => {
    expect(normalTail(0)).toBe(0.5);
    expectNear(normalTail(6), 9.865876450376946e-10);
    expectNear(normalTail(3 - 1e-12), normalTail(3));
    expect(normalTail(-6)).toBeCloseTo(1, 8);
  });

  it.each([1e-300, 1e-12, 0.01, 0.3, 0.5, 0.8, 1 - 1e-12])('has a quantile at %d that gives it back', (probability) => {
    expectNear(normalTail(-normalQuantile(probability)), probability);
  });

  it.each([0, 1, -1, 2, Number.NaN])('has no quantile at %d', (probability) => {
    expect(() => normalQuantile(probability)).toThrow(RangeError);
  });
});
