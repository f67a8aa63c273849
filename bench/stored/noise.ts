import type { Random } from '../../src/foundation/random.ts';
import { gaussian, scaledStudent } from '../rules/random.ts';

/** Gives the next run's noise, with a standard deviation of about 1. */
type Noise = () => number;

/** The kinds of noise that unchanged runs have; each call begins a series. */
export const NOISES: Readonly<Record<string, (random: Random) => Noise>> = {
  gaussian: (random) => () => gaussian(random),
  't, 4 degrees': (random) => () => scaledStudent(random, 4),
  'AR(1), 0.3': (random) => following(random, 0.3),
  'AR(1), 0.5': (random) => following(random, 0.5),
  'two levels': (random) => () => 0.45 * gaussian(random) + (random() < 0.3 ? 1.5 : 0),
};

/** Runs that resemble the one before. */
function following(random: Random, share: number): Noise {
  let value = gaussian(random);
  return () => {
    value = share * value + Math.sqrt(1 - share * share) * gaussian(random);
    return value;
  };
}
