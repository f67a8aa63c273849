import { ALL_OPERATIONS, type Sample } from '../../model/metric.ts';

/** Share of a core that went to other virtual machines, weighted by how long each load was measured; 0 without samples. */
export function stealShareOf(samples: readonly Sample[]): number {
  const whole = samples.filter(({ cell }) => cell.operation === ALL_OPERATIONS);
  const seconds = whole.reduce((sum, { measuredSeconds }) => sum + measuredSeconds, 0);
  const stolen = whole.reduce((sum, { host, measuredSeconds }) => sum + host.stealShare * measuredSeconds, 0);
  return seconds === 0 ? 0 : stolen / seconds;
}

interface Conditions {
  /** Wall time of the fixed CPU loop: before the round for the first version, after it for the second. */
  readonly controlMs: number;
  /** Share of a core that the hypervisor gave to others during the version's blocks. */
  readonly stealShare: number;
}

/** A round whose two versions had machines that differ by more than this is discarded and run again. */
export const MOST_CONTAMINATION = 0.1;

/**
 * Difference of the machine between the first and the second version of a round with `blocks` blocks each, in turns: the
 * difference of log control time plus steal share. A machine that changes from before the round to after it can favor one
 * version by one block at most, since the blocks are mirrored; with one block each it is all of the change.
 * It knows neither which version is which nor any result, so that discarding by it keeps the test exact.
 */
export function contaminationOf(first: Conditions, second: Conditions, blocks: number): number {
  const changed = Math.log(first.controlMs) - Math.log(second.controlMs);
  return Math.abs(changed / Math.max(1, blocks) + (first.stealShare - second.stealShare));
}

/** True if a further round may still be discarded: at most 40% on top of those that are wanted. */
export function mayDiscard(discarded: number, required: number): boolean {
  return discarded < Math.floor(0.4 * required);
}
