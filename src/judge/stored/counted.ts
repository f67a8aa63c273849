import { ALL_OPERATIONS } from '../../model/metric.ts';
import { fingerprintDifferences } from '../../model/run/instructions.ts';
import { startsOfBase } from '../../model/run/kept-counts.ts';
import type { Run } from '../../model/run/run.ts';
import { countedValues } from '../counts/figures.ts';
import type { StoredRun } from './stored-run.ts';

/** Instructions per request of a service, against the newest stored run that counted it. */
export interface StoredCount {
  readonly service: string;
  readonly startedAt: string;
  readonly commit?: string | undefined;
  /** Relative, 0.02 for 2% more; undefined if the two counts cannot be compared. */
  readonly change?: number | undefined;
  /** Differences of the counts in addition to the code. */
  readonly differs: readonly string[];
}

/** Counts of a run against stored ones, which do not require the same kind of machine: a fingerprint names their other dependencies. */
export function storedCountsFor(run: Run, before: readonly StoredRun[]): readonly StoredCount[] {
  const { starts = [], fingerprints = {} } = run.instructions ?? {};
  return Object.entries(fingerprints).flatMap(([service, here]) => {
    const counted = before.flatMap(({ startedAt, commit, counts = [] }) =>
      counts
        .filter((kept) => kept.service === service)
        .map((kept) => ({ startedAt, commit, kept, differs: fingerprintDifferences(kept.fingerprint, here) })),
    );
    const newest = counted.findLast(({ differs }) => differs.length === 0) ?? counted.at(-1);
    const now = instructionsOf(run, starts, service);
    if (newest === undefined || now === undefined) {
      return [];
    }
    const { kept, ...stored } = newest;
    const keptStarts = startsOfBase(kept).map((start) => ({ ...start, side: 'head' as const }));
    const then = instructionsOf(run, keptStarts, service);
    const change = stored.differs.length > 0 || then === undefined ? undefined : now / then - 1;
    return [{ service, ...stored, change }];
  });
}

function instructionsOf(run: Run, starts: Parameters<typeof countedValues>[1], service: string): number | undefined {
  return countedValues(run, starts).find(
    ({ cell, metric }) =>
      cell.service === service && cell.operation === ALL_OPERATIONS && metric === 'instructionsPerRequest',
  )?.value;
}
