import { seededRandom } from '../../../../src/foundation/random.ts';
import { normalQuantile } from '../../../../src/judge/inference/distributions.ts';

/** So many values around 100 that scatter by a share, each like the one before by `rho`. */
export function noise(seed: number, count: number, { share = 0.05, rho = 0 } = {}): number[] {
  const random = seededRandom(seed);
  let last = 0;
  return Array.from({ length: count }, () => {
    const drawn = normalQuantile(Math.max(random(), Number.EPSILON));
    last = rho * last + Math.sqrt(1 - rho * rho) * drawn;
    return 100 * Math.exp(share * last);
  });
}

/** The values, from a place on so many times as large. */
export function stepped(values: readonly number[], from: number, factor: number): number[] {
  return values.map((value, place) => (place < from ? value : value * factor));
}

/** Values between 100 and 106 that need nothing but the generator, for other programs to make too. */
export function uneven(count: number): number[] {
  const random = seededRandom(1);
  return Array.from({ length: count }, () => 100 + 6 * random());
}
