import { seededRandom, seedOf, shuffled } from '../foundation/random.ts';
import { SATURATION } from './sample.ts';

export type Side = 'base' | 'head';

/** What chance decides about one attempt at a round. */
export interface RoundOrder {
  /** The version that is started first and has the first block of each load. */
  readonly first: Side;
  /** Saturation and then the tiers in random order. */
  readonly loads: readonly string[];
}

/** Names one attempt at a round. */
export interface RoundName {
  readonly seed: number;
  readonly service: string;
  readonly round: number;
}

/** A fair coin and an order of the tiers; the same name always gives the same. */
export function roundOrder({ seed, service, round }: RoundName, tiers: readonly string[]): RoundOrder {
  const random = seededRandom(seedOf(seed, service, round));
  const first = random() < 0.5 ? 'base' : 'head';
  return { first, loads: [SATURATION, ...shuffled(tiers, random)] };
}

/**
 * Whose turn each of `2 * blocks` blocks is: first, second, second, first, second, first, first, second, ... (the sequence of
 * Thue and Morse), so that neither a steady nor an accelerating drift of the machine favours a side.
 */
export function blockTurns(first: Side, blocks: number): readonly Side[] {
  const second = first === 'base' ? 'head' : 'base';
  return Array.from({ length: 2 * blocks }, (_, index) => (onesOf(index) % 2 === 0 ? first : second));
}

function onesOf(number: number): number {
  return number === 0 ? 0 : (number & 1) + onesOf(number >>> 1);
}
