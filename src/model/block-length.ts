/**
 * How long a block at saturation may be, in seconds. The shorter the blocks, the more of the machine's drift falls out of the
 * comparison, since both versions meet the same machine: on a noisy one the CPU time per request differed by 6 to 10 % a round with
 * blocks of 0.5 s, by 4 % with 0.1 s and by 2 % with 0.025 s, under the same load for as long in all.
 */
export const SATURATION_BLOCK_SECONDS = [0.05, 0.1, 0.25, 0.5] as const;

/** What warms a version up, and the blocks where nothing is gained by short ones. */
export const LONGEST_BLOCK_SECONDS = 0.5;

/** A block is longer than so many answers after one another, or it would be all beginning and end. */
const ANSWERS_IN_A_BLOCK = 2;

/** The length of a block at saturation for a service that then answers in this time; the longest where it does not answer. */
export function saturationBlockSeconds(answerMs: number | undefined): number {
  const wanted = answerMs === undefined ? Number.POSITIVE_INFINITY : (ANSWERS_IN_A_BLOCK * answerMs) / 1000;
  return SATURATION_BLOCK_SECONDS.find((seconds) => seconds >= wanted) ?? LONGEST_BLOCK_SECONDS;
}
