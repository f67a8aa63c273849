import { describe, expect, it } from 'vitest';
import { normalQuantile, studentQuantile, studentTail } from '../../../../src/judge/inference/distributions.ts';

/** Relative, so that tails count as much as the center. */
function expectNear(value: number, expected: number): void {
  expect(value / expected).toBeCloseTo(1, 9);
}

describe("Student's t distribution", () => {
  // With 1 and 2 degrees of freedom the quantile has a closed form.
  it.each([0.6, 0.9, 0.99, 0.9999])('has its closed forms at %d', (probability) => {
    expectNear(studentQuantile(probability, 1), Math.tan(Math.PI * (probability - 0.5)));
    const both = 4 * probability * (1 - probability);
    expectNear(studentQuantile(probability, 2), 2 * (probability - 0.5) * Math.sqrt(2 / both));
  });

  it('is symmetric, and near the normal distribution with many degrees of freedom', () => {
    expect(studentQuantile(0.5, 7)).toBeCloseTo(0, 12);
    expect(studentQuantile(0.01, 7)).toBeCloseTo(-studentQuantile(0.99, 7), 9);
    expect(studentQuantile(0.975, 1e7)).toBeCloseTo(normalQuantile(0.975), 5);
    expect(studentTail(-2, 5)).toBeCloseTo(1 - studentTail(2, 5), 12);
  });

  it('has neither quantile nor tail outside its domain', () => {
    expect(() => studentQuantile(1, 5)).toThrow(RangeError);
    expect(() => studentQuantile(0.9, 0)).toThrow(RangeError);
    expect(() => studentTail(Number.NaN, 5)).toThrow(RangeError);
  });
});
