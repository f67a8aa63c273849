import type { HistoryEntry } from './entry.ts';

/**
 * Whether a run is one of the default branch: never that of a pull request, or of a fork. Where nobody knows the
 * branch, of the run or of the repository, it counts: whoever publishes without GitHub publishes what they have.
 */
export function isOfDefaultBranch(entry: HistoryEntry, branch: string | undefined): boolean {
  const isKnown = branch !== undefined && entry.branch !== undefined;
  return entry.pullRequest === undefined && (!isKnown || entry.branch === branch);
}
