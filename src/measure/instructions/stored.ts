import { wordList } from '../../foundation/text.ts';
import { countedFindings } from '../../judge/counts/counted.ts';
import { FEWEST_STARTS } from '../../judge/counts/figures.ts';
import { type CountedStart, fingerprintDifferences, type InstructionsRecord } from '../../model/run/instructions.ts';
import { type KeptCounts, type StoredCounts, startsOfBase } from '../../model/run/kept-counts.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { presentCounts } from '../../model/suite/present-counts.ts';
import type { RoundBench } from '../plans/versions.ts';
import { fingerprintOf } from './fingerprint.ts';

/** Stored counts that stand for a base which is not started. */
export interface StoredBase {
  readonly record: NonNullable<InstructionsRecord['stored']>[number];
  readonly starts: readonly CountedStart[];
}

/**
 * The stored counts of the base's commit that can be compared with counts from here, by service. Of a service whose counts cannot, a line
 * of the log names what differs.
 */
export async function storedBases(
  { storedCounts, versions: { base }, suite, progress }: RoundBench,
  counter: InstructionsRecord['counter'],
): Promise<ReadonlyMap<string, StoredBase>> {
  const all = (await storedCounts?.((line) => progress.line(line))) ?? [];
  const present = all.map((one) => ({ ...one, counts: presentCounts(one.counts, suite.wasNamed) }));
  const found = new Map<string, StoredBase>();
  for (const service of suite.services) {
    const own = present.flatMap((stored) => countsIn(stored, service));
    const here = fingerprintOf(base, counter, { suite, service });
    const differences = own.map(({ kept }) => fingerprintDifferences(kept.fingerprint, here));
    const same = own.find((_, place) => differences[place]?.length === 0);
    if (same !== undefined) {
      const { kept, commit, source } = same;
      found.set(service, { record: { service, commit, source }, starts: startsOfBase(kept) });
    } else if (own[0] !== undefined) {
      const { source } = own[0];
      progress.line(
        `${service}: base is counted, because the stored counts in ${source} differ in ${wordList(differences[0] ?? [])}`,
      );
    }
  }
  return found;
}

interface CountsOfService extends Omit<StoredCounts, 'counts'> {
  readonly kept: KeptCounts;
}

function countsIn({ counts, ...origin }: StoredCounts, service: string): readonly CountsOfService[] {
  const own = counts.filter((kept) => kept.service === service && kept.starts.length >= FEWEST_STARTS);
  return own.map((kept) => ({ ...origin, kept }));
}

/** What was counted so far, with stored counts as those of the base. */
export function withStored(record: InstructionsRecord, { record: origin, starts }: StoredBase): InstructionsRecord {
  return { ...record, starts: [...record.starts, ...starts], stored: [...(record.stored ?? []), origin] };
}

/**
 * Whether the counts of a service show that nothing changed. Only that is taken from a stored base: it was counted at another time, beside
 * other load, and with whatever else its fingerprint does not name.
 */
export function isUnchanged(run: RunInRounds, service: string): boolean {
  const own = countedFindings(run, run.rounds.policy).filter(({ cell }) => cell.service === service);
  const instructions = own.filter(({ metric }) => metric === 'instructionsPerRequest');
  return (
    instructions.length > 0 &&
    instructions.every(({ verdict }) => verdict === 'unchanged') &&
    own.every(({ verdict }) => verdict !== 'regressed')
  );
}
