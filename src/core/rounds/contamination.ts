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
 * How far the machine differed between the first and the second version of a round: the difference of log control time
 * plus steal share. It knows neither which version is which nor any result, so that discarding by it keeps the test exact.
 */
export function contaminationOf(first: Conditions, second: Conditions): number {
  return Math.abs(burden(first) - burden(second));
}

function burden({ controlMs, stealShare }: Conditions): number {
  return Math.log(controlMs) + stealShare;
}

/** Whether a further round may still be discarded: at most 40 % on top of those that are wanted. */
export function mayDiscard(discarded: number, wanted: number): boolean {
  return discarded < Math.floor(0.4 * wanted);
}
