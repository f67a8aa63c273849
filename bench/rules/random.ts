import type { Random } from '../../src/foundation/random.ts';

/** A number of the standard normal distribution (Box and Muller). */
export function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A number of Student's t distribution, scaled to a standard deviation of 1: heavy tails for few degrees of freedom. */
export function scaledStudent(random: Random, freedom: number): number {
  let squares = 0;
  for (let index = 0; index < freedom; index += 1) {
    squares += gaussian(random) ** 2;
  }
  return gaussian(random) / Math.sqrt((squares / freedom) * (freedom / (freedom - 2)));
}

/** A number of the exponential distribution with mean 1. */
export function exponential(random: Random): number {
  return -Math.log(1 - random());
}
