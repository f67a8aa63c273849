/** How the machine was while one version was loaded. */
export interface Conditions {
  /** Wall time of the fixed CPU loop: before the round for the first version, after it for the second. */
  readonly controlMs: number;
  /** Share of a core that the hypervisor gave to others during the version's blocks. */
  readonly stealShare: number;
}

/** A round whose two versions had machines that differ by more than this is discarded and run again. */
export const MOST_CONTAMINATION = 0.1;

/**
 * How far the machine differed between the first and the second version of a round that had so many blocks each, in turns: the
 * difference of log control time plus steal share. A machine that changes from before the round to after it can favour one
 * version by one block at most, since the blocks are mirrored; with one block each it is all of the change.
 * It knows neither which version is which nor any result, so that discarding by it keeps the test exact.
 */
export function contaminationOf(first: Conditions, second: Conditions, blocks: number): number {
  const changed = Math.log(first.controlMs) - Math.log(second.controlMs);
  return Math.abs(changed / Math.max(1, blocks) + (first.stealShare - second.stealShare));
}

/** Whether a further round may still be discarded: at most 40 % on top of those that are wanted. */
export function mayDiscard(discarded: number, wanted: number): boolean {
  return discarded < Math.floor(0.4 * wanted);
}
