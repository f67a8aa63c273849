import { describe, expect, it } from 'vitest';
import { proportion } from '../../../../src/judge/calibration/calibrate.ts';

describe('a share of draws', () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3.
  it.each([
    { count: 81, of: 263, low: 0.2553, high: 0.3662 },
    { count: 15, of: 148, low: 0.0624, high: 0.1605 },
    { count: 0, of: 20, low: 0, high: 0.1611 },
    { count: 1, of: 29, low: 0.0061, high: 0.1718 },
  ])('$count of $of has the published score interval', ({ count, of, low, high }) => {
    const share = proportion(count, of);

    expect(share).toMatchObject({ count, of });
    expect(share.low).toBeCloseTo(low, 4);
    expect(share.high).toBeCloseTo(high, 4);
  });

  it('is the mirror image for the rest of the draws', () => {
    const [few, many] = [proportion(3, 40), proportion(37, 40)];

    expect(few.low).toBeCloseTo(1 - many.high, 12);
    expect(few.high).toBeCloseTo(1 - many.low, 12);
  });

  it('says nothing where nothing was drawn', () => {
    expect(proportion(0, 0)).toEqual({ count: 0, of: 0, low: 0, high: 1 });
  });
});
