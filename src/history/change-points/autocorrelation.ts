import { middleOf } from './middle.ts';

/** Above it the estimate says little but that the values hang together. */
const STRONGEST = 0.8;

/** Differences beyond so many of their median sizes count as if they were there. */
const CLIPPED_AT = 3;

/**
 * What to multiply the evidence for changes among values by, from 1 (values that follow each other are independent) down
 * to 1/3: sqrt((1 - rho) / (1 + rho)), where rho is their lag-1 autocorrelation. Where neighbours resemble each other, a
 * level that lasts for some values is no evidence of a change. Rho is taken from differences, as changes among the values
 * would make products of residuals look like autocorrelation: values two places apart differ 1 + rho times as much,
 * squared, as neighbours do.
 */
export function independenceOf(values: Float64Array): number {
  const neighbours = meanSquare(sizesOfSteps(values, 1));
  const rho = neighbours > 0 ? meanSquare(sizesOfSteps(values, 2)) / neighbours - 1 : 0;
  const bounded = Math.min(STRONGEST, Math.max(0, rho));
  return Math.sqrt((1 - bounded) / (1 + bounded));
}

/** How much values so many places apart differ. */
function sizesOfSteps(values: Float64Array, apart: number): Float64Array {
  const sizes = new Float64Array(Math.max(0, values.length - apart));
  for (let place = 0; place < sizes.length; place += 1) {
    sizes[place] = Math.abs((values[place + apart] ?? 0) - (values[place] ?? 0));
  }
  return sizes;
}

/** Of what is left when the largest are cut back, so that a change or an outlier among the values does not decide. */
function meanSquare(sizes: Float64Array): number {
  const bound = CLIPPED_AT * (middleOf(sizes.slice()) ?? 0);
  let squares = 0;
  for (const size of sizes) {
    const clipped = Math.min(bound, size);
    squares += clipped * clipped;
  }
  return sizes.length === 0 ? 0 : squares / sizes.length;
}
