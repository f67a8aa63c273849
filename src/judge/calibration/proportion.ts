/** A share of draws, and the bounds between which the true share lies with 95 % confidence. */
export interface Proportion {
  readonly count: number;
  readonly of: number;
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % quantile of the standard normal distribution. */
const Z = 1.959963984540054;

/**
 * A share with its 95 % score interval: Wilson, "Probable inference, the law of succession, and statistical inference",
 * JASA 22 (1927). Unlike the usual one it keeps its coverage where the share is near 0 or 1. 0 to 1 for no draws.
 */
export function proportion(count: number, of: number): Proportion {
  if (of === 0) {
    return { count, of, low: 0, high: 1 };
  }
  const share = count / of;
  const middle = share + Z ** 2 / (2 * of);
  const half = Z * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2));
  const scale = 1 + Z ** 2 / of;
  // Both ends are exact there but for the last digit.
  const low = count === 0 ? 0 : (middle - half) / scale;
  const high = count === of ? 1 : (middle + half) / scale;
  return { count, of, low, high };
}
