import type { Random } from '../../foundation/random.ts';

/** Up to this many rounds every swap is tried; above it, a random sample. */
export const EXHAUSTIVE_ROUNDS = 13;

/** Scores that differ by less are equal: sums of the same numbers in another order differ in their last digits. */
export const TIE = 1e-9;

/**
 * Ways to exchange the labels base and head within rounds, the first of which exchanges nothing. Bit r % 8 of
 * `blocks[floor(r / 8)][swap]` says whether a swap exchanges round r.
 */
export interface Swaps {
  readonly count: number;
  readonly blocks: readonly Uint8Array[];
}

/** All 2^rounds swaps; the bits of a swap's index are its rounds. */
export function allSwaps(rounds: number): Swaps {
  const count = 2 ** rounds;
  return { count, blocks: blocksOf(rounds, (block) => new Uint8Array(count).map((_, swap) => swap >>> (8 * block))) };
}

/** The swap that exchanges nothing, and n random ones. More rounds do not change the bits of the first ones. */
export function drawnSwaps(rounds: number, draws: number, random: Random): Swaps {
  const drawBlock = () => new Uint8Array(draws + 1).map((_, swap) => (swap === 0 ? 0 : random() * 256));
  return { count: draws + 1, blocks: blocksOf(rounds, drawBlock) };
}

function blocksOf(rounds: number, make: (block: number) => Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(rounds / 8) }, (_, block) => make(block));
}

/** Sum of the scores by round for every swap, with the sign changed for exchanged rounds. */
export function swappedSums(scores: ArrayLike<number>, swaps: Swaps): Float64Array {
  const sums = new Float64Array(swaps.count);
  swaps.blocks.slice(0, Math.ceil(scores.length / 8)).forEach((bytes, block) => {
    addBlock(sums, bytes, signedSums(scores, 8 * block));
  });
  return sums;
}

/** Eight rounds at a time, since each of their 256 sums is needed many times. */
function addBlock(sums: Float64Array, bytes: Uint8Array, ofByte: Float64Array): void {
  for (let swap = 0; swap < sums.length; swap += 1) {
    sums[swap] = (sums[swap] ?? 0) + (ofByte[bytes[swap] ?? 0] ?? 0);
  }
}

function signedSums(scores: ArrayLike<number>, first: number): Float64Array {
  const sums = new Float64Array(256);
  for (let round = first; round < first + 8; round += 1) {
    sums[0] = (sums[0] ?? 0) + (scores[round] ?? 0);
  }
  for (let byte = 1; byte < 256; byte += 1) {
    const rest = byte & (byte - 1);
    const round = first + 31 - Math.clz32(byte ^ rest);
    sums[byte] = (sums[rest] ?? 0) - 2 * (scores[round] ?? 0);
  }
  return sums;
}

/** Share of swaps whose sum is at least this large. */
export function shareAtLeast(sums: Float64Array, bound: number): number {
  let count = 0;
  for (let swap = 0; swap < sums.length; swap += 1) {
    count += (sums[swap] ?? 0) >= bound - TIE ? 1 : 0;
  }
  return count / sums.length;
}
